//! The sizes that kernels are measured at: those of models, by the names of parameters.

use std::collections::{BTreeMap, BTreeSet};

use oxysycl_codegen::ir::{Kernel as Ir, Param, ParamId, ParamKind, Scalar};

use crate::check::draw::{Role, roles};

/// Numbers of rows: of tokens when a model decodes, and when it reads a prompt.
const ROWS: &[i64] = &[1, 16, 64, 512, 2048];
/// Lengths of flat buffers: so many rows of [`WIDTH`].
const LENGTHS: &[i64] = &[4096, 65_536, 262_144, 2_097_152, 8_388_608];
/// Width of a row whose parameter has a name that is not known.
const WIDTH: &[i64] = &[4096];

/// Names of numbers of rows; here and below whatever the case of their letters.
const ROW_NAMES: [&str; 3] = ["num_tokens", "num_rows", "batch_size"];
/// Names of lengths of tables whose rows are chosen by indices. They have as many rows as the other buffers, so that what is
/// touched of them is what is rotated.
const TABLE_NAMES: [&str; 2] = ["num_positions", "num_slots"];
/// What a parameter of a name is; of one kernel alone, where that is before a dot.
const NAMED: [(&str, &[i64]); 12] = [
    ("timestep_embedding.dim", &[256]),
    ("numel", LENGTHS),
    ("hidden_size", WIDTH),
    ("width", WIDTH),
    ("dim", &[11_008]),
    ("num_qo_heads", &[32]),
    ("num_kv_heads", &[8]),
    ("head_dim", &[128]),
    ("rope_dim", &[128]),
    ("group_size", &[128]),
    ("num_groups", &[32]),
    ("max_period", &[10_000]),
];

/// Which parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// The next const parameter.
    Const,
    Param(ParamId),
}

/// A parameter with the values that it takes.
#[derive(Clone, Debug)]
struct Axis {
    slot: Slot,
    name: String,
    values: Vec<i64>,
    usual: Usual,
}

/// What a parameter is if nobody asks for anything else.
#[derive(Clone, Debug, PartialEq)]
enum Usual {
    /// Numbers of rows.
    Rows,
    /// As many as there are rows.
    AsRows,
    /// Anything else with these values.
    Values(Vec<i64>),
}

impl Usual {
    fn values(&self) -> Vec<i64> {
        match self {
            Self::Rows => ROWS.to_vec(),
            // Known when all others are chosen.
            Self::AsRows => vec![0],
            Self::Values(values) => values.clone(),
        }
    }
}

/// One choice of all sizes of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sizes {
    /// Const parameters, in order; `bool` as 0 or 1.
    pub(crate) consts: Vec<i64>,
    /// Scalar arguments that are chosen.
    pub(crate) params: BTreeMap<ParamId, i64>,
    /// All of these by name, in the kernel's order.
    pub(crate) named: Vec<(String, i64)>,
    /// Those among them of which several values are measured.
    pub(crate) varied: Vec<(String, i64)>,
}

/// Sizes that a user asks for: a parameter's name with its values.
pub(crate) type Asked = (String, Vec<i64>);

/// Why there are no such sizes.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum SizeError {
    #[error("there is no parameter `{name}` that is a whole number; there are {known}", known = known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error("{kernel}: {name}={value} is no {ty}")]
    Range {
        kernel: String,
        name: String,
        value: i64,
        ty: Scalar,
    },
}

/// Every choice of the sizes of `ir`, those of later parameters changing fastest: what `asked` says of them, and for all others what is
/// usual. What it says of other parameters is for other kernels.
pub(crate) fn choices(ir: &Ir, asked: &[Asked]) -> Result<Vec<Sizes>, SizeError> {
    let axes = axes(ir, asked)?;
    let mut choices = vec![Vec::new()];
    for axis in &axes {
        let with = |head: &Vec<i64>| -> Vec<Vec<i64>> {
            let values = axis.values.iter();
            values.map(|value| [&head[..], &[*value]].concat()).collect()
        };
        choices = choices.iter().flat_map(with).collect();
    }
    Ok(choices.iter().map(|values| sizes(&axes, values, asked)).collect())
}

