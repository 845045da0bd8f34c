//! Rule 2: what lanes gather, and rule 1: who may look at it.
//!
//! On a device each work-item of a row holds only its own part of a variable that lanes add to. Natively that is
//! invisible, so it is checked here.

use std::collections::{BTreeMap, BTreeSet};

use super::scan;
use super::search::{self, Searches};
use crate::diagnostics::Errors;
use crate::ir::{
    Binary, Combines, Expr, ExprKind, Kernel, LocalId, Math, Reduce, Scalar, Stmt, StmtId, StmtKind, Type,
    reads, walk,
};

/// Variables that lanes gather into, with the reduction that combines the parts.
pub(super) type Accumulators = BTreeMap<LocalId, Reduce>;

/// Finds what a kernel gathers over lanes and checks every use of it.
pub(crate) fn check(kernel: &Kernel, errors: &mut Errors) {
    no_host_variables(kernel, errors);
    let searches = search::check(kernel, errors);
    let mut gathered = searches.extremes();
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            assignments(kernel, &lanes.body, &searches, &mut gathered, errors);
        }
    });
    starts(kernel, &gathered, errors);
    scan::check(kernel, &gathered, errors);
    no_assignments_outside(kernel, &gathered, &searches, errors);
    uses(kernel, &gathered, &searches, errors);
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
fn assignments(
    kernel: &Kernel,
    body: &[Stmt],
    searches: &Searches,
    gathered: &mut Accumulators,
    errors: &mut Errors,
) {
    let inside = declared(body);
    let near = near_searches(kernel, body, &inside, searches, errors);
    walk(body, &mut |stmt| {
        let Some(id) = target(stmt).filter(|id| !inside.contains(id)) else {
            return;
        };
        if searches.is_part(stmt) || near.contains(&stmt.id) {
            return;
        }
        let name = &kernel.locals[id].name;
        if let Some(said) = searches.described(kernel, id) {
            return errors.at(
                stmt.span,
                format_args!("{said}, and changes in no other way; use a second variable"),
            );
        }
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

/// Reports what looks like a search and is none: an `if` that compares with one of several variables from outside that are
/// assigned in it. Gives those assignments.
fn near_searches(
    kernel: &Kernel,
    body: &[Stmt],
    inside: &BTreeSet<LocalId>,
    searches: &Searches,
    errors: &mut Errors,
) -> BTreeSet<StmtId> {
    let mut near = BTreeSet::new();
    walk(body, &mut |stmt| {
        let StmtKind::If(cond, then, otherwise) = &stmt.kind else {
            return;
        };
        let outer = |part: &&Stmt| {
            let assigned = matches!(part.kind, StmtKind::Assign(id, _) if !inside.contains(&id));
            assigned && !searches.is_part(part)
        };
        let parts: Vec<&Stmt> = then.iter().chain(otherwise).filter(outer).collect();
        let compared = parts
            .iter()
            .filter_map(|part| target(part))
            .find(|id| reads(cond, *id));
        let Some(compared) = compared.filter(|_| parts.len() > 1) else {
            return;
        };
        near.extend(parts.iter().map(|part| part.id));
        let name = &kernel.locals[compared].name;
        errors.at(stmt.span, format_args!("this would carry `{name}` from lane to lane, but lanes run at the same time; the first largest value and its place are found by `if v > {name} {{ {name} = v; place = i; }}`, with `i` the lane, and the first smallest by `<`, with nothing else in the `if`"));
    });
    near
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
}

/// What is gathered changes in lanes alone.
fn no_assignments_outside(
    kernel: &Kernel,
    gathered: &Accumulators,
    searches: &Searches,
    errors: &mut Errors,
) {
    for stmt in outside_lanes(&kernel.body) {
        let Some(id) = target(stmt) else { continue };
        let name = &kernel.locals[id].name;
        let call = match (gathered.get(&id), searches.place_call(kernel, id)) {
            (_, Some(call)) => call,
            (Some(reduce), None) => format!("{}({name})", reduce.word()),
            (None, None) => continue,
        };
        errors.at(
            stmt.span,
            format_args!("`{name}` is gathered over lanes; bind what `{call}` gives to a new name"),
        );
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
fn uses(kernel: &Kernel, gathered: &Accumulators, searches: &Searches, errors: &mut Errors) {
    let mut check = |e: &Expr| {
        uses_in(kernel, e, gathered, searches, errors);
    };
    walk(&kernel.body, &mut |stmt| match searches.found(stmt) {
        // It compares with what it has gathered so far.
        Some(search) => search
            .conditions
            .into_iter()
            .chain([search.value, search.at])
            .for_each(&mut check),
        None => stmt.exprs(&mut check),
    });
}

fn uses_in(kernel: &Kernel, e: &Expr, gathered: &Accumulators, searches: &Searches, errors: &mut Errors) {
    let name = |id: LocalId| &kernel.locals[id].name;
    match &e.kind {
        ExprKind::Local(id) => {
            if let Some(call) = searches.place_call(kernel, *id) {
                let name = name(*id);
                errors.at(e.span, format_args!("each work-item has only looked among its own lanes for `{name}`; `{call}` gives the place in the row after the loop"));
            } else if let Some(reduce) = gathered.get(id) {
                let (name, word) = (name(*id), reduce.word());
                errors.at(e.span, format_args!("each work-item holds only its own part of `{name}`; combine it with `{word}({name})` after the loop"));
            }
        }
        ExprKind::ScanSum(sum) if matches!(sum.kind, ExprKind::Local(_) | ExprKind::Invalid) => {}
        ExprKind::ReducePlace(reduce, extreme, place) => {
            // What is no search is reported where lanes assign it.
            let is_reported = |id| searches.place_call(kernel, id).is_none() && is_carried(kernel, id);
            if !matches!(place.kind, ExprKind::Local(id) if is_reported(id)) {
                searches.check_place(kernel, (*reduce, extreme, place), e.span, errors);
            }
        }
        ExprKind::Reduce(reduce, arg) => match &arg.kind {
            ExprKind::Invalid => {}
            ExprKind::Local(id) if gathered.get(id) == Some(reduce) => {}
            ExprKind::Local(id) if searches.place_call(kernel, *id).is_some() => {
                uses_in(kernel, arg, gathered, searches, errors);
            }
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
                e.children(&mut |child| uses_in(kernel, child, gathered, searches, errors));
            }
        },
        _ => e.children(&mut |child| uses_in(kernel, child, gathered, searches, errors)),
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
pub(super) fn declared(block: &[Stmt]) -> BTreeSet<LocalId> {
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
pub(super) fn target(stmt: &Stmt) -> Option<LocalId> {
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
