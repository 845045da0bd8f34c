//! Programs as text, for reviews and tests. Nothing reads it back.

mod expr;
mod launch;
mod stmt;

use std::fmt::{self, Display, Formatter};

use self::stmt::block;
use super::{Function, Given, ParamKind, Place, Program, Register, RegisterId};
use crate::ir::{Element, LocalId, RowId};

/// Names that are no others: two variables of one name are told apart by a number.
struct Names<'p> {
    program: Option<&'p Program>,
    locals: Vec<String>,
    rows: Vec<String>,
    registers: Vec<String>,
}

impl<'p> Names<'p> {
    fn of(program: &'p Program) -> Names<'p> {
        Names {
            program: Some(program),
            locals: distinct(program.locals.iter().map(|local| &*local.name)),
            rows: distinct(program.rows.iter().map(|row| &*row.name)),
            registers: distinct(program.registers.iter().map(|register| &*register.name)),
        }
    }

    fn of_function(function: &Function) -> Names<'p> {
        Names {
            program: None,
            locals: distinct(function.locals.iter().map(|local| &*local.name)),
            rows: Vec::new(),
            registers: Vec::new(),
        }
    }

    fn program(&self) -> &'p Program {
        self.program.expect("functions know scalars alone")
    }

    fn local(&self, id: LocalId) -> &str {
        &self.locals[id]
    }

    fn param(&self, id: usize) -> &'p str {
        &self.program().params[id].name
    }

    fn row(&self, id: RowId) -> &str {
        &self.rows[id]
    }

    fn register(&self, id: RegisterId) -> &str {
        &self.registers[id]
    }

    fn place(&self, place: Place) -> &str {
        match place {
            Place::Buffer(id) => self.param(id),
            Place::Row(id) => self.row(id),
            Place::Register(id) => self.register(id),
        }
    }

    fn element(&self, element: &Element) -> String {
        match element {
            Element::Param(id) => self.program().types[*id].clone(),
            Element::DType(dtype) => dtype.rust().to_owned(),
        }
    }
}

fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut given: Vec<(&str, String)> = Vec::new();
    for name in names {
        let text = match given.iter().filter(|(known, _)| *known == name).count() {
            0 => name.to_owned(),
            before => format!("{name}.{}", before + 1),
        };
        given.push((name, text));
    }
    given.into_iter().map(|(_, text)| text).collect()
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = Names::of(self);
        for function in &self.functions {
            write_function(f, function)?;
        }
        let types = self.types.iter().cloned();
        let consts = self.consts.iter().map(|c| format!("{}: {}", c.name, c.ty));
        let params: Vec<String> = self
            .params
            .iter()
            .map(|p| format!("{}: {}", p.name, kind(&p.kind, &names)))
            .collect();
        let of: Vec<String> = types.chain(consts).collect();
        writeln!(
            f,
            "kernel {}<{}>({})",
            self.name,
            of.join(", "),
            params.join(", ")
        )?;
        let choices = &self.choices;
        match choices.sub_group {
            Some(size) => writeln!(f, "  sub-group {size}")?,
            None => writeln!(f, "  sub-group any")?,
        }
        let reduction = &choices.reduction;
        writeln!(
            f,
            "  reductions by {} work-items or more, {} elements in a run or fewer",
            reduction.work_items, reduction.run
        )?;
        launch::launch(f, &self.launch, &names)?;
        if let Some(drop_in) = &self.drop_in {
            let params: Vec<String> = drop_in
                .params
                .iter()
                .map(|p| format!("{}: {}", p.name, kind(&p.kind, &names)))
                .collect();
            writeln!(f, "\ndrop-in {}({})", drop_in.symbol, params.join(", "))?;
            for (id, given) in drop_in.given.iter().enumerate() {
                let from = match given {
                    Given::Passed(at) => drop_in.params[*at].name.clone(),
                    Given::Value(value) => expr::of_params(value, &drop_in.params),
                    Given::Unbounded => "unbounded".to_owned(),
                };
                writeln!(f, "  {} = {from}", names.param(id))?;
            }
        }
        writeln!(f, "\nwork-item")?;
        block(f, &self.body, &self.locals, &names, 1)
    }
}

fn write_function(f: &mut Formatter<'_>, function: &Function) -> fmt::Result {
    let names = Names::of_function(function);
    let params: Vec<String> = function
        .params
        .iter()
        .map(|(id, _)| format!("{}: {}", names.local(*id), function.locals[*id].ty))
        .collect();
    writeln!(
        f,
        "fn {}({}) -> {}",
        function.path,
        params.join(", "),
        function.returns
    )?;
    block(f, &function.body, &function.locals, &names, 1)?;
    writeln!(f, "  {}\n", expr::text(&function.value, &names))
}

fn kind(kind: &ParamKind, names: &Names<'_>) -> String {
    match kind {
        ParamKind::Scalar(ty) => ty.to_string(),
        ParamKind::Buffer {
            element,
            mutable,
            optional,
        } => {
            let mutable = if *mutable { "mut " } else { "" };
            let optional = if *optional { "?" } else { "" };
            format!("&{mutable}[{}]{optional}", names.element(element))
        }
    }
}

/// `[f16; 2 * W]`, with `W` for the vector width.
fn register(register: &Register, names: &Names<'_>) -> String {
    let width = match register.step {
        1 => "W".to_owned(),
        step => format!("{step} * W"),
    };
    format!("[{}; {width}]", names.element(&register.element))
}