/// `values` as the values of `axes`, with the sizes of tables that nobody asked for.
fn sizes(axes: &[Axis], values: &[i64], asked: &[Asked]) -> Sizes {
    let mut sizes = Sizes::default();
    let rows = axes
        .iter()
        .zip(values)
        .find(|(axis, _)| axis.usual == Usual::Rows);
    let rows = rows.map_or(1, |(_, rows)| (*rows).max(1));
    for (axis, value) in axes.iter().zip(values) {
        let is_asked = asked.iter().any(|(asked, _)| *asked == axis.name);
        let value = if axis.usual == Usual::AsRows && !is_asked {
            rows
        } else {
            *value
        };
        match axis.slot {
            Slot::Const => sizes.consts.push(value),
            Slot::Param(id) => _ = sizes.params.insert(id, value),
        }
        sizes.named.push((axis.name.clone(), value));
        if axis.values.len() > 1 {
            sizes.varied.push((axis.name.clone(), value));
        }
    }
    sizes
}

/// The parameters that are sizes, and others that somebody asks for.
fn axes(ir: &Ir, asked: &[Asked]) -> Result<Vec<Axis>, SizeError> {
    let roles = roles(ir);
    let mut axes = Vec::new();
    let mut add = |slot, name: &String, ty, usual: Option<Usual>| {
        let asked = self::asked(ir, asked, name, ty)?;
        if let Some(values) = asked.or_else(|| usual.as_ref().map(Usual::values)) {
            axes.push(Axis {
                slot,
                name: name.clone(),
                values,
                usual: usual.unwrap_or(Usual::Values(Vec::new())),
            });
        }
        Ok(())
    };
    for param in &ir.consts {
        let usual = named(ir, &param.name).unwrap_or_else(|| match (param.ty, param.instances.first()) {
            (Scalar::Bool, _) => Usual::Values(vec![1]),
            (_, Some(instance)) => Usual::Values(vec![*instance]),
            (_, None) => Usual::Values(WIDTH.to_vec()),
        });
        add(Slot::Const, &param.name, param.ty, Some(usual))?;
    }
    for (id, param) in ir.params.iter().enumerate() {
        let ty = match param.kind {
            ParamKind::Scalar(ty) if ty != Scalar::F32 => ty,
            ParamKind::Scalar(_) | ParamKind::Buffer(_) => continue,
        };
        let usual = named(ir, &param.name).or_else(|| match roles[id] {
            Role::Rows => Some(Usual::Rows),
            Role::Length => Some(Usual::Values(LENGTHS.to_vec())),
            Role::Width => Some(Usual::Values(WIDTH.to_vec())),
            Role::Listed => Some(Usual::Values(vec![param.values[0]])),
            Role::Stride | Role::Other => None,
        });
        add(Slot::Param(id), &param.name, ty, usual)?;
    }
    Ok(axes)
}

/// What a parameter of this name is, if the name is known.
fn named(ir: &Ir, name: &str) -> Option<Usual> {
    let name = name.to_lowercase();
    let of_kernel = format!("{}.{name}", ir.name);
    let list = |wanted: &str| Some(NAMED.iter().find(|(known, _)| *known == wanted)?.1.to_vec());
    match name.as_str() {
        name if ROW_NAMES.contains(&name) => Some(Usual::Rows),
        name if TABLE_NAMES.contains(&name) => Some(Usual::AsRows),
        name => list(&of_kernel).or_else(|| list(name)).map(Usual::Values),
    }
}

/// What is asked for the parameter `name`.
fn asked(ir: &Ir, asked: &[Asked], name: &str, ty: Scalar) -> Result<Option<Vec<i64>>, SizeError> {
    let Some((_, values)) = asked.iter().rev().find(|(asked, _)| asked == name) else {
        return Ok(None);
    };
    let (low, high) = ty.range().unwrap_or((0, 1));
    match values
        .iter()
        .find(|value| !(low..=high).contains(&i128::from(**value)))
    {
        None => Ok(Some(values.clone())),
        Some(value) => Err(SizeError::Range {
            kernel: ir.name.clone(),
            name: name.to_owned(),
            value: *value,
            ty,
        }),
    }
}

/// The parameters of `ir` that sizes can be asked for: whole numbers.
fn known(ir: &Ir) -> impl Iterator<Item = &String> {
    let whole = |param: &&Param| matches!(param.kind, ParamKind::Scalar(ty) if ty != Scalar::F32);
    let params = ir.params.iter().filter(whole).map(|param| &param.name);
    ir.consts.iter().map(|param| &param.name).chain(params)
}

/// Refuses what is asked for a parameter that none of the kernels has.
pub(crate) fn expect_known<'a>(
    kernels: impl Iterator<Item = &'a Ir>,
    asked: &[Asked],
) -> Result<(), SizeError> {
    let known: BTreeSet<&String> = kernels.flat_map(known).collect();
    match asked.iter().find(|(name, _)| !known.contains(name)) {
        None => Ok(()),
        Some((name, _)) => Err(SizeError::Unknown {
            name: name.clone(),
            known: known.into_iter().cloned().collect(),
        }),
    }
}
