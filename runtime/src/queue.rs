//! In-order queues.

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::device::{Device, Selector};
use crate::runtime::{Error, Runtime};
use crate::shim::{Handle, Shim, SyclError};

/// An in-order SYCL queue on one device: what is submitted to it runs in that order, one after the other.
/// Clones are the same queue.
#[derive(Clone)]
pub struct Queue {
    inner: Arc<Inner>,
}

struct Inner {
    shim: &'static Shim,
    device: Device,
    handle: NonNull<Handle>,
    raw: NonNull<c_void>,
}

// SAFETY: SYCL queues may be used from any thread, by several at once; the shim adds a log behind a mutex.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// Which queue something belongs to, as long as that queue lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueId(usize);

impl Queue {
    /// A new queue on the device that `selector` picks.
    pub fn new(selector: &Selector) -> Result<Self, Error> {
        let runtime = Runtime::global()?;
        let shim = runtime.shim()?;
        let devices = shim.devices()?;
        let selector = selector.resolved();
        let Some(index) = selector.pick(&devices) else {
            return Err(Error::NoDevice {
                wanted: selector,
                found: devices,
                hidden_by: runtime.hiding_variables(),
            });
        };
        let (handle, raw) = shim.queue_new(index)?;
        let device = devices[index].clone();
        Ok(Self {
            inner: Arc::new(Inner {
                shim,
                device,
                handle,
                raw,
            }),
        })
    }

    /// The queue of somebody else at `theirs`, a `sycl::queue*`: what is launched on it runs in turn with what they submit,
    /// whether or not it is in-order. It is alive as long as a clone of this, is not waited for when the last one is dropped,
    /// and reports asynchronous errors to its maker.
    ///
    /// # Errors
    /// If there is no SYCL run time, or it is another than that of this process, or it fails.
    ///
    /// # Safety
    /// `theirs` points to a `sycl::queue` of this process, which is alive during this call.
    pub unsafe fn share(theirs: NonNull<c_void>) -> Result<Self, Error> {
        let shim = Runtime::global()?.shim()?;
        // SAFETY: the caller's promise; the shim is only loaded beside a SYCL run time that is its own.
        let (handle, raw, device) = unsafe { shim.queue_share(theirs) }?;
        Ok(Self {
            inner: Arc::new(Inner {
                shim,
                device,
                handle,
                raw,
            }),
        })
    }

    /// The device that this queue is on.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Waits until everything submitted has run. What went wrong since the last synchronisation is reported
    /// here.
    pub fn wait(&self) -> Result<(), SyclError> {
        // SAFETY: the handle is alive as long as `inner`.
        unsafe { self.inner.shim.wait(self.handle()) }
    }

    /// The `sycl::queue*` that exported functions take. It is alive as long as a clone of this queue.
    pub fn as_raw(&self) -> *mut c_void {
        self.inner.raw.as_ptr()
    }

    pub(crate) fn id(&self) -> QueueId {
        QueueId(self.inner.raw.as_ptr().addr())
    }

    pub(crate) fn shim(&self) -> &'static Shim {
        self.inner.shim
    }

    pub(crate) fn handle(&self) -> NonNull<Handle> {
        self.inner.handle
    }
}

impl Drop for Inner {
    /// Waits for what was submitted to a queue of its own. Errors that nobody synchronised with go to standard error.
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle any more.
        match unsafe { self.shim.queue_free(self.handle) } {
            // A forked child owns no part of its parent's queues.
            Ok(()) | Err(SyclError::Forked { .. }) => {}
            Err(error) => eprintln!("oxysycl: {error}"),
        }
    }
}

impl PartialEq for Queue {
    /// Whether both are the same queue.
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Queue {}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("device", &self.inner.device.name)
            .finish_non_exhaustive()
    }
}
