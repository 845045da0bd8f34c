//! What buffers are filled with.

use fastrand::Rng;

use super::judge::Judged;

/// What the elements of a row are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Numbers around 1, of either sign.
    Ordinary,
    /// Small ones.
    Small,
    /// Large ones.
    Large,
    /// One number throughout.
    Constant,
    /// Any bits, with infinities, NaN, zeros, subnormals and the largest numbers among them.
    Special,
}

impl Contents {
    /// For row `row` of a kernel whose results are compared bit by bit, or within bounds. There one special element may
    /// decide a whole row, so that few rows have any.
    pub(super) fn of(row: u64, exact: bool) -> Self {
        match row % 8 {
            _ if exact => Self::Special,
            3 => Self::Small,
            4 => Self::Large,
            5 => Self::Constant,
            6 => Self::Special,
            _ => Self::Ordinary,
        }
    }

    /// `count` elements.
    pub(super) fn draw<E: Judged>(self, count: usize, rng: &mut Rng) -> impl Iterator<Item = E> {
        let constant = E::near(rng.f32() * 4.0 - 2.0);
        let mut rng = rng.fork();
        (0..count).map(move |_| match self {
            Self::Ordinary => E::near(ordinary(&mut rng)),
            Self::Small => E::near(ordinary(&mut rng) * 1e-3),
            Self::Large => E::near(ordinary(&mut rng) * 100.0),
            Self::Constant => constant,
            Self::Special => match rng.u8(0..8) {
                0 => *rng.choice(E::SPECIAL).expect("there are special elements"),
                1 => E::from_any(rng.u64(..)),
                _ => E::near(ordinary(&mut rng)),
            },
        })
    }
}

/// What a whole buffer is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// Numbers, row by row. Where results are compared bit by bit, `exact`, all rows have special ones among them.
    Numbers { exact: bool },
    /// Indices of that many rows. Where the kernel skips them, `guarded`, some are those of no row.
    Indices { rows: i64, guarded: bool },
    /// The same, but no two name the same row. Where there are not enough rows, others are those of none.
    Distinct { rows: i64, guarded: bool },
}

impl Filling {
    /// The elements of rows of `lengths`, in order; `seed` decides them.
    pub(super) fn draw<E: Judged>(self, lengths: &[usize], seed: u64) -> Vec<E> {
        let mut rng = Rng::with_seed(seed);
        let total = lengths.iter().sum();
        match self {
            Self::Numbers { exact } => {
                let row = |(nth, len): (usize, &usize)| {
                    Contents::of(nth as u64 + seed, exact)
                        .draw(*len, &mut rng)
                        .collect::<Vec<E>>()
                };
                lengths.iter().enumerate().flat_map(row).collect()
            }
            Self::Indices { rows, guarded } => {
                let mut index = || {
                    if (guarded && rng.u8(0..6) == 0) || rows == 0 {
                        return outside(rows, guarded, &mut rng);
                    }
                    rng.i64(0..rows)
                };
                (0..total).map(|_| E::from_any(index() as u64)).collect()
            }
            Self::Distinct { rows, guarded } => {
                let mut free: Vec<i64> = (0..rows).collect();
                rng.shuffle(&mut free);
                let mut index = || match free.pop() {
                    Some(index) if !guarded || rng.u8(0..6) != 0 => index,
                    _ => outside(rows, guarded, &mut rng),
                };
                (0..total).map(|_| E::from_any(index() as u64)).collect()
            }
        }
    }
}

/// An index of no row: just behind the last one, far behind it, or negative; always negative where the kernel does not look
/// at how many rows there are.
fn outside(rows: i64, guarded: bool, rng: &mut Rng) -> i64 {
    if !guarded {
        return -1;
    }
    [rows, rows + 7, -1, -100, i64::from(i8::MIN)][rng.usize(0..5)]
}

/// A number as sums of independent ones are distributed, of variance 1.
fn ordinary(rng: &mut Rng) -> f32 {
    let sum: f32 = (0..4).map(|_| rng.f32()).sum();
    (sum - 2.0) * 3f32.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    fn elements(contents: Contents) -> Vec<f16> {
        contents.draw(4000, &mut Rng::with_seed(3)).collect()
    }

    #[test]
    fn ordinary_numbers_have_variance_one() {
        let elements = elements(Contents::Ordinary);
        let squares: f32 = elements.iter().map(|x| x.to_f32().powi(2)).sum();
        assert!((squares / 4000.0 - 1.0).abs() < 0.1);
    }

    #[test]
    fn special_rows_hold_what_is_easily_done_wrong() {
        let elements = elements(Contents::Special);
        let zero_with_sign = |x: &f16| x.to_bits() == 0x8000;
        assert!(elements.iter().any(|x| x.is_nan()) && elements.iter().any(|x| x.is_infinite()));
        assert!(elements.iter().any(zero_with_sign) && elements.iter().any(|x| x.to_bits() == 1));
    }

    #[test]
    fn indices_are_those_of_rows_or_of_none() {
        let all: Vec<i64> = Filling::Indices {
            rows: 5,
            guarded: true,
        }
        .draw(&[400, 100], 1);
        assert!((0..5).all(|row| all.contains(&row)) && all.contains(&5) && all.contains(&-1));
        let inside: Vec<i64> = Filling::Indices {
            rows: 5,
            guarded: false,
        }
        .draw(&[500], 1);
        assert!(inside.iter().all(|index| (0..5).contains(index)));
    }

    #[test]
    fn distinct_indices_name_each_row_once() {
        for (rows, count) in [(50, 40), (10, 40), (0, 3)] {
            let all: Vec<i64> = Filling::Distinct { rows, guarded: true }.draw(&[count], 7);
            let mut inside: Vec<i64> = all
                .into_iter()
                .filter(|index| (0..rows).contains(index))
                .collect();
            let named = inside.len();
            inside.sort();
            inside.dedup();
            assert_eq!(inside.len(), named);
            assert!(rows == 0 || named >= 5);
        }
    }

    #[test]
    fn one_seed_draws_one_content() {
        assert_eq!(elements(Contents::Large), elements(Contents::Large));
        assert_ne!(elements(Contents::Large), elements(Contents::Small));
    }
}
