//! A buffer with a known pattern before it, after it and in the gaps between its rows.

use bytemuck::bytes_of;
use fastrand::Rng;
use oxysycl_codegen::ir::DType;
use oxysycl_runtime::{Buffer, MemoryError, Queue};

use half::{bf16, f16};

use super::data::Contents;
use super::judge::{Allowed, Judged};
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

/// What must be in a buffer after a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected<'a> {
    /// What was there before.
    Unchanged,
    /// The bits of these elements.
    Bits(&'a HostArgument),
    /// What these shadow elements allow.
    Bounds(&'a HostArgument),
}

/// The result of judging a buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Judgement {
    /// Elements judged.
    pub(super) elements: u64,
    /// Those among them of which nothing is known.
    pub(super) unknown: u64,
    /// The largest error, in units in the last place, and where it is.
    pub(super) worst: Option<(f64, Vec<i64>)>,
    /// The first element that is wrong.
    pub(super) wrong: Option<Wrong>,
}

/// An element that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    /// Where it is: indices in the buffer's shape, or the distance in elements from its start for one outside.
    pub(super) at: At,
    /// What it should be.
    pub(super) expected: String,
    /// What it is.
    pub(super) found: String,
}

/// A place in or around a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum At {
    /// Indices in the shape.
    Inside(Vec<i64>),
    /// Distance from the first element.
    Outside(i64),
}

