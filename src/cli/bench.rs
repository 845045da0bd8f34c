//! `oxysycl bench`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use oxysycl_codegen::ir::{DType, Kernel as Ir};
use oxysycl_runtime::{DeviceKind, Queue, Runtime, Selector, Target, Unit};

use super::compile::{compile, progress};
use super::output::{Output, table};
use super::select::{dtypes, named};
use super::{Answer, Result, file};
use crate::bench::{
    Against, Asked, BenchError, Limits, Measured, Plan, Report, TIMING, Timed, expect_known, html, means,
};
use crate::kernel::Kernel;

#[derive(Args, Debug)]
pub(super) struct Bench {
    #[command(flatten)]
    calls: Calls,
    /// The device: gpu, cpu, or a part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Selector,
    /// Also write the results into this file, as HTML with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// How long each header of each call is measured, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.25", value_parser = seconds)]
    time: Duration,
}

/// What is measured.
#[derive(Args, Debug)]
pub(super) struct Calls {
    /// Kernels by name or path; all of them if there are none
    pub(super) kernels: Vec<String>,
    /// Only combinations with this element type, such as bf16; without it, of each kernel the first with fp16, or the first
    #[arg(long)]
    pub(super) dtype: Vec<String>,
    /// What to measure against: a header with the same exports, `handwritten`, `handwritten-cpu`, or `self`; without it,
    /// those by hand that there are
    #[arg(long, value_name = "FILE", value_parser = against)]
    pub(super) against: Vec<Against>,
    /// Values of a size or const parameter, by its name
    #[arg(long, value_name = "NAME=VALUE,...", value_parser = asked)]
    pub(super) shape: Vec<Asked>,
}

impl Calls {
    /// All that has to be compiled for `target`, whatever kind of device that is.
    pub(super) fn units(
        &self,
        target: &Target,
    ) -> std::result::Result<Vec<Unit>, Box<dyn std::error::Error>> {
        units(&self.plans(DeviceKind::Cpu)?, target)
    }

    /// What to measure on a device of this kind.
    fn plans(&self, device: DeviceKind) -> std::result::Result<Vec<Plan>, Box<dyn std::error::Error>> {
        let kernels = named(&self.kernels)?;
        let irs = kernels.iter().map(|kernel| kernel.ir());
        let irs = irs.collect::<std::result::Result<Vec<_>, _>>()?;
        expect_known(irs.iter().map(|ir| &**ir), &self.shape)?;
        let mut plans = Vec::new();
        for (kernel, ir) in kernels.into_iter().zip(irs) {
            for dtypes in self.combinations(&ir)? {
                plans.push(Plan::new(
                    kernel,
                    &dtypes,
                    &self.headers(kernel, &ir, device),
                    &self.shape,
                )?);
            }
        }
        if plans.is_empty() {
            return Err("no kernel has such element types".into());
        }
        Ok(plans)
    }

    fn headers(&self, kernel: &Kernel, ir: &Ir, device: DeviceKind) -> Vec<Against> {
        if self.against.is_empty() {
            Against::usual(kernel, ir, device)
        } else {
            self.against.clone()
        }
    }

    /// The combinations of element types to measure.
    fn combinations(&self, ir: &Ir) -> std::result::Result<Vec<Vec<DType>>, Box<dyn std::error::Error>> {
        let mut all = ir.combinations();
        if self.dtype.is_empty() {
            let half = all.iter().position(|dtypes| dtypes.contains(&DType::F16));
            return Ok(vec![all.swap_remove(half.unwrap_or(0))]);
        }
        let wanted = dtypes(ir, &self.dtype)?;
        all.retain(|dtypes| wanted.iter().all(|dtype| dtypes.contains(dtype)));
        Ok(all)
    }
}

impl Bench {
    pub(super) fn run(self, output: &Output) -> Result {
        match self.report() {
            Ok(report) => {
                if let Some(path) = &self.html {
                    file::write(path, html(&report)?.as_bytes())?;
                }
                output.print(&report, text)?;
                Ok(Answer::Yes)
            }
            Err(error) => match error.downcast_ref::<BenchError>() {
                Some(refusal) if refusal.is_refusal() => {
                    eprintln!("error: {refusal}");
                    Ok(Answer::No)
                }
                _ => Err(error),
            },
        }
    }

