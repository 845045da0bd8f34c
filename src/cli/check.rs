//! `oxysycl check`

use clap::Args;
use oxysycl_runtime::{Queue, Runtime, Selector};

use super::compile::{compile, progress};
use super::output::{Output, table};
use super::select::{dtypes, named};
use super::{Answer, Result};
use crate::check::{Checked, Plan, Report};

#[derive(Args, Debug)]
pub(super) struct Check {
    /// Kernels by name or path; all of them if there are none
    kernels: Vec<String>,
    /// Only combinations with this element type, such as fp16
    #[arg(long)]
    dtype: Vec<String>,
    /// Only the case of this number, as a failure names it
    #[arg(long, value_name = "NUMBER")]
    case: Option<usize>,
    /// The device: gpu, cpu, or a part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Selector,
}

impl Check {
    pub(super) fn run(self, output: &Output) -> Result {
        let mut plans = Vec::new();
        for kernel in named(&self.kernels)? {
            let dtypes = dtypes(&*kernel.ir()?, &self.dtype)?;
            plans.extend(
                Plan::all(kernel)?
                    .into_iter()
                    .filter(|plan| dtypes.iter().all(|d| plan.dtypes().contains(d))),
            );
        }
        plans
            .iter_mut()
            .for_each(|plan| plan.retain(|number| self.case.is_none_or(|only| only == number)));
        let nothing = |plan: &Plan| plan.is_empty() && plan.unmet().is_none();
        if plans.iter().all(nothing) {
            return Err("there is no such case".into());
        }
        let runtime = Runtime::global()?;
        let queue = Queue::new(&self.device)?;
        plans.retain(|plan| !nothing(plan));
        let target = &queue.device().target;
        let units = plans
            .iter()
            .filter(|plan| !plan.is_empty())
            .map(|plan| plan.unit(target))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        compile(runtime, &units);
        let progress = progress("checking", plans.iter().map(Plan::len).sum());
        let mut results = Vec::new();
        for plan in &plans {
            results.push(plan.run(&queue, &|| progress.inc(1))?);
        }
        progress.finish_and_clear();
        let report = Report {
            device: queue.device().to_string(),
            driver: runtime.driver().identity().driver().to_owned(),
            passed: results.iter().all(|checked| checked.passed),
            results,
        };
        output.print(&report, text)?;
        Ok(if report.passed { Answer::Yes } else { Answer::No })
    }
}

fn text(report: &Report) -> String {
    let titles = [
        "kernel",
        "dtype",
        "compared",
        "cases",
        "elements",
        "worst ULP",
        "where",
        "verdict",
    ];
    let mut text = table(titles, report.results.iter().map(row));
    text += &format!("\non {}, compiled by {}\n", report.device, report.driver);
    for checked in &report.results {
        if let Some(condition) = &checked.unmet {
            text += &format!(
                "\n{} {}: nothing was run, since no arguments that `check` draws meet `assert!({condition})`; test such arguments \
                 by a launch of your own\n",
                checked.kernel,
                checked.dtypes.join(" "),
            );
        }
        if let Some(failure) = &checked.failure {
            text += &format!(
                "\n{} {}: {} of {} cases failed, first case {}: {}\n  {}\n  {}\n",
                checked.kernel,
                checked.dtypes.join(" "),
                checked.failed_cases,
                checked.cases,
                failure.case,
                failure.arguments,
                failure.problem.replace('\n', "\n  "),
                failure.repro,
            );
        }
    }
    text
}

fn row(checked: &Checked) -> [String; 8] {
    [
        checked.kernel.clone(),
        checked.dtypes.join(" "),
        checked.compared.to_owned(),
        checked.cases.to_string(),
        checked.elements.to_string(),
        format!("{:.2}", checked.worst_ulp),
        checked.worst_at.clone().unwrap_or_default(),
        match checked {
            Checked { passed: false, .. } => "FAILED",
            Checked { unmet: Some(_), .. } => "not run",
            _ => "ok",
        }
        .to_owned(),
    ]
}
