//! Guarded device memory, drawn values, and what `f32` arithmetic may give.
//!
//! Nothing here calls an operator, nor rounds with the functions that operators round with.

use std::fmt::Debug;
use std::sync::OnceLock;

use fastrand::Rng;
use oxysycl::prelude::*;
use oxysycl::{Buffer, LaunchError, Queue, Selector, View, shaped_for_gpu};
use proptest::prelude::any;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// What a correctly rounded `f32` operation may lose, relative to its result: half an ULP at worst.
pub(crate) const U: f64 = 1.0 / (1u64 << 24) as f64;

/// What a correctly rounded `f32` operation may lose below the normal numbers.
pub(crate) const TINY: f64 = 7.006_492_321_624_085e-46;

/// The queue that all tests share.
pub(crate) fn queue() -> &'static Queue {
    static QUEUE: OnceLock<Queue> = OnceLock::new();
    QUEUE.get_or_init(|| Queue::new(&Selector::default()).expect("the CPU device is always there"))
}

/// Runs `test` on `cases` values of the strategy, the same ones every time, and shrinks the first that fails. Some run in the
/// shapes of the device, the others in those of a GPU.
pub(crate) fn property<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value)) {
    let config = Config {
        cases,
        failure_persistence: None,
        // Where a kernel does not compile, every attempt takes seconds.
        max_shrink_iters: 64,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let run = TestRunner::new_with_rng(config, rng).run(&(strategy, any::<bool>()), |(value, gpu)| {
        if gpu {
            shaped_for_gpu(|| test(value));
        } else {
            test(value);
        }
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

/// A float type by its definition.
pub(crate) trait Format: Float + Debug {
    /// Binary digits of a normal number.
    const DIGITS: i32;
    /// The least positive number is 2 to this power.
    const LEAST: i32;
    /// All finite numbers are below 2 to this power.
    const BEYOND: i32;

    fn of_bits(bits: u32) -> Self;
    /// The bits; any NaN is every NaN.
    fn bits(self) -> u32;
    fn wide(self) -> f64;
    /// The number, if the type has it.
    fn convert(value: f64) -> Self;

    /// The nearest number, of two equally near ones the even one.
    fn nearest(value: f64) -> Self {
        Self::convert(rounded::<Self>(value))
    }
}

macro_rules! formats {
    ($($ty:ident $bits:ty, $digits:literal, $least:literal, $beyond:literal, $wide:expr, $convert:expr;)*) => {$(
        impl Format for $ty {
            const DIGITS: i32 = $digits;
            const LEAST: i32 = $least;
            const BEYOND: i32 = $beyond;

            fn of_bits(bits: u32) -> Self {
                Self::from_bits(bits as $bits)
            }

            fn bits(self) -> u32 {
                if self.is_nan() { u32::MAX } else { self.to_bits().into() }
            }

            fn wide(self) -> f64 {
                $wide(self)
            }

            fn convert(value: f64) -> Self {
                let converted: Self = $convert(value);
                let same = converted.wide().to_bits() == value.to_bits() || value.is_nan();
                assert!(same, "{value:e} is no {}", stringify!($ty));
                converted
            }
        }
    )*};
}

formats! {
    f32 u32, 24, -149, 128, f64::from, |value| value as f32;
    f16 u16, 11, -24, 16, f16::to_f64, f16::from_f64;
    bf16 u16, 8, -133, 128, bf16::to_f64, bf16::from_f64;
}

/// The number of `T` that is nearest to `value`, of two equally near ones the even one.
pub(crate) fn rounded<T: Format>(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let step = 2f64.powi((exponent + 1 - T::DIGITS).max(T::LEAST));
    let nearest = (value / step).round_ties_even() * step;
    if nearest.abs() < 2f64.powi(T::BEYOND) {
        nearest
    } else {
        f64::INFINITY.copysign(value)
    }
}

/// What is stored for a number that a kernel has computed: the nearest `f32`, and of that the nearest `T`.
pub(crate) fn stored<T: Format>(value: f64) -> T {
    T::nearest(rounded::<f32>(value))
}

/// What a kernel may compute: a number, give or take an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Within {
    /// A product or quotient of `f32`s with so many half ULPs lost on the way, and underflow that the factors magnify.
    pub(crate) fn relative(value: f64, halves: f64, magnified: f64) -> Self {
        // The losses of single operations multiply: what they give beyond their sum is far below a thousandth of it.
        let error = value.abs() * halves * U * 1.001 + TINY * (1.0 + magnified);
        Self { value, error }
    }

    /// The product with a number, which loses half an ULP.
    pub(crate) fn times(self, factor: f64) -> Self {
        let value = self.value * factor;
        Self {
            value,
            error: (self.error * factor.abs() + value.abs() * U) * 1.001 + TINY,
        }
    }

    /// Whether `found` is the rounding of a number in here.
    pub(crate) fn admits<T: Format>(self, found: T) -> bool {
        if self.value.is_nan() {
            return found.wide().is_nan();
        }
        if self.value.is_infinite() {
            return found.wide() == self.value;
        }
        let low = rounded::<T>(self.value - self.error);
        let high = rounded::<T>(self.value + self.error);
        (low..=high).contains(&found.wide())
    }
}

/// Fails at the first element that is not what it must be.
pub(crate) fn expect_within<T: Format>(what: &str, found: &[T], expected: &[Within]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            expected.admits(*found),
            "{what}, element {at}: {found:?} for {expected:?}"
        );
    }
}

/// Fails at the first element that is another number; 0 and -0 are two, all NaNs are one.
pub(crate) fn expect_same<T: Format>(what: &str, found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(
            found.bits(),
            expected.bits(),
            "{what}, element {at}: {found:?} for {expected:?}"
        );
    }
}

