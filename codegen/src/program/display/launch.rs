//! Launchers, one step to a line.

use std::fmt::{self, Formatter};

use super::Names;
use super::expr::text;
use super::stmt::block;
use crate::program::{
    Condition, Dealing, Expr, Extent, Launch, Member, Most, Region, Step, Subject, WorkGroup,
};

pub(super) fn launch(f: &mut Formatter<'_>, launch: &Launch, names: &Names<'_>) -> fmt::Result {
    let params: Vec<&str> = launch.params.iter().map(|id| names.param(*id)).collect();
    writeln!(f, "\nlaunch({})", params.join(", "))?;
    for step in &launch.steps {
        write_step(f, step, names)?;
    }
    if let Some(width) = &launch.width {
        let most = match &width.most {
            Most::Elements(elements) => elements.to_string(),
            Most::Bytes(bytes, elements) => {
                let elements: Vec<String> = elements.iter().map(|e| names.element(e)).collect();
                format!("{bytes} bytes of the widest of {}", elements.join(", "))
            }
        };
        write!(f, "  W = {most}")?;
        if !width.rows.is_empty() {
            write!(f, ", halved until it divides {}", list(&width.rows, names))?;
        }
        writeln!(f)?;
    }
    for decision in &launch.decisions {
        let subject = match decision.subject {
            Subject::Param(id) => names.param(id).to_owned(),
            Subject::Given(id) => format!("{} is given", names.param(id)),
        };
        writeln!(f, "  decide {subject}: {} of {:?}", decision.ty, decision.values)?;
    }
    for variant in &launch.variants {
        let conditions: Vec<String> = variant
            .conditions
            .iter()
            .map(|condition| match condition {
                Condition::NoCpu => "the device is no CPU".to_owned(),
                Condition::Aligned(id) => format!("{} is aligned", names.param(*id)),
                Condition::Multiple(number) => format!("W divides {}", text(number, names)),
            })
            .collect();
        let width = if variant.vectors { "W" } else { "W = 1" };
        match &conditions[..] {
            [] => writeln!(f, "  submit with {width}")?,
            _ => writeln!(f, "  submit with {width} if {}", conditions.join(" and "))?,
        }
    }
    let members: Vec<&str> = launch
        .members
        .iter()
        .map(|member| match member {
            Member::Param(id) => names.param(*id),
            Member::Local(id) => names.local(*id),
        })
        .collect();
    writeln!(f, "  hand over {}", members.join(", "))?;
    let grid = &launch.grid;
    let WorkGroup { cpu, gpu } = grid.work_group;
    let shared = match &grid.shared[..] {
        [] => "1".to_owned(),
        several => list(several, names),
    };
    let rows = match &grid.rows {
        Some(factors) => {
            let factors: Vec<String> = factors.iter().map(|e| format!("({})", text(e, names))).collect();
            factors.join(" * ")
        }
        None => "one row".to_owned(),
    };
    let dealing = match grid.dealing {
        Dealing::Together => "a row to a work-group",
        Dealing::Apart => "short rows together in a work-group",
        Dealing::Split => "short rows together in a work-group, long rows split",
    };
    writeln!(
        f,
        "  work-group of {gpu} or fewer on a GPU, {cpu} on a CPU, for {shared}"
    )?;
    match grid.short_row {
        Some(most) => writeln!(
            f,
            "  {rows}, {dealing}, of {most} vectors or fewer to a sub-group"
        ),
        None => writeln!(f, "  {rows}, {dealing}"),
    }
}

fn write_step(f: &mut Formatter<'_>, step: &Step, names: &Names<'_>) -> fmt::Result {
    match step {
        Step::NullQueue => writeln!(f, "  refuse a null queue"),
        Step::Values(id, _, values) => writeln!(f, "  refuse {} if none of {values:?}", names.param(*id)),
        Step::NegativeConst(id) => writeln!(f, "  assert {} >= 0", names.program().consts[*id].name),
        Step::Given(id) => writeln!(f, "  note whether {} is given", names.param(*id)),
        Step::Negative(id) => writeln!(f, "  refuse {} if negative", names.param(*id)),
        Step::Host(stmt) => block(f, std::slice::from_ref(stmt), &names.program().locals, names, 1),
        Step::NoGroups(axes) => {
            let none = |(e, negative): &(Expr, bool)| {
                let none = if *negative { "<=" } else { "==" };
                format!("{} {none} 0", text(e, names))
            };
            let none: Vec<String> = axes.iter().map(none).collect();
            writeln!(f, "  return if {}", none.join(" or "))
        }
        Step::TooManyGroups(a, b) => writeln!(
            f,
            "  refuse a grid where ({}) * ({}) overflows",
            text(a, names),
            text(b, names)
        ),
        Step::Region(region) => write_region(f, region, names),
        Step::NoElements(buffers) => {
            let buffers: Vec<&str> = buffers.iter().map(|id| names.param(*id)).collect();
            writeln!(f, "  return if no elements in {}", buffers.join(" or "))
        }
        Step::Unusable(id) => writeln!(
            f,
            "  refuse {} if null, too large or misaligned",
            names.param(*id)
        ),
        Step::RowsOverlap(id) => writeln!(f, "  refuse {} if its rows overlap", names.param(*id)),
        Step::Overlap { buffer, other, alias } => {
            let but = if *alias { ", unless they are the same" } else { "" };
            writeln!(
                f,
                "  refuse {} if it overlaps {}{but}",
                names.param(*buffer),
                names.param(*other)
            )
        }
        Step::Queue => writeln!(f, "  use the queue"),
        Step::SubGroup(size) => writeln!(f, "  refuse a device without sub-groups of {size}"),
    }
}

fn write_region(f: &mut Formatter<'_>, region: &Region, names: &Names<'_>) -> fmt::Result {
    write!(f, "  region of {}:", names.param(region.buffer))?;
    for dim in &region.dims {
        write!(
            f,
            " {} by {},",
            extent(&dim.extent, names),
            product(&dim.stride, names)
        )?;
    }
    writeln!(f, " {}", product(&region.run, names))
}

fn product(factors: &[Extent], names: &Names<'_>) -> String {
    let factors: Vec<String> = factors.iter().map(|e| extent(e, names)).collect();
    factors.join(" * ")
}

fn extent(extent: &Extent, names: &Names<'_>) -> String {
    let untold: Vec<&str> = extent.untold.iter().map(|id| names.param(*id)).collect();
    match &untold[..] {
        [] => format!("({})", text(&extent.value, names)),
        _ => format!(
            "({}, or 1 without {})",
            text(&extent.value, names),
            untold.join(", ")
        ),
    }
}

fn list(numbers: &[Expr], names: &Names<'_>) -> String {
    let numbers: Vec<String> = numbers.iter().map(|e| text(e, names)).collect();
    numbers.join(", ")
}
