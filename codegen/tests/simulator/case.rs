//! What one launch is given: numbers, memory, and how lanes are dealt.

use fastrand::Rng;
use oxysycl_codegen::Checked;
use oxysycl_codegen::ir::{
    Buffer, DType, Dim, Element, Expr, ExprKind, Kernel, ParamId, ParamKind, Scalar, StmtKind, walk,
};

use crate::value::Value;

/// How the lanes of a loop are dealt to work-items: the same for every loop with as many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dealing {
    /// In chunks of a vector, round robin; what does not fill a vector one by one.
    Vectors(i128),
    /// Each work-item has neighbouring lanes.
    Blocks,
    /// In any way, by a seed.
    Any(u64),
}

impl Dealing {
    /// The work-item of a lane.
    pub(crate) fn item(self, lane: i128, extent: i128, items: usize) -> usize {
        let items_wide = items as i128;
        let item = match self {
            Dealing::Vectors(width) => {
                let whole = extent / width * width;
                if lane < whole {
                    lane / width % items_wide
                } else {
                    (lane - whole) % items_wide
                }
            }
            Dealing::Blocks => lane * items_wide / extent,
            Dealing::Any(seed) => return mixed(&[seed, lane as u64, extent as u64]) as usize % items,
        };
        item as usize
    }
}

/// One launch.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Scalar arguments by parameter; buffers have none.
    pub(crate) args: Vec<Value>,
    /// Const parameters.
    pub(crate) consts: Vec<Value>,
    /// Whether optional buffers are given.
    pub(crate) given: Vec<bool>,
    /// Chooses what is in the buffers.
    pub(crate) data: u64,
    /// Whether floats may be infinite or NaN.
    pub(crate) wild: bool,
    /// Whether buffers that may be one are.
    pub(crate) aliased: bool,
    pub(crate) items: usize,
    pub(crate) dealing: Dealing,
}

/// A buffer's elements.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) values: Vec<Value>,
    /// Which elements are inside the shape; `None` where any may be read.
    pub(crate) inside: Option<Vec<bool>>,
}

/// Elements behind the shape of a buffer that is only read.
const BEHIND: usize = 64;

impl Case {
    /// Draws a launch for a kernel. Strides of written buffers keep rows apart.
    pub(crate) fn draw(kernel: &Kernel, rng: &mut Rng) -> Case {
        let sizes = kernel.sizes();
        let args = kernel
            .params
            .iter()
            .enumerate()
            .map(|(id, param)| match &param.kind {
                ParamKind::Buffer(_) => Value::Unset,
                ParamKind::Scalar(Scalar::F32) => Value::Float([0.0, 1.0, -2.0, 0.5][rng.usize(0..4)]),
                ParamKind::Scalar(Scalar::Bool) => Value::Bool(rng.bool()),
                ParamKind::Scalar(_) if !param.values.is_empty() => {
                    Value::Int(param.values[rng.usize(0..param.values.len())].into())
                }
                ParamKind::Scalar(ty) => Value::Int(if sizes.contains(&id) || !ty.is_signed() {
                    [0, 1, 2, 2, 3, 3, 4, 5, 7][rng.usize(0..9)]
                } else {
                    [-1, 0, 0, 1, 1, 2, 3][rng.usize(0..7)]
                }),
            });
        let mut case = Case {
            args: args.collect(),
            consts: kernel
                .consts
                .iter()
                .map(|param| match param.ty {
                    Scalar::Bool => Value::Bool(rng.bool()),
                    _ => Value::Int([1, 2, 3, 4, 8][rng.usize(0..5)]),
                })
                .collect(),
            given: kernel.params.iter().map(|_| rng.bool()).collect(),
            data: rng.u64(..),
            wild: rng.u8(0..6) == 0,
            aliased: false,
            items: [2, 3, 4, 16][rng.usize(0..4)],
            dealing: match rng.u8(0..8) {
                0 => Dealing::Blocks,
                1 => Dealing::Any(rng.u64(..)),
                2..5 => Dealing::Vectors(1),
                _ => Dealing::Vectors([2, 4, 8][rng.usize(0..3)]),
            },
        };
        case.draw_strides(kernel, rng);
        case
    }

    /// Gives every parameter that is a stride a value from which rows do not overlap.
    fn draw_strides(&mut self, kernel: &Kernel, rng: &mut Rng) {
        for (_, buffer) in kernel.buffers() {
            let mut inner = 1;
            for dim in buffer.shape.iter().rev() {
                if let Some(Expr {
                    kind: ExprKind::Param(id),
                    ..
                }) = &dim.stride
                {
                    let known = self.args[*id].int();
                    self.args[*id] = Value::Int(known.max(inner) + [0, 0, 1, 3][rng.usize(0..4)]);
                }
                let stride = self.stride(dim, inner).unwrap_or(inner);
                inner = stride.max(1) * self.size(&dim.extent).unwrap_or(1).max(1);
            }
        }
        // Buffers in one place have the same strides.
        for (_, output) in kernel.buffers() {
            for input in &output.aliases {
                for (a, b) in output.shape.iter().zip(&kernel.buffer(*input).shape) {
                    if let (
                        Some(a),
                        Some(Expr {
                            kind: ExprKind::Param(b),
                            ..
                        }),
                    ) = (&a.stride, &b.stride)
                        && let Some(stride) = self.size(a)
                    {
                        self.args[*b] = Value::Int(stride);
                    }
                }
            }
        }
    }

