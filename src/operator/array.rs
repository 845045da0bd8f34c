//! Arrays of somebody else's.

use oxysycl_codegen::ir::DType;
use smallvec::SmallVec;

/// Numbers of an array's dimensions, outermost first. So few as there usually are take no allocation.
pub(super) type Numbers = SmallVec<[i64; 4]>;

/// Memory of somebody else with its shape, on the host or on a device.
#[derive(Clone, Debug)]
pub struct Array {
    /// Address of the element whose indices are all 0.
    pub(super) address: usize,
    pub(super) dtype: DType,
    /// Number of positions in each dimension, outermost first.
    pub(super) shape: Numbers,
    /// Elements from one position to the next.
    pub(super) strides: Numbers,
    pub(super) writable: bool,
}

impl Array {
    /// An array at `address`, with its strides in elements; without them its elements lie one after the other.
    ///
    /// The address is not read here: whoever runs a [`Bound`](super::Bound) vouches for it.
    ///
    /// # Panics
    /// If there are not as many strides as dimensions.
    pub fn new(
        address: usize,
        dtype: DType,
        shape: impl IntoIterator<Item = i64>,
        strides: Option<impl IntoIterator<Item = i64>>,
        writable: bool,
    ) -> Self {
        let shape: Numbers = shape.into_iter().collect();
        let strides = match strides {
            Some(strides) => strides.into_iter().collect(),
            None => dense(&shape),
        };
        assert_eq!(shape.len(), strides.len(), "there is a stride for each dimension");
        Self {
            address,
            dtype,
            shape,
            strides,
            writable,
        }
    }
}

/// The strides of elements one after the other.
fn dense(shape: &[i64]) -> Numbers {
    let mut strides = Numbers::from_elem(1, shape.len());
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at].saturating_mul(shape[at]);
    }
    strides
}
