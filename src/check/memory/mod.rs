//! A buffer with a known pattern before it, after it and in the gaps between its rows.

mod judgement;

use bytemuck::bytes_of;
use half::{bf16, f16};
use oxysycl_codegen::ir::DType;
use oxysycl_runtime::{Buffer, MemoryError, Queue};

pub(super) use self::judgement::{At, Expected, Judgement, Wrong};
use self::judgement::{Comparison, compare_bits, compare_bounds, with_bits};
use super::data::Filling;
use super::judge::{Judged, Unsigned};
use crate::argument::{DeviceArgument, HostArgument};
use crate::launch::shape::{self, Extent};

/// Bytes of the pattern on either side.
const GUARD: usize = 256;

/// What lies where in a buffer.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Dimensions, outermost first.
    pub(super) extents: Vec<Extent>,
    /// Begins one element after an aligned address.
    pub(super) shifted: bool,
}

/// A buffer of any element type, on the host and on a device.
pub(super) trait Memory {
    /// The elements, for a native run.
    fn host(&self) -> HostArgument;

    /// The elements, for a run of the shadow.
    fn shadow(&self) -> HostArgument;

    /// Puts the buffer, with what surrounds it, on the device.
    fn upload(&mut self, queue: &Queue) -> Result<(), MemoryError>;

    /// The buffer on the device, without what surrounds it.
    ///
    /// # Panics
    /// If it was not uploaded.
    fn device(&self) -> Result<DeviceArgument<'_>, MemoryError>;

    /// Reads everything back, and says whether it is the same bits as when last read.
    fn observe(&mut self) -> Result<bool, MemoryError>;

