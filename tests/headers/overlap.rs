//! Which buffers the launcher takes for overlapping, compared with the elements that they have.

use std::collections::BTreeSet;

use oxysycl::prelude::*;
use oxysycl::{LaunchError, Queue, Selector};

/// Rows of heads, moved.
#[sycl_kernel(
    symbol = "moved_forward_{WIDTH}",
    header = "tests/moved.hpp",
    instances(WIDTH = [3]),
    shapes(
        x = [x_tokens @ x_stride, x_heads @ x_head_stride, WIDTH],
        y = [tokens @ stride, heads @ head_stride, WIDTH],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn moved<const WIDTH: i64>(
    x: &[f32],
    y: &mut [f32],
    x_tokens: i64,
    x_stride: i64,
    x_heads: i64,
    x_head_stride: i64,
    tokens: i64,
    stride: i64,
    heads: i64,
    head_stride: i64,
) {
    for (token, head) in groups((tokens, heads)) {
        let from = x.row((token % x_tokens) * x_stride + (head % x_heads) * x_head_stride);
        let mut to = y.row_mut(token * stride + head * head_stride);
        for i in lanes(WIDTH) {
            to.store(i, from.load(i));
        }
    }
}

/// Rows of three elements in memory of [`ELEMENTS`].
#[derive(Clone, Copy, Debug)]
struct Rows {
    start: i64,
    tokens: i64,
    stride: i64,
    heads: i64,
    head_stride: i64,
}

const ELEMENTS: i64 = 256;

impl Rows {
    fn draw(random: &mut fastrand::Rng) -> Self {
        Self {
            start: random.i64(0..ELEMENTS / 2),
            tokens: random.i64(1..5),
            stride: random.i64(0..40),
            heads: random.i64(1..5),
            head_stride: random.i64(0..20),
        }
    }

    fn elements(self) -> Vec<i64> {
        let rows = (0..self.tokens).flat_map(|t| (0..self.heads).map(move |h| (t, h)));
        rows.flat_map(|(t, h)| (0..3).map(move |i| self.start + t * self.stride + h * self.head_stride + i))
            .collect()
    }

    fn span(self) -> i64 {
        (self.tokens - 1) * self.stride + (self.heads - 1) * self.head_stride + 3
    }

    /// Whether rows that both have lie equally far apart.
    fn is_laid_out_like(self, other: Self) -> bool {
        (self.tokens == 1 || other.tokens == 1 || self.stride == other.stride)
            && (self.heads == 1 || other.heads == 1 || self.head_stride == other.head_stride)
    }
}

#[test]
fn buffers_overlap_where_they_share_an_element() {
    let queue = Queue::new(&Selector::Auto).unwrap();
    let memory = queue.upload(&[0.0f32; ELEMENTS as usize]).unwrap();
    let view = |rows: Rows| {
        let start = rows.start as usize;
        memory.slice(start..start + rows.span() as usize).unwrap()
    };
    let mut random = fastrand::Rng::with_seed(11);
    let (mut shared, mut apart, mut unlike) = (0, 0, 0);
    while shared < 500 || apart < 500 || unlike < 100 {
        let mut x = Rows::draw(&mut random);
        let y = Rows::draw(&mut random);
        if random.u8(0..4) > 0 {
            (x.stride, x.head_stride) = (y.stride, y.head_stride);
        }
        let written = y.elements();
        let distinct: BTreeSet<i64> = written.iter().copied().collect();
        if x.start + x.span() > ELEMENTS || y.start + y.span() > ELEMENTS || distinct.len() < written.len() {
            continue;
        }
        let result = moved::launch::<3>(
            &queue,
            view(x),
            view(y),
            x.tokens,
            x.stride,
            x.heads,
            x.head_stride,
            y.tokens,
            y.stride,
            y.heads,
            y.head_stride,
        );
        let refused = match &result {
            Ok(()) => false,
            Err(LaunchError::Call(error)) if error.to_string().contains("has rows that overlap") => continue,
            Err(LaunchError::Call(error)) if error.to_string().contains("overlaps x") => true,
            Err(error) => panic!("{x:?} {y:?}: {error}"),
        };
        let shares = x.elements().iter().any(|element| distinct.contains(element));
        if x.is_laid_out_like(y) {
            assert_eq!(refused, shares, "{x:?} {y:?}");
            *(if shares { &mut shared } else { &mut apart }) += 1;
        } else {
            assert!(refused || !shares, "{x:?} {y:?}");
            unlike += 1;
        }
    }
}
