//! What a file of kernels needs: `use oxysycl::prelude::*;`

pub use crate::native::{
    Element, Float, Index, Load, Row, RowMut, Rows, Store, elements, erf, group_max, group_min, group_sum,
    groups, lanes, rsqrt,
};
pub use half::{bf16, f16};
pub use oxysycl_codegen::ir::DType;
pub use oxysycl_kernels_dsl::{sycl_fn, sycl_kernel};
