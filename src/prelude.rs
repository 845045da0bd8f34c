//! What a file of kernels needs: `use oxysycl::prelude::*;`

// The traits are there for their methods; their names stay free.
pub use crate::native::functions::*;
pub use crate::native::{Element, Float, Index, Load as _, Rows as _, Store as _};
pub use crate::native::{elements, groups, lanes};
pub use crate::native::{
    group_all, group_any, group_argmax, group_argmin, group_max, group_min, group_scan_sum, group_sum,
};
pub use half::{bf16, f16};
pub use oxysycl_codegen::ir::DType;
pub use oxysycl_kernels_dsl::{sycl_fn, sycl_kernel};
