//! Rule 2: what lanes gather, and rule 1: who may look at it.
//!
//! On a device each work-item of a row holds only its own part of a variable that lanes add to. Natively that is
//! invisible, so it is checked here.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::Errors;
use crate::ir::{
    Binary, Combines, Expr, ExprKind, Kernel, LocalId, Math, Reduce, Scalar, Stmt, StmtKind, Type, walk,
};

/// Variables that lanes gather into, with the reduction that combines the parts.
type Accumulators = BTreeMap<LocalId, Reduce>;

/// Finds what a kernel gathers over lanes and checks every use of it.
pub(crate) fn check(kernel: &Kernel, errors: &mut Errors) {
    no_host_variables(kernel, errors);
    let mut gathered = Accumulators::new();
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            assignments(kernel, &lanes.body, &mut gathered, errors);
        }
    });
    starts(kernel, &gathered, errors);
    uses(kernel, &gathered, errors);
}

/// Host variables are copied into the kernel, so the grid cannot change them.
fn no_host_variables(kernel: &Kernel, errors: &mut Errors) {
    let host = declared(&kernel.host);
    walk(&kernel.body, &mut |stmt| {
        if let Some(id) = target(stmt)
            && host.contains(&id)
        {
            let name = &kernel.locals[id].name;
            errors.at(
                stmt.span,
                format_args!("`{name}` belongs to the host; groups run in any order and cannot change it"),
            );
        }
    });
}

/// Assignments in `lanes` to variables from outside.
fn assignments(kernel: &Kernel, body: &[Stmt], gathered: &mut Accumulators, errors: &mut Errors) {
    let inside = declared(body);
    walk(body, &mut |stmt| {
        let Some(id) = target(stmt).filter(|id| !inside.contains(id)) else {
            return;
        };
        let name = &kernel.locals[id].name;
        let update = match &stmt.kind {
            StmtKind::Update(_, update, _) => update.reduction(),
            _ => None,
        };
        let Some(reduce) = update else {
            let cure = cure(stmt, id, name);
            return errors.at(
                stmt.span,
                format_args!(
                    "`{name}` would carry a value from lane to lane, but lanes run at the same time; {cure}"
                ),
            );
        };
        if let Type::Scalar(ty) = kernel.locals[id].ty
            && !reduce.takes(ty)
        {
            errors.at(stmt.span, not_gathered(name, reduce, ty));
        }
        let first = *gathered.entry(id).or_insert(reduce);
        if first != reduce {
            errors.at(
                stmt.span,
                format_args!(
                    "`{name}` is already gathered for `{}`; use a second variable for `{}`",
                    first.word(),
                    reduce.word()
                ),
            );
        }
    });
}

/// What is said of an accumulator whose type its reduction does not combine.
fn not_gathered(name: &str, reduce: Reduce, ty: Scalar) -> String {
    let word = reduce.word();
    match reduce.row().combines {
        Combines::Numbers => format!(
            "`{name}` is gathered for `{word}`, which combines `f32` and integers of 32 or 64 bits, not `{ty}`; declare it as one of those, such as `let mut {name} = 0_i64;`"
        ),
        Combines::Conditions => format!(
            "`{name}` is gathered for `{word}`, which combines `bool`, not `{ty}`; lanes do not share the bits of integers"
        ),
    }
}

/// What to write in place of an assignment that gathers nothing.
fn cure(stmt: &Stmt, id: LocalId, name: &str) -> String {
    let is_it = |e: &Expr| matches!(e.kind, ExprKind::Local(local) if local == id);
    if let StmtKind::Assign(_, value) = &stmt.kind {
        match &value.kind {
            ExprKind::Binary(Binary::Add, a, b) if is_it(a) || is_it(b) => {
                return format!("a sum over lanes is written `{name} += ..`");
            }
            ExprKind::Binary(Binary::Sub, a, _) if is_it(a) => {
                return format!("a sum over lanes is written `{name} -= ..`");
            }
            ExprKind::Math(Math::MulAdd, args) if is_it(&args[2]) => {
                return format!(
                    "a sum over lanes is written `{name} += a * b`, in whatever order it is added up"
                );
            }
            ExprKind::Math(extremum @ (Math::Max | Math::Min), args) if is_it(&args[1]) => {
                return format!("write `{name} = {name}.{}(..)`", extremum.name());
            }
            _ => {}
        }
    }
    format!(
        "gather with `{name} += ..`, `{name} = {name}.max(..)` or, of conditions, `{name} |= ..`, or declare it inside the loop"
    )
}

