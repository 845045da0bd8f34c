//! Running a kernel on the device beside its native function.

use std::fmt::Debug;
use std::sync::OnceLock;

use oxysycl::{Buffer, Queue, Selector};

/// The queue that all tests share.
pub(crate) fn queue() -> &'static Queue {
    static QUEUE: OnceLock<Queue> = OnceLock::new();
    QUEUE.get_or_init(|| Queue::new(&Selector::default()).expect("the CPU device is always there"))
}

/// `values` on the device, behind `offset` further elements, so that an odd offset takes the kernel's vectors away.
pub(crate) fn upload<T: oxysycl::runtime::Element + Default>(values: &[T], offset: usize) -> Buffer<T> {
    let padded: Vec<T> = vec![T::default(); offset]
        .into_iter()
        .chain(values.iter().copied())
        .collect();
    queue().upload(&padded).expect("small buffers fit")
}

/// The bits of a value; any NaN is every NaN.
pub(crate) trait Bits: Copy + Debug {
    fn bits(self) -> u64;
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        if self.is_nan() {
            u64::MAX
        } else {
            self.to_bits().into()
        }
    }
}

impl Bits for half::f16 {
    fn bits(self) -> u64 {
        if self.is_nan() {
            u64::MAX
        } else {
            self.to_bits().into()
        }
    }
}

impl Bits for half::bf16 {
    fn bits(self) -> u64 {
        if self.is_nan() {
            u64::MAX
        } else {
            self.to_bits().into()
        }
    }
}

impl Bits for i64 {
    fn bits(self) -> u64 {
        self as u64
    }
}

impl Bits for i32 {
    fn bits(self) -> u64 {
        self as u32 as u64
    }
}

impl Bits for i8 {
    fn bits(self) -> u64 {
        self as u8 as u64
    }
}

/// Compares a device's output with the native one.
#[track_caller]
pub(crate) fn same<T: Bits>(native: &[T], device: &[T]) {
    assert_eq!(native.len(), device.len());
    for (at, (n, d)) in native.iter().zip(device).enumerate() {
        assert_eq!(n.bits(), d.bits(), "element {at}: native {n:?}, device {d:?}");
    }
}