/// `[T]` of these numbers, rounded.
pub(crate) fn of<T: Format>(values: impl IntoIterator<Item = f64>) -> Vec<T> {
    values.into_iter().map(T::nearest).collect()
}

/// The numbers of `values`.
pub(crate) fn wide<T: Format>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.wide()).collect()
}

/// Numbers that neither overflow nor vanish when a row of them is squared and summed; some are 0.
pub(crate) fn moderate<T: Format>(rng: &mut Rng, count: usize) -> Vec<T> {
    let mut draw = || match rng.u8(..16) {
        0 => 0.0,
        _ => (rng.f64() + 1.0) * 2f64.powi(rng.i32(-8..6)) * if rng.bool() { 1.0 } else { -1.0 },
    };
    (0..count).map(|_| T::nearest(draw())).collect()
}

/// Numbers of all kinds: infinities, NaN, zeros, the extremes, any bits at all.
pub(crate) fn anything<T: Format>(rng: &mut Rng, count: usize) -> Vec<T> {
    let most = (2.0 - 2f64.powi(1 - T::DIGITS)) * 2f64.powi(T::BEYOND - 1);
    let least = 2f64.powi(T::LEAST);
    let specials = [0.0, f64::INFINITY, f64::NAN, most, least, 3.0 * least, 1.0, 88.0];
    let draw = |rng: &mut Rng| match rng.u8(..4) {
        0 => T::convert(specials[rng.usize(..specials.len())] * if rng.bool() { 1.0 } else { -1.0 }),
        1 => moderate(rng, 1)[0],
        _ => T::of_bits(rng.u32(..)),
    };
    (0..count).map(|_| draw(rng)).collect()
}

/// Where rows of equal width begin in memory.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) starts: Vec<usize>,
    pub(crate) width: usize,
}

impl Rows {
    /// `count` rows, `stride` apart.
    pub(crate) fn new(count: usize, stride: usize, width: usize) -> Self {
        Self::heads((count, stride), (1, 0), width)
    }

    /// Rows along two dimensions, each with its number of places and its stride.
    pub(crate) fn heads(outer: (usize, usize), inner: (usize, usize), width: usize) -> Self {
        let starts = (0..outer.0).flat_map(|o| (0..inner.0).map(move |i| o * outer.1 + i * inner.1));
        Self {
            starts: starts.collect(),
            width,
        }
    }

    /// The same rows, further on in memory.
    pub(crate) fn from(mut self, offset: usize) -> Self {
        self.starts.iter_mut().for_each(|start| *start += offset);
        self
    }

    /// Elements of memory that the rows need.
    pub(crate) fn span(&self) -> usize {
        match (self.width, self.starts.iter().max()) {
            (1.., Some(last)) => last + self.width,
            _ => 0,
        }
    }

