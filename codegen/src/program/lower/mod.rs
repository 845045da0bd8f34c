//! From a scheduled kernel to its program.

mod body;
mod data;
pub(super) mod expr;
mod function;
mod lanes;
mod launch;
mod reductions;
mod scans;
mod usage;

use std::collections::{BTreeMap, BTreeSet};

use self::lanes::VectorLoop;
use self::reductions::Reductions;
use super::{Choices, Local, Param, ParamKind, Program, Reduction, Register, Row, Variable, prune};
use crate::ir::{self, Kernel, LocalId, Place, RowId, Scalar, Type};
use crate::schedule::{Dealing, Schedule, schedule};

/// The program of a checked kernel.
pub(super) fn lower(kernel: &Kernel) -> Program {
    let kernel = prune::kernel(kernel);
    let schedule = schedule(&kernel);
    let mut lowering = Lowering::new(&kernel, &schedule);
    let host = lowering.host();
    let body = lowering.body();
    let launch = lowering.launch(host, &body);
    let drop_in = lowering.drop_in();
    Program {
        name: kernel.name.clone(),
        docs: kernel.docs.clone(),
        types: kernel.types.iter().map(|t| t.name.clone()).collect(),
        consts: kernel.consts.iter().map(constant).collect(),
        params: kernel.params.iter().map(param).collect(),
        locals: lowering.locals,
        rows: lowering.rows,
        registers: lowering.registers,
        functions: kernel
            .functions
            .iter()
            .map(|f| function::function(f, &kernel, &schedule))
            .collect(),
        choices: Choices {
            sub_group: schedule.sub_group_fixed.then_some(schedule.sub_group),
            reduction: Reduction {
                work_items: schedule.sub_group,
                run: schedule.longest_vector(&kernel),
            },
        },
        drop_in,
        launch,
        body,
    }
}

fn constant(param: &ir::ConstParam) -> Variable {
    Variable {
        name: param.name.clone(),
        ty: param.ty,
    }
}

fn param(param: &ir::Param) -> Param {
    let kind = match &param.kind {
        ir::ParamKind::Scalar(ty) => ParamKind::Scalar(*ty),
        ir::ParamKind::Buffer(buffer) => ParamKind::Buffer {
            element: buffer.element,
            mutable: buffer.mutable,
            optional: buffer.optional,
        },
    };
    Param {
        name: param.name.clone(),
        kind,
    }
}

/// The code that is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// A launcher's, or a function's: scalars alone.
    Scalars,
    /// A work-group's, which all its work-items do together.
    Group,
    /// One lane's.
    Lane,
}

/// The state of lowering a kernel.
struct Lowering<'a> {
    kernel: &'a Kernel,
    schedule: &'a Schedule,
    /// The variables of the kernel, or of a function that it calls.
    source: &'a [ir::Local],
    /// Those whose integers may be anything.
    data: BTreeSet<LocalId>,
    locals: Vec<Local>,
    rows: Vec<Row>,
    registers: Vec<Register>,
    /// The program's variables and rows for the kernel's, where they are in scope.
    local_of: Vec<LocalId>,
    row_of: Vec<RowId>,
    /// This work-item's number among those that share the lanes, and how many these are.
    lane: LocalId,
    lanes: LocalId,
    /// How many lanes a work-group does of a row that is split among several; the launcher says.
    chunk: Option<LocalId>,
    /// Where these begin and end.
    part: Option<(LocalId, LocalId)>,
    /// What is written down.
    code: Code,
    /// The loop over whole vectors around.
    vector: Option<VectorLoop<'a>>,
    /// The index of the innermost loop of one work-item around; variables are numbered as they are declared.
    round: Option<LocalId>,
    reductions: Reductions,
    /// The running sums, and the variables of the program that have what was last read of them.
    running: BTreeMap<LocalId, Option<LocalId>>,
}

impl<'a> Lowering<'a> {
    /// Of the kernel itself.
    fn new(kernel: &'a Kernel, schedule: &'a Schedule) -> Lowering<'a> {
        let data = data::locals([&kernel.host[..], &kernel.body[..]]);
        let mut lowering = Lowering::of(kernel, schedule, &kernel.locals, data);
        let sums = ir::scanned(&kernel.body).into_iter();
        lowering.running = sums.map(|sum| (sum, None)).collect();
        lowering.lane = lowering.made("lane", Scalar::I64);
        lowering.lanes = lowering.made("lanes", Scalar::I64);
        let is_split = schedule.dealing == Dealing::Split;
        lowering.chunk = is_split.then(|| lowering.made("chunk", Scalar::I64));
        lowering
    }

    fn of(
        kernel: &'a Kernel,
        schedule: &'a Schedule,
        source: &'a [ir::Local],
        data: BTreeSet<LocalId>,
    ) -> Lowering<'a> {
        Lowering {
            kernel,
            schedule,
            source,
            data,
            locals: Vec::new(),
            rows: Vec::new(),
            registers: Vec::new(),
            local_of: vec![0; source.len()],
            row_of: vec![0; kernel.rows.len()],
            lane: 0,
            lanes: 0,
            chunk: None,
            part: None,
            code: Code::Scalars,
            vector: None,
            round: None,
            reductions: Reductions::default(),
            running: BTreeMap::new(),
        }
    }

    /// A variable of the program for one of the kernel.
    fn declare(&mut self, id: LocalId) -> LocalId {
        self.locals.push(local(&self.source[id]));
        self.local_of[id] = self.locals.len() - 1;
        self.local_of[id]
    }

    /// A variable that no author wrote.
    fn made(&mut self, name: &str, ty: Scalar) -> LocalId {
        self.locals.push(Local {
            name: name.to_owned(),
            ty,
            mutable: false,
            made: true,
        });
        self.locals.len() - 1
    }

    /// A row of the program for one of the kernel.
    fn declare_row(&mut self, id: RowId) -> RowId {
        let buffer = self.kernel.buffer_like(Place::Row(id));
        self.rows.push(Row {
            name: self.kernel.rows[id].name.clone(),
            element: buffer.element,
            mutable: buffer.mutable,
        });
        self.row_of[id] = self.rows.len() - 1;
        self.row_of[id]
    }
}

fn local(local: &ir::Local) -> Local {
    Local {
        name: local.name.clone(),
        ty: scalar(local.ty),
        mutable: local.mutable,
        made: false,
    }
}

/// The type of a lowered expression.
fn scalar(ty: Type) -> Scalar {
    ty.scalar().expect("lowered kernels have only known types")
}
