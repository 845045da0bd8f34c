//! Kernels compared with their own native functions, on a device.
//!
//! Cases are drawn from a kernel's shapes: widths of models and awkward ones, few and many rows, strides, unaligned bases,
//! buffers that are one. Every buffer lies between patterns, which must stay. Results are compared bit by bit where the
//! kernel has neither reductions nor functions that are only accurate to some ULP, else with its shadow in `f64`.

pub(crate) mod case;
mod data;
pub(crate) mod draw;
mod judge;
mod memory;
mod report;
mod run;

pub use self::report::{Checked, Failure, Report};

use std::collections::BTreeSet;

use oxysycl_codegen::Indices;
use oxysycl_codegen::ir::{DType, Kernel as Ir, Library};
use oxysycl_runtime::{Device, Queue, Runtime, Source, Target, Unit};

use self::case::Case;
use self::judge::Unsigned;
pub(crate) use self::run::Trouble;
use self::run::{Launch, Subject};
use crate::kernel::{Kernel, LowerError, Variant};
use crate::launch::{self, LaunchError};

/// A kernel with its element types chosen, and the cases to run.
#[derive(Clone, Debug)]
pub struct Plan {
    kernel: &'static Kernel,
    variant: &'static Variant,
    cases: Vec<(usize, Case)>,
    /// The const parameters of all cases, also of those that are not retained: they are compiled together, so that a case that
    /// fails is run again without compiling anything.
    consts: BTreeSet<Vec<i64>>,
    /// An assertion that no arguments meet which are drawn, if there are no cases at all.
    unmet: Option<String>,
}

impl Plan {
    /// All cases of `kernel`, for each combination of its element types.
    ///
    /// # Errors
    /// If the kernel cannot be turned into a header.
    pub fn all(kernel: &'static Kernel) -> Result<Vec<Self>, LowerError> {
        let ir = kernel.ir()?;
        let cases: Vec<(usize, Case)> = draw::cases(&ir).into_iter().enumerate().collect();
        let unmet = if cases.is_empty() { draw::unmet(&ir) } else { None };
        let consts: BTreeSet<Vec<i64>> = cases.iter().map(|(_, case)| case.consts.clone()).collect();
        let plan = |variant| Self {
            kernel,
            variant,
            cases: cases.clone(),
            consts: consts.clone(),
            unmet: unmet.clone(),
        };
        Ok(kernel.variants().iter().map(plan).collect())
    }