    /// Elements in all rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() * self.width
    }

    /// Indices of all elements, row by row.
    pub(crate) fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.starts.iter().flat_map(|start| *start..start + self.width)
    }

    /// The rows' elements, row by row.
    pub(crate) fn gather<T: Copy>(&self, memory: &[T]) -> Vec<T> {
        self.indices().map(|index| memory[index]).collect()
    }

    /// Memory with `values` in its rows and [`canary`] between them.
    pub(crate) fn scatter<T: Memory>(&self, values: &[T]) -> Vec<T> {
        assert_eq!(values.len(), self.len());
        let mut memory = vec![canary(); self.span()];
        for (index, value) in self.indices().zip(values) {
            memory[index] = *value;
        }
        memory
    }

    /// Fails if memory outside of the rows has changed.
    pub(crate) fn expect_gaps<T: Memory>(&self, before: &[T], after: &[T]) {
        let mut inside = vec![false; before.len()];
        self.indices().for_each(|index| inside[index] = true);
        for (at, inside) in inside.into_iter().enumerate() {
            let same = bytes_of(&before[at]) == bytes_of(&after[at]);
            assert!(
                inside || same,
                "element {at}, which lies between the rows, has changed"
            );
        }
    }
}

/// What device memory holds, any bytes of which are a value.
pub(crate) trait Memory: oxysycl::runtime::Element + bytemuck::Pod {}
impl<T: oxysycl::runtime::Element + bytemuck::Pod> Memory for T {}

fn bytes_of<T: Memory>(value: &T) -> &[u8] {
    bytemuck::bytes_of(value)
}

/// A NaN, or -1: a number that spoils what is computed with it.
pub(crate) fn canary<T: Memory>() -> T {
    bytemuck::pod_read_unaligned(&[0xff; 8][..size_of::<T>()])
}

/// Device memory between canaries.
pub(crate) struct Guarded<T: Memory> {
    buffer: Buffer<T>,
    before: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Memory> Guarded<T> {
    /// `content` behind at least 256 bytes of canaries and `offset` further ones, with as many after it.
    pub(crate) fn new(content: &[T], offset: usize) -> Self {
        let start = 256 / size_of::<T>() + offset;
        let mut before = vec![canary(); start + content.len() + start];
        before[start..][..content.len()].copy_from_slice(content);
        Self {
            buffer: queue().upload(&before).expect("small buffers fit"),
            before,
            start,
            len: content.len(),
        }
    }

    pub(crate) fn view(&self) -> View<'_, T> {
        self.part(0, self.len)
    }

    pub(crate) fn part(&self, start: usize, len: usize) -> View<'_, T> {
        let start = self.start + start;
        self.buffer.slice(start..start + len).expect("it is inside")
    }

    /// What it held at first.
    pub(crate) fn before(&self) -> &[T] {
        &self.before[self.start..][..self.len]
    }

    /// What it holds now. Fails if a canary has changed.
    pub(crate) fn after(&self) -> Vec<T> {
        let after = self.buffer.to_vec().expect("the device still works");
        Rows::new(1, 0, self.len)
            .from(self.start)
            .expect_gaps(&self.before, &after);
        after[self.start..][..self.len].to_vec()
    }

    /// Fails if anything has changed.
    pub(crate) fn expect_untouched(&self) {
        Rows::new(0, 0, 0).expect_gaps(self.before(), &self.after());
    }
}

/// Rows in device memory between canaries.
pub(crate) struct Strided<T: Memory> {
    pub(crate) rows: Rows,
    pub(crate) memory: Guarded<T>,
}

impl<T: Memory> Strided<T> {
    pub(crate) fn new(rows: Rows, values: &[T], offset: usize) -> Self {
        let memory = Guarded::new(&rows.scatter(values), offset);
        Self { rows, memory }
    }

    pub(crate) fn view(&self) -> View<'_, T> {
        self.memory.view()
    }

    /// The rows' elements. Fails if anything around or between them has changed.
    pub(crate) fn after(&self) -> Vec<T> {
        let after = self.memory.after();
        self.rows.expect_gaps(self.memory.before(), &after);
        self.rows.gather(&after)
    }
}

/// What a launch that must be refused says.
pub(crate) fn refused(launch: Result<(), LaunchError>) -> String {
    launch.expect_err("this launch is refused").to_string()
}
