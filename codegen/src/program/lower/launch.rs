//! The launcher: refusals and early returns in order, variants with their conditions, and the grid.

use std::collections::BTreeSet;

use super::Lowering;
use super::usage::Usage;
use crate::check;
use crate::ir::{self, Binary, Element, LocalId, ParamId, Scalar};
use crate::program::{
    Condition, Decision, Dim, DropIn, Expr, ExprKind, Extent, Given, Grid, Launch, Member, Most, Region,
    Step, Stmt, Subject, Variant, Width,
};
use crate::schedule::{self, extents, is_constant};

impl Lowering<'_> {
    /// What is worked out before the grid.
    pub(super) fn host(&mut self) -> Vec<Stmt> {
        self.block(&self.kernel.host)
    }

    /// The launcher of work-items that do `body`.
    pub(super) fn launch(&self, host: Vec<Stmt>, body: &[Stmt]) -> Launch {
        let mut usage = Usage::default();
        usage.block(body);
        let mut grid = self.grid();
        grid.chunk = self.chunk.filter(|chunk| usage.locals.contains(chunk));
        grid.shared
            .iter()
            .chain(grid.rows.iter().flatten())
            .for_each(|e| usage.expr(e));
        let decisions = self.decisions(&usage);
        let declared: BTreeSet<LocalId> = host
            .iter()
            .filter_map(|stmt| match stmt {
                Stmt::Let(id, _) => Some(*id),
                _ => None,
            })
            .collect();
        let params = usage
            .params
            .iter()
            .filter(|id| self.kernel.params[**id].values.is_empty());
        let locals = usage.locals.intersection(&declared);
        let members = params
            .map(|id| Member::Param(*id))
            .chain(locals.map(|id| Member::Local(*id)))
            .collect();
        Launch {
            params: self.params(&usage, &host),
            steps: self.steps(host),
            members,
            decisions,
            width: self.width(),
            variants: self.variants(),
            grid,
        }
    }

    /// Parameters that the launcher looks at.
    fn params(&self, usage: &Usage, host: &[Stmt]) -> Vec<ParamId> {
        let kernel = self.kernel;
        let mut used = Usage::default();
        used.block(host);
        let mut used = used.params;
        used.extend(&usage.params);
        used.extend(kernel.buffers().map(|(id, _)| id));
        used.extend(kernel.sizes());
        used.extend(kernel.specialized().map(|(id, ..)| id));
        used.into_iter().collect()
    }

    /// Of what the body reads.
    fn decisions(&self, usage: &Usage) -> Vec<Decision> {
        let read = self
            .kernel
            .specialized()
            .filter(|(id, ..)| usage.params.contains(id));
        let values = read.map(|(id, ty, values)| Decision {
            subject: Subject::Param(id),
            ty,
            values: values.to_vec(),
        });
        let given = usage.given.iter().map(|id| Decision {
            subject: Subject::Given(*id),
            ty: Scalar::Bool,
            values: vec![1, 0],
        });
        values.chain(given).collect()
    }

    /// The export with another signature.
    pub(super) fn drop_in(&self) -> Option<DropIn> {
        let drop_in = self.kernel.attributes.drop_in.as_ref()?;
        let given = |given: &ir::Given| match given {
            ir::Given::Passed(at) => Given::Passed(*at),
            ir::Given::Value(value) => Given::Value(self.value(value)),
            ir::Given::Unbounded(_) => Given::Unbounded,
        };
        Some(DropIn {
            symbol: drop_in.symbol.clone(),
            params: drop_in.params.iter().map(super::param).collect(),
            given: drop_in.given.iter().map(given).collect(),
        })
    }

    fn steps(&self, host: Vec<Stmt>) -> Vec<Step> {
        let kernel = self.kernel;
        let consts = kernel.consts.iter().enumerate();
        let signed = consts.filter(|(_, param)| param.ty.is_signed());
        let mut steps: Vec<Step> = signed.map(|(id, _)| Step::NegativeConst(id)).collect();
        steps.push(Step::NullQueue);
        let specialized = kernel.specialized();
        steps.extend(specialized.map(|(id, ty, values)| Step::Values(id, ty, values.to_vec())));
        let optional = kernel.buffers().filter(|(_, buffer)| buffer.optional);
        steps.extend(optional.map(|(id, _)| Step::Given(id)));
        steps.extend(kernel.sizes().into_iter().map(Step::Negative));
        steps.extend(host.into_iter().map(Step::Host));
        let axes = kernel.grid.axes();
        steps.push(Step::NoGroups(
            axes.into_iter()
                .map(|(_, extent)| {
                    // A parameter that counts is refused above if it is negative.
                    let negative = !matches!(extent.kind, ir::ExprKind::Param(_));
                    (self.value(extent), negative)
                })
                .collect(),
        ));
        if let ir::Grid::Groups { extents, .. } = &kernel.grid
            && let [outer, inner] = &extents[..]
        {
            steps.push(Step::TooManyGroups(self.value(outer), self.value(inner)));
        }
        steps.extend(
            kernel
                .buffers()
                .map(|(id, buffer)| Step::Region(self.region(id, &buffer.shape))),
        );
        let accessed = check::certainly_accessed(kernel);
        let may_be_empty = |id: &ParamId| {
            let shape = &kernel.buffer(*id).shape;
            !shape.iter().all(|dim| is_positive(&dim.extent))
        };
        let empty: Vec<ParamId> = accessed.into_iter().filter(may_be_empty).collect();
        if !empty.is_empty() {
            steps.push(Step::NoElements(empty));
        }
        steps.extend(kernel.buffers().map(|(id, _)| Step::Unusable(id)));
        self.overlaps(&mut steps);
        steps.push(Step::Queue);
        steps.extend(
            self.schedule
                .sub_group_fixed
                .then_some(Step::SubGroup(self.schedule.sub_group)),
        );
        steps
    }

    /// Overlaps of what is written with everything else.
    fn overlaps(&self, steps: &mut Vec<Step>) {
        let kernel = self.kernel;
        for (buffer, written) in kernel.buffers().filter(|(_, b)| b.mutable) {
            if written.shape.iter().any(|dim| dim.stride.is_some()) {
                steps.push(Step::RowsOverlap(buffer));
            }
            for (other, second) in kernel.buffers().filter(|(other, _)| *other != buffer) {
                // Of two written buffers the later one is compared with the earlier one.
                if !(second.mutable && other < buffer) {
                    let alias = written.aliases.contains(&other);
                    steps.push(Step::Overlap { buffer, other, alias });
                }
            }
        }
    }

    /// The elements of a buffer: a contiguous run along strided dimensions.
    fn region(&self, buffer: ParamId, shape: &[ir::Dim]) -> Region {
        let first_run = shape
            .iter()
            .rposition(|dim| dim.stride.is_some())
            .map_or(0, |at| at + 1);
        let dims = shape[..first_run].iter().enumerate().map(|(at, dim)| {
            let next = &shape[at + 1];
            let stride = match &dim.stride {
                Some(stride) => vec![Extent {
                    value: self.value(stride),
                    untold: Vec::new(),
                }],
                // Without a stride of its own a dimension steps over the next one whole.
                None => [Some(&next.extent), next.stride.as_ref()]
                    .into_iter()
                    .flatten()
                    .map(|e| self.extent(e))
                    .collect(),
            };
            Dim {
                extent: self.extent(&dim.extent),
                stride,
            }
        });
        Region {
            buffer,
            dims: dims.collect(),
            run: shape[first_run..]
                .iter()
                .map(|dim| self.extent(&dim.extent))
                .collect(),
        }
    }

    fn extent(&self, e: &ir::Expr) -> Extent {
        let value = self.value(e);
        let mut usage = Usage::default();
        usage.expr(&value);
        let untold = self.kernel.unbounded();
        Extent {
            value,
            untold: usage
                .params
                .into_iter()
                .filter(|id| untold.contains_key(id))
                .collect(),
        }
    }

    fn width(&self) -> Option<Width> {
        let most = match self.schedule.width? {
            schedule::Width::Fixed(elements) => Most::Elements(elements),
            schedule::Width::Bytes(bytes) => {
                let mut elements: Vec<Element> = Vec::new();
                for id in &self.schedule.vectors.bases {
                    let element = self.kernel.buffer(*id).element;
                    if !elements.contains(&element) {
                        elements.push(element);
                    }
                }
                Most::Bytes(bytes, elements)
            }
        };
        let rows = extents(self.kernel).into_iter().filter(|e| is_constant(e));
        Some(Width {
            most,
            rows: rows.map(|e| self.value(e)).collect(),
        })
    }

    /// Vectors where pointers and strides are aligned, else one element at a time.
    fn variants(&self) -> Vec<Variant> {
        let plain = Variant {
            conditions: Vec::new(),
            vectors: false,
        };
        if self.schedule.width.is_none() {
            return vec![plain];
        }
        let vectors = &self.schedule.vectors;
        let no_cpu = (!self.schedule.vectors_on_cpu).then_some(Condition::NoCpu);
        let bases = vectors.bases.iter().map(|id| Condition::Aligned(*id));
        let numbers = vectors.divisible.iter();
        let numbers = numbers.map(|n| Condition::Multiple(self.value(&n.written(self.kernel))));
        let whole = Variant {
            conditions: no_cpu.into_iter().chain(bases).chain(numbers).collect(),
            vectors: true,
        };
        vec![whole, plain]
    }

    fn grid(&self) -> Grid {
        let shared = extents(self.kernel)
            .into_iter()
            .map(|e| self.vectors(e))
            .collect();
        let rows = match &self.kernel.grid {
            ir::Grid::Elements { .. } => None,
            ir::Grid::Groups { extents, .. } => Some(extents.iter().map(|e| self.value(e)).collect()),
        };
        Grid {
            shared,
            work_group: self.schedule.work_group,
            sub_group: self.schedule.sub_group,
            rows,
            dealing: self.schedule.dealing,
            short_row: self.schedule.short_row,
            chunk: None,
        }
    }

    /// How many vectors so many elements are.
    fn vectors(&self, extent: &ir::Expr) -> Expr {
        let value = self.value(extent);
        let width = || Expr {
            kind: ExprKind::Width,
            ty: Scalar::I32,
        };
        if self.schedule.width.is_none() {
            return value;
        }
        if is_constant(extent) {
            return Expr::arithmetic(Binary::Div, value, width());
        }
        let sum = Expr::arithmetic(Binary::Add, value, width());
        let most = Expr::arithmetic(Binary::Sub, sum, Expr::int(1));
        Expr::arithmetic(Binary::Div, most, width())
    }
}

/// Whether an extent is at least 1 by what it is made of.
fn is_positive(extent: &ir::Expr) -> bool {
    match &extent.kind {
        ir::ExprKind::Int(value) => *value > 0,
        ir::ExprKind::Binary(Binary::Add | Binary::Mul, a, b) => is_positive(a) && is_positive(b),
        _ => false,
    }
}
