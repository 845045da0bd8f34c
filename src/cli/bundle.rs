//! `oxysycl bundle`

use std::path::PathBuf;

use clap::Args;
use oxysycl_runtime::bundle::{Bundle as Made, Contents};
use oxysycl_runtime::{Runtime, Target, Unit};
use serde::Serialize;

use super::bench::{Calls, against, asked};
use super::build::define;
use super::output::Output;
use super::select::{Choice, named};
use super::{Answer, Result};
use crate::bench::{Against, Asked};
use crate::check::Plan;
use crate::kernel::Kernel;
use crate::launch;

#[derive(Args, Debug)]
pub(super) struct Bundle {
    /// Kernels by name or path; all of them if there are none
    kernels: Vec<String>,
    /// Element type, such as fp16; given once per type parameter, in order
    #[arg(long)]
    dtype: Vec<String>,
    /// A const parameter or a selection macro of the kernels
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    define: Vec<(String, String)>,
    /// What to compile for: spir64, nvptx64-nvidia-cuda, or both with a comma between them
    #[arg(long, default_value = "spir64")]
    target: String,
    /// The instances that `oxysycl check` runs, so that it runs from the bundle, instead of those that the headers have
    #[arg(long, conflicts_with_all = ["dtype", "define"])]
    check: bool,
    /// What `oxysycl bench` measures with the same kernels, element types, sizes and headers, instead
    #[arg(long, conflicts_with_all = ["check", "define"])]
    bench: bool,
    /// A header to measure against, as for `oxysycl bench`
    #[arg(long, value_name = "FILE", requires = "bench", value_parser = against)]
    against: Vec<Against>,
    /// Values of a size or const parameter to measure, as for `oxysycl bench`
    #[arg(long, value_name = "NAME=VALUE,...", requires = "bench", value_parser = asked)]
    shape: Vec<Asked>,
    /// The folder to put it in
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Bundled {
    /// The bundle's folder.
    folder: PathBuf,
    /// The targets that it was made for.
    targets: Vec<String>,
    /// What it holds, a few words for each compiled library.
    contents: Vec<String>,
}

impl Bundle {
    pub(super) fn run(self, output: &Output) -> Result {
        let target = Target::Named(self.target.clone());
        let mut units = Vec::new();
        if self.bench {
            units = self.calls().units(&target)?;
        } else {
            for kernel in named(&self.kernels)? {
                units.extend(self.units(kernel, &target)?);
            }
        }
        let made = Made::create(&self.output, Runtime::global()?, &Contents { units, target })?;
        let bundled = Bundled {
            folder: made.folder().to_owned(),
            targets: made.targets().to_vec(),
            contents: made.contents().map(str::to_owned).collect(),
        };
        output.print(&bundled, |bundled| bundled.folder.display().to_string())?;
        Ok(Answer::Yes)
    }

    /// What `oxysycl bench` measures.
    fn calls(&self) -> Calls {
        Calls {
            kernels: self.kernels.clone(),
            dtype: self.dtype.clone(),
            against: self.against.clone(),
            shape: self.shape.clone(),
        }
    }

    /// What to compile of `kernel`.
    fn units(
        &self,
        kernel: &'static Kernel,
        target: &Target,
    ) -> std::result::Result<Vec<Unit>, Box<dyn std::error::Error>> {
        if self.check {
            let plans = Plan::all(kernel)?;
            return Ok(plans
                .iter()
                .map(|plan| plan.unit(target))
                .collect::<std::result::Result<_, _>>()?);
        }
        let ir = kernel.ir()?;
        let choice = Choice::new(&ir, &self.dtype, &self.define)?;
        Ok(vec![Unit {
            defines: choice.defines(&ir)?,
            ..launch::unit(&ir, target)
        }])
    }
}
