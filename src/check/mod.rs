//! Kernels compared with their own native functions, on a device.
//!
//! Cases are drawn from a kernel's shapes: widths of models and awkward ones, few and many rows, strides, unaligned bases,
//! buffers that are one. Every buffer lies between patterns, which must stay. Results are compared bit by bit where the
//! kernel has neither reductions nor functions that are only accurate to some ULP, else with its shadow in `f64`.

mod data;
mod draw;
mod judge;
mod memory;
mod report;
mod run;

pub use self::report::{Checked, Failure, Report};

use oxysycl_codegen::Instance;
use oxysycl_codegen::ir::{DType, Kernel as Ir};
use oxysycl_runtime::{Queue, Target, Unit};

use self::draw::Case;
use self::run::Subject;
use crate::kernel::{Kernel, LowerError, Variant};
use crate::launch;

/// A kernel with its element types chosen, and the cases to run.
pub(crate) struct Plan {
    kernel: &'static Kernel,
    variant: &'static Variant,
    cases: Vec<(usize, Case)>,
}

impl Plan {
    /// All cases of `kernel` for `variant`, or the one numbered `only`.
    pub(crate) fn new(
        kernel: &'static Kernel,
        variant: &'static Variant,
        only: Option<usize>,
    ) -> Result<Self, LowerError> {
        let ir = kernel.ir()?;
        let cases = draw::cases(&ir).into_iter().enumerate();
        let cases = cases
            .filter(|(number, _)| only.is_none_or(|only| only == *number))
            .collect();
        Ok(Self {
            kernel,
            variant,
            cases,
        })
    }

    /// Number of cases.
    pub(crate) fn len(&self) -> usize {
        self.cases.len()
    }

    /// Everything that has to be compiled.
    pub(crate) fn units(&self, target: &Target) -> Result<Vec<Unit>, LowerError> {
        let ir = self.kernel.ir()?;
        let mut consts: Vec<&[i64]> = self.cases.iter().map(|(_, case)| &*case.consts).collect();
        consts.dedup();
        let instances = consts
            .into_iter()
            .filter_map(|consts| Instance::new(&ir, self.variant.dtypes, consts).ok());
        Ok(instances
            .map(|instance| launch::instance_unit(&ir, &instance, target))
            .collect())
    }

    /// Runs all cases on `queue`; `step` hears of each.
    pub(crate) fn run(&self, queue: &Queue, step: &dyn Fn()) -> Result<Checked, LowerError> {
        let ir = self.kernel.ir()?;
        let exact = ir.is_exact();
        let subject = Subject {
            ir: &ir,
            variant: self.variant,
            exact,
        };
        let mut checked = Checked {
            kernel: ir.name.clone(),
            dtypes: self.variant.dtypes.iter().map(DType::to_string).collect(),
            compared: if exact { "bits" } else { "bounds" },
            cases: self.cases.len(),
            elements: 0,
            undetermined: 0,
            worst_ulp: 0.0,
            worst_at: None,
            passed: true,
            failed_cases: 0,
            failure: None,
        };
        for (number, case) in &self.cases {
            match subject.run(case, queue) {
                Ok(outcome) => checked.add(&ir, *number, case, outcome),
                Err(trouble) => checked.fail(&ir, *number, case, trouble.to_string()),
            }
            step();
        }
        Ok(checked)
    }
}

impl Checked {
    fn add(&mut self, ir: &Ir, number: usize, case: &Case, outcome: run::Outcome) {
        self.elements += outcome.elements;
        self.undetermined += outcome.unknown;
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

/// The name that this command was called by.
fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "oxysycl".to_owned())
}
