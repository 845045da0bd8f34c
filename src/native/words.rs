//! The loops of a kernel: plain ranges, one element after the other.

use std::ops::Range;

/// What [`groups`] counts over: `n` rows, or `(n, m)` rows in two dimensions.
pub trait Grid {
    /// Index of one group.
    type Index;

    /// All indices, the last dimension fastest.
    fn indices(self) -> impl Iterator<Item = Self::Index>;
}

impl Grid for i64 {
    type Index = i64;

    fn indices(self) -> impl Iterator<Item = i64> {
        0..self
    }
}

impl Grid for (i64, i64) {
    type Index = (i64, i64);

    fn indices(self) -> impl Iterator<Item = (i64, i64)> {
        let (n, m) = self;
        (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)))
    }
}

/// The grid of a kernel that works row by row: `for row in groups(n)` or `for (i, j) in groups((n, m))`.
pub fn groups<G: Grid>(grid: G) -> impl Iterator<Item = G::Index> {
    grid.indices()
}

/// The grid of a kernel that works element by element: `for i in elements(n)`.
pub fn elements(n: i64) -> Range<i64> {
    0..n
}

/// The data-parallel loop inside a group: `for i in lanes(n)`. On the device its iterations are split over the
/// work-items of the row.
pub fn lanes(n: i64) -> Range<i64> {
    0..n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_dimension_runs_fastest() {
        let indices: Vec<_> = groups((2, 3)).collect();
        assert_eq!(indices, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(groups(3).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn nothing_is_done_for_sizes_below_one() {
        assert_eq!(
            groups(-1).count() + groups((0, 5)).count() + groups((5, 0)).count(),
            0
        );
        assert_eq!(elements(0).count() + lanes(-3).count(), 0);
    }
}
