//! Copies of a kernel's arguments, one after the other in memory, so that no launch finds in the cache what the last one left.

use std::cell::Cell;

use oxysycl_codegen::eval;
use oxysycl_codegen::ir::{Element, Grid, ParamId};
use oxysycl_codegen::source::Constant;
use oxysycl_runtime::{Buffer, Queue};

use super::BenchError;
use super::call::Call;
use super::contents::Contents;
use super::export::Passed;
use crate::launch::shape;

/// Buffers begin at multiples of so many bytes.
const ALIGNMENT: usize = 256;
/// Bytes that are copied to the device at once, at least, where there are so many.
const PORTION: usize = 8 << 20;

/// As many copies of the arguments of one call as are rotated.
pub(crate) struct Rotation {
    /// What addresses among the values point into.
    _memory: Buffer<u8>,
    /// The values of each copy, and their addresses.
    copies: Vec<Copy>,
    next: Cell<usize>,
}

struct Copy {
    _values: Vec<[u8; 8]>,
    addresses: Vec<*const [u8; 8]>,
}

/// Where the buffers of one copy lie, and what is in them.
struct Layout {
    /// Distance from the copy's start, by parameter; `None` for what is no buffer or is not given.
    offsets: Vec<Option<usize>>,
    image: Vec<u8>,
}

impl Rotation {
    /// Copies of what `arguments` pass for `call`, so many that together they have `rotated` bytes, but two at least.
    pub(crate) fn new(
        queue: &Queue,
        call: &Call<'_>,
        arguments: &[Passed],
        rotated: u64,
    ) -> Result<Self, BenchError> {
        let Layout { offsets, image } = layout(call)?;
        let size = image.len();
        let count = (rotated as usize).div_ceil(size).max(2);
        let memory = queue.alloc::<u8>(size * count)?;
        fill(&memory, &image, count)?;
        let base = memory.view().as_ptr().expose_provenance();
        let copy = |nth: usize| {
            let value = |passed: &Passed| match *passed {
                Passed::Buffer(id) => offsets[id]
                    .map_or(0, |offset| (base + nth * size + offset) as u64)
                    .to_ne_bytes(),
                Passed::Scalar(constant) => bytes(constant),
            };
            Copy::new(arguments.iter().map(value).collect())
        };
        let copies = (0..count).map(copy).collect();
        Ok(Self {
            _memory: memory,
            copies,
            next: Cell::new(0),
        })
    }

    /// The next copy in turn: the address of the addresses of the values.
    pub(crate) fn next(&self) -> u64 {
        let copy = &self.copies[self.next.get()];
        self.next.set((self.next.get() + 1) % self.copies.len());
        copy.addresses.as_ptr().expose_provenance() as u64
    }
}

impl Copy {
    fn new(values: Vec<[u8; 8]>) -> Self {
        // They stay where they are when the vector is moved.
        let addresses = values.iter().map(|value| value as *const _).collect();
        Self {
            _values: values,
            addresses,
        }
    }
}

/// A number as it lies in memory, with its lowest byte first.
pub(crate) fn bytes(constant: Constant) -> [u8; 8] {
    match constant {
        Constant::Bool(value) => u64::from(value).to_le_bytes(),
        Constant::F32(value) => u64::from(value.to_bits()).to_le_bytes(),
        Constant::Integer(_, value) => (value as u64).to_le_bytes(),
    }
}

fn layout(call: &Call<'_>) -> Result<Layout, BenchError> {
    let Call { ir, dtypes, case, .. } = call;
    let values = case.values();
    let mut layout = Layout {
        offsets: vec![None; ir.params.len()],
        image: Vec::new(),
    };
    for (id, buffer) in ir.buffers() {
        if case.absent.contains(&id) {
            continue;
        }
        let span = shape::span(&shape::extents(ir, id, buffer, &values)?);
        let dtype = match buffer.element {
            Element::DType(dtype) => dtype,
            Element::Param(at) => dtypes[at],
        };
        let count = usize::try_from(span).unwrap_or(usize::MAX);
        if count
            .checked_mul(dtype.size())
            .is_none_or(|bytes| bytes > isize::MAX as usize / 4)
        {
            return Err(BenchError::TooLarge(case.describe(ir)));
        }
        layout.offsets[id] = Some(layout.image.len());
        layout.image.extend(contents(call, id).bytes(dtype, count));
        let whole = layout.image.len().next_multiple_of(ALIGNMENT).max(ALIGNMENT);
        layout.image.resize(whole, 0);
    }
    Ok(layout)
}

fn contents(call: &Call<'_>, id: ParamId) -> Contents {
    if let Some(indices) = call.indices.iter().find(|indices| indices.buffer == id) {
        let rows = eval::integer(&indices.rows, &call.case.values()).unwrap_or(0);
        return Contents::Indices {
            rows: rows.max(0) as u64,
            distinct: indices.distinct,
        };
    }
    let buffer = call.ir.buffer(id);
    let is_weight = matches!(call.ir.grid, Grid::Groups { .. }) && buffer.shape.len() == 1 && !buffer.mutable;
    if is_weight {
        Contents::Ones
    } else {
        Contents::Numbers
    }
}

/// Puts `image` into `memory`, `count` times.
fn fill(memory: &Buffer<u8>, image: &[u8], count: usize) -> Result<(), BenchError> {
    let at_once = PORTION.div_ceil(image.len()).min(count);
    let portion = image.repeat(at_once);
    for first in (0..count).step_by(at_once) {
        let copies = at_once.min(count - first);
        let start = first * image.len();
        let part = memory.slice(start..start + copies * image.len())?;
        part.copy_from(&portion[..copies * image.len()])?;
    }
    Ok(())
}