/// A new buffer; `seed` and `exact` decide its contents.
pub(super) fn memory(dtype: DType, place: Place, seed: u64, exact: bool) -> Box<dyn Memory> {
    match dtype {
        DType::F32 => Box::new(Guarded::<f32>::new(place, seed, exact)),
        DType::F16 => Box::new(Guarded::<f16>::new(place, seed, exact)),
        DType::BF16 => Box::new(Guarded::<bf16>::new(place, seed, exact)),
        DType::I8 => Box::new(Guarded::<i8>::new(place, seed, exact)),
        DType::I32 => Box::new(Guarded::<i32>::new(place, seed, exact)),
        DType::I64 => Box::new(Guarded::<i64>::new(place, seed, exact)),
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
    fn new(place: Place, seed: u64, exact: bool) -> Self {
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
        guarded.fill(seed, exact);
        guarded
    }

    fn fill(&mut self, seed: u64, exact: bool) {
        let mut rng = Rng::with_seed(seed);
        let rows: Vec<Row> = self.rows().collect();
        for (nth, row) in rows.into_iter().enumerate() {
            let elements = Contents::of(nth as u64 + seed, exact).draw(row.len, &mut rng);
            self.before[self.start + row.at..][..row.len]
                .iter_mut()
                .zip(elements)
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
                self.judge_rows(&mut judgement, |at| compare_bits(found[at], before[at]));
            }
            Expected::Bits(native) => {
                let native = native.slice();
                self.judge_rows(&mut judgement, |at| compare_bits(found[at], native[at]));
            }
            Expected::Bounds(shadow) => {
                let shadow = shadow.slice();
                self.judge_rows(&mut judgement, |at| {
                    compare_bounds(found[at], E::allowed(shadow[at]))
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
                judgement.unknown += u64::from(comparison.unknown);
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

/// What is to be said of one element.
struct Comparison {
    /// The error in units in the last place.
    ulps: f64,
    /// Whether anything is allowed.
    unknown: bool,
    /// What it should be and what it is, if it is wrong.
    wrong: Option<[String; 2]>,
}

fn compare_bits<E: Judged>(found: E, expected: E) -> Comparison {
    if found.is_same(expected) {
        return Comparison {
            ulps: 0.0,
            unknown: false,
            wrong: None,
        };
    }
    let wrong = Some([with_bits(expected), with_bits(found)]);
    Comparison {
        ulps: found.ulps_from(expected.to_f64()),
        unknown: false,
        wrong,
    }
}

fn compare_bounds<E: Judged>(found: E, allowed: Allowed<E>) -> Comparison {
    Comparison {
        ulps: allowed.ulps(found),
        unknown: matches!(allowed, Allowed::Anything),
        wrong: (!allowed.includes(found)).then(|| [allowed.describe(), with_bits(found)]),
    }
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

/// An element as a number and as its bits.
fn with_bits<E: Judged>(element: E) -> String {
    let bytes = bytes_of(&element).iter().rev();
    bytes.fold(format!("{element} = 0x"), |text, byte| {
        format!("{text}{byte:02x}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::Shadow;

    /// Three rows of five, seven apart, and what a device left of it.
    fn rows() -> Guarded<f16> {
        let extents = vec![Extent { count: 3, stride: 7 }, Extent { count: 5, stride: 1 }];
        let mut guarded = Guarded::new(
            Place {
                extents,
                shifted: true,
            },
            1,
            false,
        );
        guarded.after = guarded.before.clone();
        guarded
    }

    /// Indices of every element of the shape, with its place in the guarded memory.
    fn positions(guarded: &Guarded<f16>) -> impl Iterator<Item = (Vec<i64>, usize)> {
        let start = guarded.start;
        guarded.rows().flat_map(move |row| {
            (0..row.len).map(move |i| ([&row.index[..], &[i as i64]].concat(), start + row.at + i))
        })
    }

    fn bumped(element: f16) -> f16 {
        f16::from_bits(element.to_bits() ^ 1)
    }

    #[test]
    fn untouched_memory_is_right() {
        let judgement = rows().judge(Expected::Unchanged);
        assert_eq!(
            judgement,
            Judgement {
                elements: 15,
                ..Judgement::default()
            }
        );
    }

    #[test]
    fn the_pattern_is_as_wide_as_promised() {
        let guarded = rows();
        assert_eq!(guarded.span, 2 * 7 + 5);
        assert!(guarded.start * 2 >= 256 && (guarded.before.len() - guarded.start - guarded.span) * 2 >= 256);
    }

    #[test]
    fn every_overwritten_byte_outside_is_found() {
        let guarded = rows();
        let inside: Vec<usize> = positions(&guarded).map(|(_, at)| at).collect();
        for at in (0..guarded.before.len()).filter(|at| !inside.contains(at)) {
            let mut guarded = rows();
            guarded.after[at] = bumped(guarded.after[at]);
            let wrong = guarded
                .judge(Expected::Unchanged)
                .wrong
                .expect("an overwritten pattern is wrong");
            assert_eq!(wrong.at, At::Outside(at as i64 - guarded.start as i64));
        }
    }

    #[test]
    fn every_wrong_bit_inside_is_found_with_its_place() {
        for (index, at) in positions(&rows()) {
            let mut guarded = rows();
            guarded.after[at] = bumped(guarded.after[at]);
            let wrong = guarded
                .judge(Expected::Bits(&guarded.host()))
                .wrong
                .expect("another bit is wrong");
            assert_eq!(wrong.at, At::Inside(index));
        }
    }

    #[test]
    fn results_beyond_the_bound_are_found() {
        let guarded = rows();
        let shadow: Vec<Shadow<f16>> = guarded.shadow().slice::<Shadow<f16>>().to_vec();
        let expected = HostArgument::buffer(shadow);
        assert_eq!(guarded.judge(Expected::Bounds(&expected)).wrong, None);
        let mut guarded = rows();
        let at = guarded.start + 8;
        guarded.after[at] = bumped(guarded.after[at]);
        let judgement = guarded.judge(Expected::Bounds(&expected));
        assert_eq!(
            judgement.wrong.expect("beyond the bound").at,
            At::Inside(vec![1, 1])
        );
        assert_eq!(judgement.worst, Some((1.0, vec![1, 1])));
    }

    #[test]
    fn empty_buffers_are_all_pattern() {
        let place = Place {
            extents: vec![Extent { count: 0, stride: 8 }, Extent { count: 8, stride: 1 }],
            shifted: false,
        };
        let guarded = Guarded::<f32>::new(place, 1, true);
        assert_eq!(
            (guarded.span, guarded.rows().count(), guarded.before.len()),
            (0, 0, 128)
        );
    }
}
