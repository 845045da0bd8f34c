//! `lanes` as a device runs it: split over work-items, in any order, each with accumulators of its own.

use std::cell::RefCell;
use std::cmp::Ordering;

use fastrand::Rng;

use oxysycl_codegen::ir::Identity;

use super::Reduce;

thread_local! {
    /// Decides how the loops of this thread are split.
    static SPLIT: RefCell<Rng> = const { RefCell::new(Rng::with_seed(0)) };
}

/// Runs `body`, in which [`work_items`] splits and shuffles as `seed` decides.
pub fn shuffle<R>(seed: u64, body: impl FnOnce() -> R) -> R {
    SPLIT.with_borrow_mut(|split| *split = Rng::with_seed(seed));
    body()
}

/// The work-items that share a loop over `0..n`, in shuffled order. Each takes every so many'th chunk of 1, 2, 4 or 8
/// neighbours; some may have nothing to do.
pub fn work_items(n: i64) -> impl Iterator<Item = WorkItem> {
    SPLIT.with_borrow_mut(|split| {
        let chunk = 1 << split.u32(0..4);
        let items = split.choice([16, 32, 64, 256]).expect("a choice of four");
        let mut order: Vec<i64> = (0..items).collect();
        split.shuffle(&mut order);
        order.into_iter().map(move |item| WorkItem {
            next: item * chunk,
            chunk,
            step: items * chunk,
            n,
        })
    })
}

/// The indices that one work-item does, in its order.
#[derive(Clone, Debug)]
pub struct WorkItem {
    next: i64,
    /// Neighbours done together; a power of two.
    chunk: i64,
    /// From one chunk to the next.
    step: i64,
    n: i64,
}

impl Iterator for WorkItem {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        if self.next >= self.n {
            return None;
        }
        let index = self.next;
        self.next += 1;
        if self.next % self.chunk == 0 {
            self.next += self.step - self.chunk;
        }
        Some(index)
    }
}

/// What the work-items of a row have gathered.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Accumulators with the part of each work-item.
    parts: Vec<(&'static str, Part)>,
}

/// A work-item's part of an accumulator.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// Of an `f32`.
    Float(f32),
    /// Of an integer.
    Integer(i128),
    /// Of a condition.
    Condition(bool),
}

/// What an accumulator may be.
pub trait Accumulator: Copy {
    /// The least and the greatest value.
    const RANGE: (Self, Self);

    /// 0, or `false`.
    const ZERO: Self;

    /// It as a part.
    fn part(self) -> Part;

    /// What is left of a part: integers wrap.
    fn from_part(part: Part) -> Self;
}

impl Accumulator for f32 {
    const RANGE: (f32, f32) = (f32::NEG_INFINITY, f32::INFINITY);
    const ZERO: f32 = 0.0;

    fn part(self) -> Part {
        Part::Float(self)
    }

    fn from_part(part: Part) -> f32 {
        match part {
            Part::Float(part) => part,
            _ => unreachable!("an accumulator has one type"),
        }
    }
}

impl Accumulator for bool {
    const RANGE: (bool, bool) = (false, true);
    const ZERO: bool = false;

    fn part(self) -> Part {
        Part::Condition(self)
    }

    fn from_part(part: Part) -> bool {
        match part {
            Part::Condition(part) => part,
            _ => unreachable!("an accumulator has one type"),
        }
    }
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Accumulator for $ty {
            const RANGE: ($ty, $ty) = ($ty::MIN, $ty::MAX);
            const ZERO: $ty = 0;

            fn part(self) -> Part {
                Part::Integer(self.into())
            }

            fn from_part(part: Part) -> $ty {
                match part {
                    Part::Integer(part) => part as $ty,
                    _ => unreachable!("an accumulator has one type"),
                }
            }
        }
    )*};
}

integers!(i32 i64 u32 u64);

impl Gathered {
    /// Nothing gathered yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a work-item's part of `accumulator` holds before it has gathered anything.
    pub fn start<T: Accumulator>(reduce: Reduce, _accumulator: T) -> T {
        match reduce.row().identity {
            Identity::Zero | Identity::False => T::ZERO,
            Identity::Least => T::RANGE.0,
            Identity::Greatest | Identity::True => T::RANGE.1,
        }
    }

    /// Combines a work-item's `part` of the accumulator `name` with those of the others.
    pub fn add<T: Accumulator>(&mut self, name: &'static str, part: T) {
        self.parts.push((name, part.part()));
    }