    fn report(&self) -> std::result::Result<Report, Box<dyn std::error::Error>> {
        let runtime = Runtime::global()?;
        let queue = Queue::new(&self.device)?;
        let plans = self.calls.plans(queue.device().kind)?;
        compile(runtime, &units(&plans, &queue.device().target)?);
        for plan in &plans {
            plan.load(&queue)?;
        }
        let limits = Limits::measure(&queue, self.time)?;
        let progress = progress("measuring", plans.iter().map(Plan::len).sum());
        let mut results = Vec::new();
        for plan in &plans {
            results.extend(plan.run(&queue, &limits, self.time, &|| progress.inc(1))?);
        }
        progress.finish_and_clear();
        Ok(Report {
            device: queue.device().to_string(),
            driver: runtime.driver().identity().driver().to_owned(),
            timing: TIMING,
            limits,
            means: means(&results),
            results,
        })
    }
}

/// All that has to be compiled for `plans`.
fn units(plans: &[Plan], target: &Target) -> std::result::Result<Vec<Unit>, Box<dyn std::error::Error>> {
    let mut units = vec![Limits::unit(target)];
    for plan in plans {
        units.extend(plan.units(target)?);
    }
    Ok(units)
}

pub(super) fn against(text: &str) -> std::result::Result<Against, std::convert::Infallible> {
    Ok(Against::parse(text))
}

/// A name with values, such as `num_tokens=1,64`.
pub(super) fn asked(text: &str) -> std::result::Result<Asked, String> {
    let expected =
        || format!("`{text}` is no size; write NAME=VALUE, or several values with commas between them");
    let (name, values) = text.split_once('=').ok_or_else(expected)?;
    let value = |value: &str| match value.trim() {
        "true" => Ok(1),
        "false" => Ok(0),
        number => number.parse().map_err(|_| expected()),
    };
    let values = values
        .split(',')
        .map(value)
        .collect::<std::result::Result<_, _>>()?;
    Ok((name.trim().to_owned(), values))
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let seconds = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("`{text}` is no number of seconds"))
}

fn text(report: &Report) -> String {
    let titles = [
        "kernel",
        "shape",
        "header",
        "us",
        "quartiles",
        "GB/s",
        "of copy",
        "generated is",
    ];
    let mut text = table(titles, report.results.iter().map(row));
    let limits = &report.limits;
    text += &format!(
        "\non {}, compiled by {}\ntimed by {}; arguments rotated through {} MiB, {} times the cache ({} MiB, {})\n\
         a launch takes {:.1} us; ",
        report.device,
        report.driver,
        report.timing,
        limits.rotated_bytes >> 20,
        limits.rotated_bytes / limits.cache_bytes.max(1),
        limits.cache_bytes >> 20,
        limits.cache_from,
        limits.launch_us.median,
    );
    let copies = limits
        .copies
        .iter()
        .map(|copy| format!("{} {:.1} GB/s", copy.name, copy.gbps));
    text += &copies.collect::<Vec<_>>().join(", ");
    text += "\nGB/s count useful bytes; * more than the fastest copy: from a cache\n";
    for mean in &report.means {
        text += &format!(
            "generated is {:.2} times as fast as {} (geometric mean of {}); least {:.2}: {}\n",
            mean.speedup, mean.header, mean.results, mean.least, mean.least_at,
        );
    }
    text
}

/// One line for each header in every cell but the first ones.
fn row(measured: &Measured) -> [String; 8] {
    let lines = |cell: fn(&Timed) -> String| {
        let cells: Vec<String> = measured.headers.iter().map(cell).collect();
        cells.join("\n")
    };
    [
        format!("{} {}", measured.kernel, measured.dtypes.join(" ")),
        measured.shape.clone(),
        lines(|timed| timed.header.clone()),
        lines(|timed| figure(timed.us.median)),
        lines(|timed| format!("{} to {}", figure(timed.us.low), figure(timed.us.high))),
        lines(|timed| figure(timed.gbps)),
        lines(|timed| {
            format!(
                "{:.0} %{}",
                timed.of_limit * 100.0,
                if timed.cached { "*" } else { "" }
            )
        }),
        lines(|timed| {
            let speedup = timed.speedup.map(|speedup| {
                format!(
                    "{:.2}x ({:.2} to {:.2})",
                    speedup.median, speedup.low, speedup.high
                )
            });
            speedup.unwrap_or_default()
        }),
    ]
}

/// A number with three digits or more.
fn figure(value: f64) -> String {
    let digits = match value {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:.digits$}")
}
