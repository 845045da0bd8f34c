//! What the attributes put beside a function: its twins, its typed launch and its registration.

mod function;
mod group;
mod kernel;
mod shadow;
mod shuffled;
mod words;

pub use self::function::sycl_fn;
pub use self::kernel::sycl_kernel;