    /// The place of the largest or smallest that work-items kept, of which they kept the places in `places`, in their order;
    /// `extreme` and `place` are what all of them went on from. The least place counts where several have the largest.
    pub fn place<T: Accumulator>(&self, places: &Gathered, reduce: Reduce, extreme: T, place: i64) -> i64 {
        let found = self.parts.iter().zip(&places.parts);
        let first = (extreme.part(), place);
        let best = found.fold(first, |best, ((_, part), (_, place))| {
            let place = i64::from_part(*place);
            let better = match beyond(reduce, *part, best.0) {
                Some(beyond) => beyond,
                None => place < best.1,
            };
            if better { (*part, place) } else { best }
        });
        best.1
    }

    /// The accumulator `name`, which held `initial` before its loops, with all parts combined: by halves, as a device
    /// does.
    pub fn take<T: Accumulator>(&mut self, name: &'static str, reduce: Reduce, initial: T) -> T {
        let own = self.parts.extract_if(.., |(of, _)| *of == name);
        let mut parts: Vec<Part> = own.map(|(_, part)| part).collect();
        while parts.len() > 1 {
            let halves = parts.chunks(2);
            parts = halves
                .map(|pair| {
                    pair.iter()
                        .copied()
                        .reduce(|a, b| combine(reduce, a, b))
                        .expect("a chunk is not empty")
                })
                .collect();
        }
        match parts.first() {
            Some(all) => T::from_part(combine(reduce, initial.part(), *all)),
            None => initial,
        }
    }
}

/// Whether `a` is larger than `b`, or smaller where that is looked for; `None` where they are equal, or no numbers.
fn beyond(reduce: Reduce, a: Part, b: Part) -> Option<bool> {
    let order = match (a, b) {
        (Part::Float(a), Part::Float(b)) => a.partial_cmp(&b)?,
        (Part::Integer(a), Part::Integer(b)) => a.cmp(&b),
        _ => unreachable!("lanes look for numbers, all of one type"),
    };
    let order = if reduce == Reduce::Max {
        order
    } else {
        order.reverse()
    };
    (order != Ordering::Equal).then_some(order == Ordering::Greater)
}

fn combine(reduce: Reduce, a: Part, b: Part) -> Part {
    match (reduce, a, b) {
        (Reduce::Sum, Part::Float(a), Part::Float(b)) => Part::Float(a + b),
        (Reduce::Max, Part::Float(a), Part::Float(b)) => Part::Float(a.max(b)),
        (Reduce::Min, Part::Float(a), Part::Float(b)) => Part::Float(a.min(b)),
        (Reduce::Sum, Part::Integer(a), Part::Integer(b)) => Part::Integer(a + b),
        (Reduce::Max, Part::Integer(a), Part::Integer(b)) => Part::Integer(a.max(b)),
        (Reduce::Min, Part::Integer(a), Part::Integer(b)) => Part::Integer(a.min(b)),
        (Reduce::Any, Part::Condition(a), Part::Condition(b)) => Part::Condition(a | b),
        (Reduce::All, Part::Condition(a), Part::Condition(b)) => Part::Condition(a & b),
        _ => unreachable!("parts of one accumulator are of the type that its reduction combines"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_items_do_every_index_once() {
        for seed in 0..200 {
            for n in [0, 1, 7, 63, 64, 100, 1000] {
                let mut done: Vec<i64> = shuffle(seed, || work_items(n).flatten().collect());
                done.sort();
                assert_eq!(done, (0..n).collect::<Vec<_>>(), "seed {seed}");
            }
        }
    }

    #[test]
    fn the_order_depends_on_the_seed_alone() {
        let order = |seed| shuffle(seed, || work_items(100).flatten().collect::<Vec<_>>());
        assert_eq!(order(5), order(5));
        assert!((1..20).any(|seed| order(seed) != order(0)));
    }

    #[test]
    fn two_loops_of_one_kernel_are_split_unlike() {
        let unlike = |seed| {
            shuffle(seed, || {
                work_items(100).flatten().collect::<Vec<_>>() != work_items(100).flatten().collect::<Vec<_>>()
            })
        };
        assert!((0..20).any(unlike));
    }

    #[test]
    fn parts_are_combined_per_accumulator_and_taken_once() {
        let mut gathered = Gathered::new();
        gathered.add("sum", 1.0);
        gathered.add("max", 7.0);
        gathered.add("sum", 2.0);
        assert_eq!(gathered.take("sum", Reduce::Sum, 0.5), 3.5);
        assert_eq!(gathered.take("max", Reduce::Max, f32::NEG_INFINITY), 7.0);
        assert_eq!(gathered.take("sum", Reduce::Sum, 0.0), 0.0);
        assert_eq!(gathered.take("min", Reduce::Min, 3.0), 3.0);
    }
}