/// Sums start at 0, since every work-item starts with the variable's first value; other assignments have no meaning.
fn starts(kernel: &Kernel, gathered: &Accumulators, errors: &mut Errors) {
    walk(&kernel.body, &mut |stmt| match &stmt.kind {
        StmtKind::Let(id, init) if gathered.get(id) == Some(&Reduce::Sum) => {
            let zero = init.as_ref().is_some_and(is_zero);
            if !zero {
                let at = init.as_ref().map_or(stmt.span, |e| e.span);
                let name = &kernel.locals[*id].name;
                let zero = match kernel.locals[*id].ty {
                    Type::Scalar(Scalar::F32) | Type::Opaque => "0.0",
                    _ => "0",
                };
                errors.at(at, format_args!("`{name}` is a sum over lanes and starts at `{zero}`, since every work-item starts with this value; add it after `group_sum({name})`"));
            }
        }
        _ => {}
    });
    let outside = outside_lanes(&kernel.body);
    for stmt in outside {
        if let Some(id) = target(stmt)
            && let Some(reduce) = gathered.get(&id)
        {
            let name = &kernel.locals[id].name;
            errors.at(
                stmt.span,
                format_args!(
                    "`{name}` is gathered over lanes; bind what `{}({name})` gives to a new name",
                    reduce.word()
                ),
            );
        }
    }
}

/// Statements that are not in `lanes`.
fn outside_lanes(block: &[Stmt]) -> Vec<&Stmt> {
    let mut found = Vec::new();
    for stmt in block {
        found.push(stmt);
        if !matches!(stmt.kind, StmtKind::Lanes(_)) {
            found.extend(stmt.blocks().into_iter().flat_map(outside_lanes));
        }
    }
    found
}

/// Accumulators are read only by the matching reduction, and reductions read only accumulators.
fn uses(kernel: &Kernel, gathered: &Accumulators, errors: &mut Errors) {
    let mut check = |e: &Expr| {
        uses_in(kernel, e, gathered, errors);
    };
    walk(&kernel.body, &mut |stmt| {
        stmt.exprs(&mut check);
    });
}

fn uses_in(kernel: &Kernel, e: &Expr, gathered: &Accumulators, errors: &mut Errors) {
    let name = |id: LocalId| &kernel.locals[id].name;
    match &e.kind {
        ExprKind::Local(id) => {
            if let Some(reduce) = gathered.get(id) {
                let (name, word) = (name(*id), reduce.word());
                errors.at(e.span, format_args!("each work-item holds only its own part of `{name}`; combine it with `{word}({name})` after the loop"));
            }
        }
        ExprKind::Reduce(reduce, arg) => match &arg.kind {
            ExprKind::Invalid => {}
            ExprKind::Local(id) if gathered.get(id) == Some(reduce) => {}
            ExprKind::Local(id) if gathered.contains_key(id) => {
                let (name, word) = (name(*id), gathered[id].word());
                errors.at(
                    arg.span,
                    format_args!("`{name}` was gathered for `{word}`; use `{word}({name})`"),
                );
            }
            ExprKind::Local(id) if is_carried(kernel, *id) => {}
            _ => {
                errors.at(arg.span, format_args!("`{}` combines what lanes gathered in a variable; this value is the same in every work-item already", reduce.word()));
                e.children(&mut |child| uses_in(kernel, child, gathered, errors));
            }
        },
        _ => e.children(&mut |child| uses_in(kernel, child, gathered, errors)),
    }
}

/// Whether lanes assign a variable from outside, which was reported where they do.
fn is_carried(kernel: &Kernel, id: LocalId) -> bool {
    let mut carried = false;
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            let inside = declared(&lanes.body);
            walk(&lanes.body, &mut |stmt| {
                carried |= target(stmt) == Some(id) && !inside.contains(&id)
            });
        }
    });
    carried
}

/// Variables that a block declares, loop indices included.
fn declared(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut ids = BTreeSet::new();
    walk(block, &mut |stmt| match &stmt.kind {
        StmtKind::Let(id, _) => {
            ids.insert(*id);
        }
        StmtKind::For(f) => {
            ids.insert(f.index);
        }
        StmtKind::Lanes(l) => {
            ids.insert(l.index);
        }
        _ => {}
    });
    ids
}

/// The variable that a statement assigns.
fn target(stmt: &Stmt) -> Option<LocalId> {
    match stmt.kind {
        StmtKind::Assign(id, _) | StmtKind::Update(id, ..) => Some(id),
        _ => None,
    }
}

/// Variables that are assigned after their declaration.
pub(crate) fn changing(kernel: &Kernel) -> BTreeSet<LocalId> {
    let mut ids = BTreeSet::new();
    for block in [&kernel.host, &kernel.body] {
        walk(block, &mut |stmt| match &stmt.kind {
            StmtKind::Let(id, None) => {
                ids.insert(*id);
            }
            _ => ids.extend(target(stmt)),
        });
    }
    ids
}

/// `0.0` as it stands: `-0.0` would show in an empty sum.
fn is_zero(e: &Expr) -> bool {
    match e.kind {
        ExprKind::Float(value) => value.to_bits() == 0,
        ExprKind::Int(value) => value == 0,
        _ => false,
    }
}
