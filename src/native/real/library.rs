//! Whose functions the device computes with that a shadow is compared with.

use std::cell::Cell;

use oxysycl_codegen::ir::{Library, Math};

thread_local! {
    static LIBRARY: Cell<Library> = const { Cell::new(Library::OpenCl) };
}

/// Runs shadows of what a device computes with the functions of `library`. Elsewhere these are
/// [`OpenCl`](Library::OpenCl)'s.
pub fn computed_by<R>(library: Library, run: impl FnOnce() -> R) -> R {
    let outer = LIBRARY.replace(library);
    let result = run();
    LIBRARY.set(outer);
    result
}

/// What `math` may lose in each of its steps, in units in the last place of an `f32`.
pub(super) fn lost(math: Math) -> f64 {
    math.ulps(LIBRARY.get())
}
