//! One call of a kernel, to be checked.

use std::fmt;

use oxysycl_codegen::eval::Values;
use oxysycl_codegen::ir::{Kernel, ParamId};
use oxysycl_codegen::source::Constant;

/// One call of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Const parameters, in order.
    pub(crate) consts: Vec<i64>,
    /// Scalar arguments by parameter; `None` for buffers.
    pub(crate) scalars: Vec<Option<Constant>>,
    /// How the buffers lie in memory.
    pub(crate) layout: Layout,
    /// Optional buffers that are not given.
    pub(crate) absent: Vec<ParamId>,
    /// Decides the contents of the buffers.
    pub(crate) seed: u64,
}

/// How buffers lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) spacing: Spacing,
    /// Buffers begin one element after an aligned address.
    pub(crate) shifted: bool,
    /// Buffers that may be one, by `alias(..)`, are.
    pub(crate) in_place: bool,
}

/// How far rows lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// One after the other.
    Dense,
    /// With gaps that keep rows aligned.
    Padded,
    /// With gaps such that no vector is aligned in every row.
    Odd,
}

impl Case {
    /// What sizes and assertions follow from.
    pub(crate) fn values(&self) -> Values {
        let mut values = Values {
            consts: self.consts.clone(),
            ..Values::default()
        };
        for (id, scalar) in self.scalars.iter().enumerate() {
            match scalar {
                None => {}
                Some(Constant::Bool(value)) => _ = values.params.insert(id, (*value).into()),
                Some(Constant::F32(value)) => _ = values.float_params.insert(id, *value),
                Some(Constant::Integer(_, value)) => {
                    let value = i64::try_from(*value).expect("cases are drawn from such numbers");
                    values.params.insert(id, value);
                }
            }
        }
        values
    }

    /// The case in words, such as `HIDDEN_SIZE=769 num_tokens=33 eps=1e-6, in place`.
    pub(crate) fn describe(&self, ir: &Kernel) -> String {
        let consts = ir
            .consts
            .iter()
            .zip(&self.consts)
            .map(|(c, value)| format!("{}={value}", c.name));
        let scalars = ir.params.iter().zip(&self.scalars).filter_map(|(param, scalar)| {
            let value = match scalar.as_ref()? {
                Constant::Bool(value) => value.to_string(),
                Constant::Integer(_, value) => value.to_string(),
                Constant::F32(value) => format!("{value:?}"),
            };
            Some(format!("{}={value}", param.name))
        });
        let words: Vec<String> = consts.chain(scalars).collect();
        let absent = self.absent.iter().map(|id| &ir.params[*id].name);
        let absent: String = absent.map(|name| format!(", without {name}")).collect();
        format!("{}{}{absent}", words.join(" "), self.layout)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shifted {
            f.write_str(", unaligned")?;
        }
        if self.in_place {
            f.write_str(", in place")?;
        }
        Ok(())
    }
}