    /// The kernel.
    pub fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    /// The element types, in the order of the kernel's type parameters.
    pub fn dtypes(&self) -> &'static [DType] {
        self.variant.dtypes
    }

    /// Number of cases.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// The condition of an `assert!` for which there are no cases: no arguments that are drawn meet it.
    pub fn unmet(&self) -> Option<&str> {
        self.unmet.as_deref()
    }

    /// The numbers of the cases.
    pub fn numbers(&self) -> Vec<usize> {
        self.cases.iter().map(|(number, _)| *number).collect()
    }

    /// Keeps only the cases whose number `keep` accepts. A case keeps its number.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.cases.retain(|(number, _)| keep(*number));
    }

    /// Keeps only the cases that `keep` accepts.
    #[cfg(test)]
    pub(crate) fn retain_cases(&mut self, mut keep: impl FnMut(&Case) -> bool) {
        self.cases.retain(|(_, case)| keep(case));
    }

    /// Keeps only the cases none of whose buffers has more than `most` elements.
    ///
    /// # Errors
    /// If the kernel cannot be turned into a header.
    pub fn retain_small(&mut self, most: i64) -> Result<(), LowerError> {
        let ir = self.kernel.ir()?;
        self.cases
            .retain(|(_, case)| draw::size(&ir, case) <= most.into());
        Ok(())
    }

    /// What has to be compiled for `target`: one module with every instance, so that it can be compiled beforehand.
    ///
    /// # Errors
    /// If the kernel cannot be turned into a header, or a case has const parameters that it cannot have.
    pub fn unit(&self, target: &Target) -> Result<Unit, LaunchError> {
        let ir = self.kernel.ir()?;
        launch::together_unit(&ir, self.dtypes(), &self.consts(), target).map_err(LaunchError::Instance)
    }

    /// What has to be compiled for the kernels of `plans` in one module, no two of which may be of one kernel: most of the
    /// time that a small module takes to compile is the same for a large one.
    ///
    /// # Errors
    /// As those of [`unit`](Self::unit).
    pub fn common_unit(plans: &[Self], target: &Target) -> Result<Unit, LaunchError> {
        let mut common = String::new();
        let mut defines = Vec::new();
        for plan in plans {
            let unit = plan.unit(target)?;
            if let Source::Header { text, .. } = &unit.source {
                common += text;
            }
            defines.extend(unit.defines);
        }
        Ok(Unit {
            source: Source::Header {
                name: "common.hpp".to_owned(),
                text: common,
            },
            defines,
            include_dirs: Vec::new(),
            target: target.clone(),
        })
    }

    /// Loads the kernels of `plans` from the module of their [`common_unit`](Self::common_unit), so that none is compiled
    /// by itself.
    ///
    /// # Errors
    /// As those of [`common_unit`](Self::common_unit), and if it cannot be compiled or loaded.
    pub fn load(plans: &[Self], queue: &Queue) -> Result<(), LaunchError> {
        let unit = Self::common_unit(plans, &queue.device().target)?;
        let module = Runtime::global()?.module(&unit)?;
        for plan in plans {
            let ir = plan.kernel.ir()?;
            plan.kernel
                .loaded
                .load_from(module, &ir, plan.dtypes(), &plan.consts(), queue.device())?;
        }
        Ok(())
    }

    /// The const parameters of the kernel's cases, each combination once.
    fn consts(&self) -> Vec<&[i64]> {
        self.consts.iter().map(Vec::as_slice).collect()
    }

    /// Runs all cases on `queue`; `step` hears of each.
    ///
    /// # Errors
    /// If the kernel cannot be turned into a header. What goes wrong in a case is in the results.
    pub fn run(&self, queue: &Queue, step: &dyn Fn()) -> Result<Checked, LowerError> {
        let ir = self.kernel.ir()?;
        if self.is_empty() {
            return Ok(self.nothing(&ir));
        }
        // What cannot be compiled or loaded fails in every case.
        let loaded = self
            .kernel
            .loaded
            .load_together(&ir, self.dtypes(), &self.consts(), queue.device())
            .map_err(|error| error.to_string());
        self.run_by(queue, step, oxysycl_codegen::indices(&ir), &|case, arguments| {
            loaded.clone().map_err(Trouble::Unloaded)?;
            Ok((self.variant.launch)(queue, &case.consts, arguments)?)
        })
    }

    /// Runs all cases on `queue`, each by `launch`, which looks at indices as `indices` says.
    pub(crate) fn run_by(
        &self,
        queue: &Queue,
        step: &dyn Fn(),
        indices: Vec<Indices>,
        launch: Launch<'_>,
    ) -> Result<Checked, LowerError> {
        let ir = self.kernel.ir()?;
        let subject = Subject {
            ir: &ir,
            variant: self.variant,
            launch,
            exact: ir.is_exact(),
            library: library(queue.device()),
            unsigned: Unsigned {
                zeros: ir.has_extremum(),
                infinities: ir.has_extremum() && ir.divides(),
            },
            indices,
        };
        let mut checked = self.nothing(&ir);
        for (number, case) in &self.cases {
            match subject.run(case, queue) {
                Ok(outcome) => checked.add(&ir, *number, case, outcome),
                Err(trouble) => checked.fail(&ir, *number, case, trouble.to_string()),
            }
            step();
        }
        Ok(checked)
    }

    /// The results before anything has run.
    fn nothing(&self, ir: &Ir) -> Checked {
        let mut checked = Checked::new(ir, self.dtypes(), self.cases.len());
        checked.unmet.clone_from(&self.unmet);
        checked
    }
}

impl Checked {
    fn new(ir: &Ir, dtypes: &[DType], cases: usize) -> Self {
        Self {
            kernel: ir.name.clone(),
            dtypes: dtypes.iter().map(DType::to_string).collect(),
            compared: if ir.is_exact() { "bits" } else { "bounds" },
            cases,
            elements: 0,
            ill_conditioned: 0,
            worst_ulp: 0.0,
            worst_at: None,
            unmet: None,
            passed: true,
            failed_cases: 0,
            failure: None,
        }
    }

    fn add(&mut self, ir: &Ir, number: usize, case: &Case, outcome: run::Outcome) {
        self.elements += outcome.elements;
        self.ill_conditioned += outcome.rough;
        if let Some((ulps, at)) = outcome.worst
            && ulps > self.worst_ulp
        {
            self.worst_ulp = ulps;
            self.worst_at = Some(format!("{at} of {}", case.describe(ir)));
        }
        if let Some(problem) = outcome.wrong {
            self.fail(ir, number, case, problem);
        }
    }

    fn fail(&mut self, ir: &Ir, number: usize, case: &Case, problem: String) {
        self.passed = false;
        self.failed_cases += 1;
        let dtypes = self
            .dtypes
            .iter()
            .map(|dtype| format!(" --dtype {dtype}"))
            .collect::<String>();
        let repro = format!("{} check {}{dtypes} --case {number}", program(), self.kernel);
        self.failure.get_or_insert(Failure {
            case: number,
            arguments: case.describe(ir),
            problem,
            repro,
        });
    }
}

/// Whose functions `device` computes with.
fn library(device: &Device) -> Library {
    match device.backend.as_str() {
        "ext_oneapi_cuda" => Library::Cuda,
        _ => Library::OpenCl,
    }
}

/// The name that this command was called by.
fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "oxysycl".to_owned())
}
