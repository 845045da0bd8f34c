//! The attributes of kernels. A thin shell: the work is done by `oxysycl-codegen`.
//!
//! Use them through `oxysycl::prelude`.

use proc_macro::TokenStream;

/// Makes a Rust function a kernel.
///
/// The function stays as it is, callable as plain Rust, and is the kernel's reference. Beside it, in an enum of the same
/// name, stand its twins (`sized`, `shadow`, `shuffled`), its typed `launch`, and its registration.
///
/// Kernels with the same `header = ".."` are emitted into one file. A kernel may have a second export, for a loader that fixes
/// another signature:
///
/// ```text
/// drop_in(
///     symbol = "silu_and_mul_{T}",               // with the placeholders that `symbol` has
///     args(output, input, width, tokens: i32),   // in C order: parameters of the kernel, and numbers of its own
///     rows = tokens as i64,                      // arithmetic for each parameter that is not among them,
///     input_stride = 2 * width,
///     num_positions = unbounded,                 // or an extent that nobody tells: the caller vouches for the memory
/// )
/// ```
#[proc_macro_attribute]
pub fn sycl_kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    oxysycl_codegen::sycl_kernel(attribute.into(), item.into()).into()
}

/// Makes a Rust function on scalars callable from kernels.
#[proc_macro_attribute]
pub fn sycl_fn(attribute: TokenStream, item: TokenStream) -> TokenStream {
    oxysycl_codegen::sycl_fn(attribute.into(), item.into()).into()
}