    /// A size or stride, which the host works out.
    pub(crate) fn size(&self, e: &Expr) -> Option<i128> {
        let mut values = oxysycl_codegen::eval::Values::default();
        for (id, value) in self.args.iter().enumerate() {
            match value {
                Value::Int(value) => drop(values.params.insert(id, i64::try_from(*value).ok()?)),
                Value::Bool(value) => drop(values.params.insert(id, (*value).into())),
                Value::Float(_) | Value::Unset => {}
            }
        }
        values.consts = self.consts.iter().map(|value| value.int() as i64).collect();
        oxysycl_codegen::eval::integer(e, &values).map(i128::from)
    }

    fn stride(&self, dim: &Dim, inner: i128) -> Option<i128> {
        match &dim.stride {
            Some(stride) => self.size(stride),
            None => Some(inner),
        }
    }

    /// Which elements a buffer has by its shape, up to the last; `None` where a launcher refuses it.
    fn inside(&self, buffer: &Buffer) -> Option<Vec<bool>> {
        let mut inside = vec![true];
        let mut inner = 1;
        for dim in buffer.shape.iter().rev() {
            let extent = usize::try_from(self.size(&dim.extent)?).ok()?;
            let stride = usize::try_from(self.stride(dim, inner)?).ok()?;
            if buffer.mutable && extent > 1 && (stride as i128) < inner {
                return None;
            }
            let length = match extent {
                0 => 0,
                _ if inside.is_empty() => 0,
                extent => (extent - 1) * stride + inside.len(),
            };
            let mut outer = vec![false; length];
            for at in 0..extent {
                for (element, is_inside) in inside.iter().enumerate() {
                    outer[at * stride + element] |= is_inside;
                }
            }
            inside = outer;
            inner = (stride * extent) as i128;
        }
        Some(inside)
    }

    /// The memory of each buffer parameter; `None` where launchers submit nothing.
    pub(crate) fn memories(&self, checked: &Checked) -> Option<Vec<Memory>> {
        let kernel = &checked.kernel;
        if kernel.sizes().iter().any(|id| self.args[*id].int() < 0) {
            return None;
        }
        let buffers = kernel.buffers();
        let memories = buffers.map(|(id, buffer)| {
            let inside = self.inside(buffer)?;
            if inside.is_empty() && checked.certain.contains(&id) {
                return None;
            }
            let is_written = is_written(kernel, id);
            let length = inside.len() + if is_written { 0 } else { BEHIND };
            Some(Memory {
                values: self.contents(kernel, id, length),
                inside: is_written.then_some(inside),
            })
        });
        memories.collect()
    }

    /// What a buffer holds at first.
    fn contents(&self, kernel: &Kernel, id: ParamId, length: usize) -> Vec<Value> {
        let buffer = kernel.buffer(id);
        // Buffers that may be one hold the same, so that both launches may be compared.
        let like = buffer.aliases.first().copied().unwrap_or(id) as u64;
        let is_float = match buffer.element {
            Element::Param(at) => kernel.types[at].dtypes.iter().all(|dtype| dtype.is_float()),
            Element::DType(dtype) => dtype.is_float(),
        };
        if kernel.buffers().any(|(_, other)| other.scattered_by == Some(id)) {
            return self.distinct(length, like);
        }
        let value = |at: usize| {
            let drawn = mixed(&[self.data, like, at as u64]);
            match is_float {
                true if self.wild && drawn.is_multiple_of(5) => {
                    Value::Float([f32::INFINITY, f32::NAN][drawn as usize / 5 % 2])
                }
                true => Value::Float((drawn % 7) as f32 - 3.0),
                false => Value::Int([0, 1, 1, 0, 2, 3, 0, 1, -1, 4, 8][drawn as usize % 11]),
            }
        };
        (0..length).map(value).collect()
    }

    /// Indices of rows, each once, some of them of no row.
    fn distinct(&self, length: usize, like: u64) -> Vec<Value> {
        let mut slots: Vec<i128> = (0..length.max(6) as i128).collect();
        Rng::with_seed(mixed(&[self.data, like])).shuffle(&mut slots);
        let skipped = |slot: i128| if slot % 5 == 4 { -1 } else { slot };
        slots.into_iter().map(|slot| Value::Int(skipped(slot))).collect()
    }
}

/// Whether a kernel stores to a buffer, or to one that may be the same memory.
pub(crate) fn is_written(kernel: &Kernel, id: ParamId) -> bool {
    let mut written = false;
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Store(place, ..) = stmt.kind {
            let buffers = kernel.buffers_of(place);
            written |= buffers.iter().any(|buffer| kernel.may_alias(*buffer, id));
        }
    });
    written
}

/// The value that a buffer keeps of what is stored.
pub(crate) fn kept(buffer: &Buffer, value: Value) -> Value {
    match (buffer.element, value) {
        (Element::DType(DType::I8), value) => crate::value::cast(Scalar::I8, value),
        (Element::DType(DType::I32), value) => crate::value::cast(Scalar::I32, value),
        (_, value) => value,
    }
}

/// A number that depends on all of `parts`.
pub(crate) fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, part| {
        let mut next = (hash ^ part).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        next ^= next >> 29;
        next = next.wrapping_mul(0x94d0_49bb_1331_11eb);
        next ^ (next >> 32)
    })
}
