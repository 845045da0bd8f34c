//! The attributes of kernels. A thin shell: the work is done by `oxysycl-codegen`.
//!
//! Use them through `oxysycl::prelude`.

use proc_macro::TokenStream;

/// Makes a Rust function a kernel.
///
/// The function stays as it is, callable as plain Rust, and is the kernel's reference. Beside it, in an enum of the same
/// name, stand its twins (`sized`, `shadow`, `shuffled`), its typed `launch`, and its registration.
#[proc_macro_attribute]
pub fn sycl_kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    oxysycl_codegen::sycl_kernel(attribute.into(), item.into()).into()
}

/// Makes a Rust function on scalars callable from kernels.
#[proc_macro_attribute]
pub fn sycl_fn(attribute: TokenStream, item: TokenStream) -> TokenStream {
    oxysycl_codegen::sycl_fn(attribute.into(), item.into()).into()
}
