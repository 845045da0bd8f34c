//! What buffers are filled with: numbers with which a kernel may be run again on its own results.

use fastrand::Rng;
use half::{bf16, f16};
use oxysycl_codegen::ir::DType;

/// Elements after which numbers repeat: a prime, so that no row is like another.
const PERIOD: usize = 4099;

/// What a buffer is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Numbers between 0.5 and 1.5, of either sign; small whole ones where there are no others.
    Numbers,
    /// Ones, as weights, so that results stay of the size that they are.
    Ones,
    /// Indices of that many rows, in any order; none twice where they are `distinct`, as long as there are enough rows.
    Indices { rows: u64, distinct: bool },
}

impl Contents {
    /// The bytes of `count` elements.
    pub(crate) fn bytes(self, dtype: DType, count: usize) -> Vec<u8> {
        let mut rng = Rng::with_seed(count as u64);
        match self {
            Self::Ones => repeated(element(dtype, 1.0), count),
            Self::Numbers => {
                let numbers = (0..count.min(PERIOD)).flat_map(|_| element(dtype, number(dtype, &mut rng)));
                repeated(numbers.collect(), count.div_ceil(PERIOD))
                    .into_iter()
                    .take(count * dtype.size())
                    .collect()
            }
            Self::Indices { rows, distinct } => {
                let mut order: Vec<u64> = (0..rows.max(1)).collect();
                rng.shuffle(&mut order);
                let index = |at: usize| match order.get(at) {
                    Some(index) if distinct => *index as i64,
                    None if distinct => -1,
                    _ => order[at % order.len()] as i64,
                };
                (0..count).flat_map(|at| whole(dtype, index(at))).collect()
            }
        }
    }
}

fn repeated(bytes: Vec<u8>, times: usize) -> Vec<u8> {
    bytes.repeat(times)
}

fn number(dtype: DType, rng: &mut Rng) -> f32 {
    match dtype {
        DType::Bool => f32::from(rng.u8(0..2)),
        DType::U8 => f32::from(rng.u8(..)),
        DType::I8 | DType::I32 | DType::I64 => f32::from(rng.i8(..)),
        DType::F32 | DType::F16 | DType::BF16 => (0.5 + rng.f32()) * if rng.bool() { 1.0 } else { -1.0 },
    }
}

/// The bytes of the element nearest to `value`.
fn element(dtype: DType, value: f32) -> Vec<u8> {
    match dtype {
        DType::F32 => value.to_ne_bytes().to_vec(),
        DType::F16 => f16::from_f32(value).to_ne_bytes().to_vec(),
        DType::BF16 => bf16::from_f32(value).to_ne_bytes().to_vec(),
        DType::I8 | DType::I32 | DType::I64 | DType::U8 | DType::Bool => whole(dtype, value as i64),
    }
}

/// The bytes of a whole number.
fn whole(dtype: DType, value: i64) -> Vec<u8> {
    match dtype.size() {
        1 => (value as u8).to_ne_bytes().to_vec(),
        4 => (value as i32).to_ne_bytes().to_vec(),
        _ => value.to_ne_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(contents: Contents, count: usize) -> Vec<i64> {
        let bytes = contents.bytes(DType::I64, count);
        bytes
            .chunks(8)
            .map(|chunk| i64::from_ne_bytes(chunk.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn buffers_are_as_long_as_asked() {
        for dtype in DType::ALL {
            for count in [0, 1, PERIOD, 3 * PERIOD + 1] {
                let bytes = Contents::Numbers.bytes(*dtype, count);
                assert_eq!(bytes.len(), count * dtype.size());
            }
        }
        assert_eq!(Contents::Ones.bytes(DType::F16, 2), [0x00, 0x3c, 0x00, 0x3c]);
    }

    #[test]
    fn indices_are_those_of_rows() {
        let all = indices(
            Contents::Indices {
                rows: 7,
                distinct: false,
            },
            20,
        );
        assert!(all.iter().all(|index| (0..7).contains(index)));
        let mut all = indices(
            Contents::Indices {
                rows: 7,
                distinct: true,
            },
            7,
        );
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
        let few = indices(
            Contents::Indices {
                rows: 1,
                distinct: true,
            },
            3,
        );
        assert_eq!(few, [0, -1, -1]);
    }
}
