//! Loads, stores and rows: every access is checked, a row itself is not. One that is never touched may lie anywhere.

use super::Element;

/// Reading of elements.
pub trait Load {
    /// What a load gives.
    type Value;

    /// The value of element `i`.
    ///
    /// # Panics
    /// If there is no such element.
    fn load(&self, i: i64) -> Self::Value;
}

/// Writing of elements.
pub trait Store: Load {
    /// Sets element `i` to the nearest of `value`.
    ///
    /// # Panics
    /// If there is no such element.
    fn store(&mut self, i: i64, value: Self::Value);
}

/// Rows of a buffer.
pub trait Rows {
    /// What the buffer holds.
    type Element;

    /// The elements from `offset` on.
    fn row(&self, offset: i64) -> Row<'_, Self::Element>;

    /// The elements from `offset` on, to be written.
    fn row_mut(&mut self, offset: i64) -> RowMut<'_, Self::Element>;
}

/// A buffer from an offset on.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    buffer: &'a [T],
    offset: i64,
}

/// A buffer from an offset on, to be written.
#[derive(Debug)]
pub struct RowMut<'a, T> {
    buffer: &'a mut [T],
    offset: i64,
}

/// The position of element `i` of the row at `offset` in a buffer of `len` elements.
#[track_caller]
fn position(offset: i64, i: i64, len: usize) -> usize {
    let index = offset
        .checked_add(i)
        .and_then(|index| usize::try_from(index).ok());
    match index.filter(|index| *index < len) {
        Some(index) => index,
        None if offset == 0 => panic!("element {i} is outside the buffer of {len} elements"),
        None => panic!("element {i} of the row at offset {offset} is outside the buffer of {len} elements"),
    }
}

impl<T: Element> Load for [T] {
    type Value = T::Value;

    #[track_caller]
    fn load(&self, i: i64) -> T::Value {
        self[position(0, i, self.len())].widen()
    }
}

impl<T: Element> Store for [T] {
    #[track_caller]
    fn store(&mut self, i: i64, value: T::Value) {
        self[position(0, i, self.len())] = T::narrow(value);
    }
}

impl<T: Element> Rows for [T] {
    type Element = T;

    fn row(&self, offset: i64) -> Row<'_, T> {
        Row { buffer: self, offset }
    }

    fn row_mut(&mut self, offset: i64) -> RowMut<'_, T> {
        RowMut { buffer: self, offset }
    }
}

impl<T: Element> Load for Row<'_, T> {
    type Value = T::Value;

    #[track_caller]
    fn load(&self, i: i64) -> T::Value {
        self.buffer[position(self.offset, i, self.buffer.len())].widen()
    }
}

impl<T: Element> Load for RowMut<'_, T> {
    type Value = T::Value;

    #[track_caller]
    fn load(&self, i: i64) -> T::Value {
        self.buffer[position(self.offset, i, self.buffer.len())].widen()
    }
}

impl<T: Element> Store for RowMut<'_, T> {
    #[track_caller]
    fn store(&mut self, i: i64, value: T::Value) {
        self.buffer[position(self.offset, i, self.buffer.len())] = T::narrow(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn rows_begin_at_their_offset() {
        let mut buffer = [1.0f32, 2.0, 3.0, 4.0];
        assert_eq!(buffer.row(2).load(1), 4.0);
        assert_eq!(buffer.row(2).load(-1), 2.0);
        buffer.row_mut(1).store(0, 9.0);
        assert_eq!(buffer, [1.0, 9.0, 3.0, 4.0]);
    }

    #[test]
    fn a_load_after_a_store_gives_the_rounded_value() {
        let mut buffer = [f16::ZERO; 2];
        let mut row = buffer.row_mut(0);
        row.store(1, 0.1);
        assert_eq!(row.load(1), f16::from_f32(0.1).to_f32());
    }

    #[test]
    fn a_row_that_is_never_touched_may_lie_anywhere() {
        let mut buffer = [0.0f32; 2];
        for offset in [2, 3, 1 << 40, i64::MAX, -1, i64::MIN] {
            let _ = buffer.row(offset);
            let _ = buffer.row_mut(offset);
        }
    }

    #[test]
    #[should_panic(expected = "element 2 is outside the buffer of 2 elements")]
    fn loads_are_checked() {
        [1i32, 2].load(2);
    }

    #[test]
    #[should_panic(expected = "element -1 is outside the buffer of 2 elements")]
    fn negative_indices_are_refused() {
        [1i32, 2].store(-1, 5);
    }

    #[test]
    #[should_panic(expected = "element 3 of the row at offset 7 is outside the buffer of 8 elements")]
    fn loads_from_rows_are_checked() {
        [0i64; 8].row(7).load(3);
    }

    #[test]
    #[should_panic(
        expected = "element 9 of the row at offset 9223372036854775807 is outside the buffer of 8 elements"
    )]
    fn positions_never_wrap() {
        [0i64; 8].row_mut(i64::MAX).store(9, 1);
    }
}
