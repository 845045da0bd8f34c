//! What a run of many kernels comes to, in words.

use std::fmt::Write;

use oxysycl_codegen::ir::{Kernel, ParamKind};

use crate::shrink::Failure;
use crate::simulate::Verdict;

/// Sums over kernels.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) kernels: u64,
    pub(crate) accepted: u64,
    repaired: u64,
    cases: u64,
    panics: u64,
    idle: u64,
    /// What failed, with the seed of each.
    pub(crate) failures: Vec<(u64, Failure)>,
}

impl Report {
    pub(crate) fn add(&mut self, verdict: &Verdict) {
        self.kernels += 1;
        self.accepted += u64::from(verdict.accepted);
        self.repaired += u64::from(verdict.repaired);
        self.cases += verdict.cases;
        self.panics += verdict.panics;
        self.idle += verdict.idle;
    }

    pub(crate) fn join(&mut self, other: Report) {
        self.kernels += other.kernels;
        self.accepted += other.accepted;
        self.repaired += other.repaired;
        self.cases += other.cases;
        self.panics += other.panics;
        self.idle += other.idle;
        self.failures.extend(other.failures);
    }

    /// Kernels that are accepted, of a thousand.
    pub(crate) fn share(&self) -> u64 {
        1000 * self.accepted / self.kernels.max(1)
    }

    pub(crate) fn summary(&self) -> String {
        format!(
            "{} kernels, of which {} are accepted as drawn ({:.1} %) and {} without what is refused; {} launches ran, {} had nothing to do, {} panic natively; {} kernels are wrong",
            self.kernels,
            self.accepted,
            self.share() as f64 / 10.0,
            self.repaired,
            self.cases,
            self.idle,
            self.panics,
            self.failures.len()
        )
    }
}

/// A failure for its reader: the kernel, the arguments, what happens, and how to see it again.
pub(crate) fn described(seed: u64, failure: &Failure) -> String {
    let Failure { text, case, finding } = failure;
    let item = text.item();
    let mut out = format!("{}\n{}\n", finding.kind, finding.what);
    for (number, line) in item.lines().enumerate() {
        let _ = writeln!(out, "{:3} | {line}", number + 1);
    }
    if let Ok(checked) = oxysycl_codegen::checked(&item) {
        let _ = writeln!(out, "{}", arguments(&checked.kernel, failure));
    }
    let _ = writeln!(
        out,
        "{} work-items, {:?}{}; again with OXYSYCL_SIMULATOR_SEED={seed} OXYSYCL_SIMULATOR_COUNT=1 cargo test -p oxysycl-codegen --test simulator",
        case.items,
        case.dealing,
        if case.aliased { ", in place" } else { "" },
    );
    out
}

fn arguments(kernel: &Kernel, failure: &Failure) -> String {
    let scalars = kernel
        .params
        .iter()
        .zip(&failure.case.args)
        .filter(|(param, _)| matches!(param.kind, ParamKind::Scalar(_)))
        .map(|(param, value)| format!("{} = {}", param.name, value.said()));
    let consts = kernel.consts.iter().zip(&failure.case.consts);
    let consts = consts.map(|(param, value)| format!("{} = {}", param.name, value.said()));
    scalars.chain(consts).collect::<Vec<_>>().join(", ")
}
