//! The shapes that launches take.

use std::cell::Cell;
use std::sync::LazyLock;

use super::LaunchError;

/// The environment variable that has all launches take the shapes of a GPU.
const VARIABLE: &str = "OXYSYCL_SHAPES";

/// Its only value.
const GPU: &str = "gpu";

static OF_PROCESS: LazyLock<String> = LazyLock::new(|| {
    let value = std::env::var_os(VARIABLE).unwrap_or_default();
    value.to_string_lossy().into_owned()
});

thread_local! {
    static OF_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, in which this thread's typed launches take the shapes of a GPU on every device: vectors, work-groups of several
/// sub-groups, work-groups of several rows. So a CPU device runs what is meant for GPUs, as [`check`](crate::check) and tests
/// have it do; it is slow there. The environment variable `OXYSYCL_SHAPES=gpu` does that for a whole process.
pub fn shaped_for_gpu<R>(f: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            OF_THREAD.set(self.0);
        }
    }
    let _before = Before(OF_THREAD.replace(true));
    f()
}

/// Whether this thread's launches take the shapes of a GPU.
pub(super) fn for_gpu() -> Result<bool, LaunchError> {
    match OF_PROCESS.as_str() {
        "" => Ok(OF_THREAD.get()),
        GPU => Ok(true),
        value => Err(LaunchError::Shapes {
            variable: VARIABLE,
            value: value.to_owned(),
        }),
    }
}
