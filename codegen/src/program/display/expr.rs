//! Expressions: every operator in parentheses, but for the outermost.

use super::Names;
use crate::ir::{Binary, Unary};
use crate::program::{Expr, ExprKind, Param, WorkItem};

/// An expression of a program, or of a function.
pub(super) fn text(e: &Expr, names: &Names<'_>) -> String {
    write(e, &|e| match &e.kind {
        ExprKind::Local(id) => names.local(*id).to_owned(),
        ExprKind::Param(id) => names.param(*id).to_owned(),
        ExprKind::Const(id) => names.program().consts[*id].name.clone(),
        ExprKind::IsNull(id) => format!("{}.is_null", names.param(*id)),
        ExprKind::Load(memory, _) => names.place(memory.place).to_owned(),
        _ => String::new(),
    })
}

/// An expression of parameters alone.
pub(super) fn of_params(e: &Expr, params: &[Param]) -> String {
    write(e, &|e| match &e.kind {
        ExprKind::Param(id) => params[*id].name.clone(),
        _ => String::new(),
    })
}

fn write(e: &Expr, name: &dyn Fn(&Expr) -> String) -> String {
    let outer = |e: &Expr| write(e, name);
    let inner = |e: &Expr| match e.kind {
        ExprKind::Binary(..) | ExprKind::Guarded(..) | ExprKind::Select(..) | ExprKind::Cast(_) => {
            format!("({})", write(e, name))
        }
        _ => write(e, name),
    };
    let list = |args: &[Expr]| args.iter().map(outer).collect::<Vec<_>>().join(", ");
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Local(_) | ExprKind::Param(_) | ExprKind::Const(_) | ExprKind::IsNull(_) => name(e),
        ExprKind::Width => "W".to_owned(),
        ExprKind::WorkItem(item) => work_item(*item).to_owned(),
        ExprKind::Unary(op, a) => {
            let token = match op {
                Unary::Neg => "-",
                Unary::Not => "!",
            };
            format!("{token}{}", inner(a))
        }
        ExprKind::Binary(op, a, b) => format!("{} {} {}", inner(a), op.token(), inner(b)),
        ExprKind::Guarded(op, a, b) => format!("{} {} {}", inner(a), guarded(*op), inner(b)),
        ExprKind::Cast(a) => format!("{} as {}", inner(a), e.ty),
        ExprKind::Carried(a) => format!("carried({})", outer(a)),
        ExprKind::Math(math, args) => format!("{}({})", math.name(), list(args)),
        ExprKind::Call(path, args) => format!("{path}({})", list(args)),
        ExprKind::Select(condition, a, b) => {
            format!("if {} then {} else {}", outer(condition), outer(a), outer(b))
        }
        ExprKind::Load(_, index) => format!("{}[{}]", name(e), outer(index)),
    }
}

/// `+%` wraps around, as the other guarded operators do what [`ExprKind::Guarded`] says.
fn guarded(op: Binary) -> String {
    format!("{}%", op.token())
}

fn work_item(item: WorkItem) -> &'static str {
    match item {
        WorkItem::Lane => "lane_id",
        WorkItem::Lanes => "lane_range",
        WorkItem::Part => "part",
        WorkItem::Row => "row_id",
        WorkItem::Rows => "row_range",
    }
}