    /// Judges what was read back.
    fn judge(&self, expected: Expected<'_>) -> Judgement;

    /// Judges elements that a native run left.
    fn judge_native(&self, elements: &HostArgument, expected: Expected<'_>) -> Judgement;
}

/// A new buffer; `filling` and `seed` decide its contents.
pub(super) fn memory(dtype: DType, place: Place, seed: u64, filling: Filling) -> Box<dyn Memory> {
    match dtype {
        DType::F32 => Box::new(Guarded::<f32>::new(place, seed, filling)),
        DType::F16 => Box::new(Guarded::<f16>::new(place, seed, filling)),
        DType::BF16 => Box::new(Guarded::<bf16>::new(place, seed, filling)),
        DType::I8 => Box::new(Guarded::<i8>::new(place, seed, filling)),
        DType::I32 => Box::new(Guarded::<i32>::new(place, seed, filling)),
        DType::I64 => Box::new(Guarded::<i64>::new(place, seed, filling)),
        DType::U8 => Box::new(Guarded::<u8>::new(place, seed, filling)),
        DType::Bool => Box::new(Guarded::<bool>::new(place, seed, filling)),
    }
}

struct Guarded<E: Judged> {
    extents: Vec<Extent>,
    /// Where the buffer starts in `before`, in elements.
    start: usize,
    /// Its length in elements, gaps included.
    span: usize,
    /// The buffer with what surrounds it.
    before: Vec<E>,
    /// The same as last read back.
    after: Vec<E>,
    device: Option<Buffer<E>>,
}

impl<E: Judged> Guarded<E> {
    fn new(place: Place, seed: u64, filling: Filling) -> Self {
        let guard = GUARD / size_of::<E>();
        let start = guard + usize::from(place.shifted);
        let span = usize::try_from(shape::span(&place.extents)).expect("cases are drawn to fit into memory");
        let mut guarded = Self {
            extents: place.extents,
            start,
            span,
            before: (0..start + span + guard).map(pattern).collect(),
            after: Vec::new(),
            device: None,
        };
        guarded.fill(seed, filling);
        guarded
    }

    fn fill(&mut self, seed: u64, filling: Filling) {
        let rows: Vec<Row> = self.rows().collect();
        let lengths: Vec<usize> = rows.iter().map(|row| row.len).collect();
        let mut elements = filling.draw(&lengths, seed).into_iter();
        for row in rows {
            self.before[self.start + row.at..][..row.len]
                .iter_mut()
                .zip(&mut elements)
                .for_each(|(to, element)| *to = element);
        }
    }

    /// The buffer's innermost rows, in order.
    fn rows(&self) -> impl Iterator<Item = Row> {
        let (inner, outer) = match self.extents.split_last() {
            Some((inner, outer)) if self.span > 0 => (inner.count, outer),
            _ => (0, &[][..]),
        };
        let count = if inner == 0 {
            0
        } else {
            outer.iter().map(|extent| extent.count).product()
        };
        (0..count).map(move |mut nth: i64| {
            let mut index = vec![0; outer.len()];
            for (at, extent) in outer.iter().enumerate().rev() {
                index[at] = nth % extent.count;
                nth /= extent.count;
            }
            let at: i64 = index.iter().zip(outer).map(|(i, extent)| i * extent.stride).sum();
            Row {
                index,
                at: at as usize,
                len: inner as usize,
            }
        })
    }

    /// Judges the elements of the shape among `found`, the buffer's own.
    fn judge_inside(&self, found: &[E], expected: Expected<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        match expected {
            Expected::Unchanged => {
                let before = &self.before[self.start..self.start + self.span];
                self.judge_rows(&mut judgement, |at| {
                    compare_bits(found[at], before[at], Unsigned::default())
                });
            }
            Expected::Bits(native, unsigned) => {
                let native = native.slice();
                self.judge_rows(&mut judgement, |at| compare_bits(found[at], native[at], unsigned));
            }
            Expected::Bounds(shadows) => {
                let shadows: Vec<&[E::Shadow]> = shadows.iter().map(|shadow| shadow.slice()).collect();
                self.judge_rows(&mut judgement, |at| {
                    let compare = |shadow: &&[E::Shadow]| compare_bounds(found[at], E::allowed(shadow[at]));
                    let mut others = shadows[1..].iter().map(compare);
                    match compare(&shadows[0]) {
                        wrong @ Comparison { wrong: Some(_), .. } => {
                            others.find(|other| other.wrong.is_none()).unwrap_or(wrong)
                        }
                        right => right,
                    }
                });
            }
        }
        judgement
    }

    /// Collects what `compare` says of every element.
    fn judge_rows(&self, judgement: &mut Judgement, compare: impl Fn(usize) -> Comparison) {
        for row in self.rows() {
            for i in 0..row.len {
                let index = || [&row.index[..], &[i as i64]].concat();
                let comparison = compare(row.at + i);
                judgement.elements += 1;
                judgement.rough += u64::from(comparison.rough);
                if comparison.ulps > judgement.worst.as_ref().map_or(0.0, |(worst, _)| *worst) {
                    judgement.worst = Some((comparison.ulps, index()));
                }
                if let Some([expected, found]) = comparison.wrong
                    && judgement.wrong.is_none()
                {
                    judgement.wrong = Some(Wrong {
                        at: At::Inside(index()),
                        expected,
                        found,
                    });
                }
            }
        }
    }

    /// The first element of what was read back that is not of the shape and has changed.
    fn overwritten(&self) -> Option<Wrong> {
        let mut own = vec![false; self.before.len()];
        self.rows()
            .for_each(|row| own[self.start + row.at..][..row.len].fill(true));
        let changed = |at: &usize| !own[*at] && bytes_of(&self.before[*at]) != bytes_of(&self.after[*at]);
        (0..self.before.len()).find(changed).map(|at| Wrong {
            at: At::Outside(at as i64 - self.start as i64),
            expected: format!("what was there before, {}", with_bits(self.before[at])),
            found: with_bits(self.after[at]),
        })
    }
}

/// A run of neighbouring elements of a shape.
struct Row {
    /// Indices in the outer dimensions.
    index: Vec<i64>,
    /// Distance of its first element from the buffer's start.
    at: usize,
    /// Number of elements.
    len: usize,
}

impl<E: Judged> Memory for Guarded<E> {
    fn host(&self) -> HostArgument {
        HostArgument::buffer(self.before[self.start..self.start + self.span].to_vec())
    }

    fn shadow(&self) -> HostArgument {
        let elements = self.before[self.start..self.start + self.span].iter();
        HostArgument::buffer(
            elements
                .map(|element| element.to_shadow())
                .collect::<Vec<E::Shadow>>(),
        )
    }

    fn upload(&mut self, queue: &Queue) -> Result<(), MemoryError> {
        self.device = Some(queue.upload(&self.before)?);
        Ok(())
    }

    fn device(&self) -> Result<DeviceArgument<'_>, MemoryError> {
        let device = self.device.as_ref().expect("the buffer was uploaded");
        Ok(E::argument(device.slice(self.start..self.start + self.span)?))
    }

    fn observe(&mut self) -> Result<bool, MemoryError> {
        let device = self.device.as_ref().expect("the buffer was uploaded");
        let last = std::mem::replace(&mut self.after, device.to_vec()?);
        Ok(bytemuck::cast_slice::<E, u8>(&last) == bytemuck::cast_slice::<E, u8>(&self.after))
    }

    fn judge(&self, expected: Expected<'_>) -> Judgement {
        let mut judgement = self.judge_inside(&self.after[self.start..self.start + self.span], expected);
        judgement.wrong = judgement.wrong.or_else(|| self.overwritten());
        judgement
    }

    fn judge_native(&self, elements: &HostArgument, expected: Expected<'_>) -> Judgement {
        self.judge_inside(elements.slice(), expected)
    }
}

/// The pattern around a buffer.
fn pattern<E: Judged>(at: usize) -> E {
    E::from_any((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests;
