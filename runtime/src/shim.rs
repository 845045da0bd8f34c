//! The other side of `shim.cpp`.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::{Device, DeviceKind};
use crate::module::{LoadError, Module};
use crate::unit::{Source, Target, Unit};

/// Why the SYCL run time did not do as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyclError {
    /// The SYCL run time reports an error.
    #[error("{action}: {reason}")]
    Failed {
        /// What was tried, such as `cannot wait for the queue`.
        action: &'static str,
        /// The run time's own words.
        reason: String,
    },
    /// This process was forked from one that had already used SYCL.
    #[error(
        "process {child} was forked from process {parent} after that had used SYCL, whose threads and \
         devices do not survive a fork: start new processes instead (spawn), or fork before the first queue is made"
    )]
    Forked {
        /// The process that used SYCL.
        parent: u32,
        /// This process.
        child: u32,
    },
}

/// A queue with its log of asynchronous errors, in C++.
pub(crate) enum Handle {}

/// Mirrors `facts` in `shim.cpp`.
#[repr(C)]
struct Facts {
    name: [c_char; 256],
    vendor: [c_char; 256],
    driver: [c_char; 256],
    backend: [c_char; 64],
    target: [c_char; 64],
    max_work_group: u64,
    local_memory: u64,
    global_memory: u64,
    sub_group_sizes: [u32; 16],
    sub_group_count: u32,
    kind: u8,
    fp16: u8,
    fp64: u8,
}

impl Default for Facts {
    fn default() -> Self {
        // SAFETY: zero bytes are a valid value of every field.
        unsafe { std::mem::zeroed() }
    }
}

impl From<Facts> for Device {
    fn from(facts: Facts) -> Self {
        let target = text(&facts.target);
        Device {
            name: text(&facts.name),
            vendor: text(&facts.vendor),
            driver: text(&facts.driver),
            backend: text(&facts.backend),
            kind: match facts.kind {
                1 => DeviceKind::Cpu,
                2 => DeviceKind::Gpu,
                _ => DeviceKind::Other,
            },
            sub_group_sizes: facts.sub_group_sizes[..facts.sub_group_count as usize].to_vec(),
            max_work_group: facts.max_work_group,
            local_memory: facts.local_memory,
            global_memory: facts.global_memory,
            fp16: facts.fp16 != 0,
            fp64: facts.fp64 != 0,
            target: if target.is_empty() {
                Target::Spir64
            } else {
                Target::Named(target)
            },
        }
    }
}

/// The loaded shim: C functions, the process that may call them, and whether this one was forked from it.
pub(crate) struct Shim {
    process: u32,
    forked: &'static AtomicBool,
    sycl_version: u32,
    error: unsafe extern "C" fn() -> *const c_char,
    device_count: unsafe extern "C" fn(*mut u32) -> i32,
    device_facts: unsafe extern "C" fn(u32, *mut Facts) -> i32,
    queue_new: unsafe extern "C" fn(u32, *mut *mut Handle, *mut *mut c_void) -> i32,
    queue_share: unsafe extern "C" fn(*const c_void, *mut *mut Handle, *mut *mut c_void, *mut Facts) -> i32,
    queue_free: unsafe extern "C" fn(*mut Handle) -> i32,
    wait: unsafe extern "C" fn(*mut Handle) -> i32,
    alloc: unsafe extern "C" fn(*mut Handle, u64, u64, *mut *mut c_void) -> i32,
    free: unsafe extern "C" fn(*mut Handle, *mut c_void) -> i32,
    copy: unsafe extern "C" fn(*mut Handle, *mut c_void, *const c_void, u64) -> i32,
    fill: unsafe extern "C" fn(*mut Handle, *mut c_void, *const c_void, u64, u64) -> i32,
}

impl Shim {
    /// What to compile.
    pub(crate) fn unit() -> Unit {
        Unit {
            source: Source::Host {
                name: "shim.cpp".to_owned(),
                text: include_str!("shim.cpp").to_owned(),
            },
            defines: Vec::new(),
            include_dirs: Vec::new(),
            target: Target::Spir64,
        }
    }

    /// The functions of `module`, which was compiled from [`unit`](Self::unit).
    pub(crate) fn of(module: &Module) -> Result<Self, LoadError> {
        // SAFETY: these are the types that `shim.cpp` gives these functions, and a module is never unloaded. A `bool` of C++ is
        // one byte, which it writes while there is only one thread.
        unsafe {
            let sycl_version: unsafe extern "C" fn() -> u32 = module.symbol("oxysycl_sycl_version")?;
            let forked: unsafe extern "C" fn() -> &'static AtomicBool = module.symbol("oxysycl_forked")?;
            Ok(Self {
                process: std::process::id(),
                forked: forked(),
                sycl_version: sycl_version(),
                error: module.symbol("oxysycl_error")?,
                device_count: module.symbol("oxysycl_device_count")?,
                device_facts: module.symbol("oxysycl_device_facts")?,
                queue_new: module.symbol("oxysycl_queue_new")?,
                queue_share: module.symbol("oxysycl_queue_share")?,
                queue_free: module.symbol("oxysycl_queue_free")?,
                wait: module.symbol("oxysycl_wait")?,
                alloc: module.symbol("oxysycl_alloc")?,
                free: module.symbol("oxysycl_free")?,
                copy: module.symbol("oxysycl_copy")?,
                fill: module.symbol("oxysycl_fill")?,
            })
        }
    }

    /// The major version of the SYCL run time.
    pub(crate) fn sycl_version(&self) -> u32 {
        self.sycl_version
    }

    /// All devices.
    pub(crate) fn devices(&self) -> Result<Vec<Device>, SyclError> {
        let mut count = 0;
        // SAFETY: the function writes one number.
        self.run("cannot list the devices", || unsafe {
            (self.device_count)(&mut count)
        })?;
        (0..count).map(|index| self.device(index)).collect()
    }

    fn device(&self, index: u32) -> Result<Device, SyclError> {
        let mut facts = Facts::default();
        // SAFETY: the function writes one `Facts`.
        self.run("cannot ask a device for its properties", || unsafe {
            (self.device_facts)(index, &mut facts)
        })?;
        Ok(facts.into())
    }

    /// A new queue on the device at `index`, and its `sycl::queue*`.
    pub(crate) fn queue_new(&self, index: usize) -> Result<(NonNull<Handle>, NonNull<c_void>), SyclError> {
        let (mut handle, mut raw) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the function checks the index, and writes two pointers.
        self.run("cannot make a queue", || unsafe {
            (self.queue_new)(index as u32, &mut handle, &mut raw)
        })?;
        let made = NonNull::new(handle).zip(NonNull::new(raw));
        Ok(made.expect("the shim sets both pointers where it reports success"))
    }

    /// The queue that is `theirs`, its `sycl::queue*` and its device.
    ///
    /// # Safety
    ///
    /// `theirs` is a `sycl::queue*` of the SYCL run time of this process, and alive.
    pub(crate) unsafe fn queue_share(
        &self,
        theirs: NonNull<c_void>,
    ) -> Result<(NonNull<Handle>, NonNull<c_void>, Device), SyclError> {
        let (mut handle, mut raw, mut facts) = (ptr::null_mut(), ptr::null_mut(), Facts::default());
        // SAFETY: the caller's promise; the function writes two pointers and one `Facts`.
        self.run("cannot share a queue", || unsafe {
            (self.queue_share)(theirs.as_ptr(), &mut handle, &mut raw, &mut facts)
        })?;
        let made = NonNull::new(handle).zip(NonNull::new(raw));
        let (handle, raw) = made.expect("the shim sets both pointers where it reports success");
        Ok((handle, raw, facts.into()))
    }

    /// Waits for a queue, unless somebody else made it, and destroys it.
    ///
    /// # Safety
    ///
    /// The queue is alive, and not used again.
    pub(crate) unsafe fn queue_free(&self, queue: NonNull<Handle>) -> Result<(), SyclError> {
        // SAFETY: the caller's promise.
        self.run("an error of a queue that nobody waited for", || unsafe {
            (self.queue_free)(queue.as_ptr())
        })
    }

    /// Waits for all that was submitted.
    ///
    /// # Safety
    ///
    /// The queue is alive.
    pub(crate) unsafe fn wait(&self, queue: NonNull<Handle>) -> Result<(), SyclError> {
        // SAFETY: the caller's promise.
        self.run("what the queue was given failed", || unsafe {
            (self.wait)(queue.as_ptr())
        })
    }

    /// Device memory; null if there is not enough.
    ///
    /// # Safety
    ///
    /// The queue is alive.
    pub(crate) unsafe fn alloc(
        &self,
        queue: NonNull<Handle>,
        bytes: u64,
        alignment: u64,
    ) -> Result<*mut c_void, SyclError> {
        let mut memory = ptr::null_mut();
        // SAFETY: the caller's promise; the function writes one pointer.
        self.run("cannot allocate device memory", || unsafe {
            (self.alloc)(queue.as_ptr(), bytes, alignment, &mut memory)
        })?;
        Ok(memory)
    }

    /// Frees device memory after all that was submitted before.
    ///
    /// # Safety
    ///
    /// The queue is alive, the memory came from it and is not used again.
    pub(crate) unsafe fn free(&self, queue: NonNull<Handle>, memory: *mut c_void) -> Result<(), SyclError> {
        // SAFETY: the caller's promise.
        self.run("cannot free device memory", || unsafe {
            (self.free)(queue.as_ptr(), memory)
        })
    }

    /// Copies bytes and waits.
    ///
    /// # Safety
    ///
    /// The queue is alive; both ends hold `bytes` bytes of its memory or of the host's.
    pub(crate) unsafe fn copy(
        &self,
        queue: NonNull<Handle>,
        to: *mut c_void,
        from: *const c_void,
        bytes: u64,
    ) -> Result<(), SyclError> {
        // SAFETY: the caller's promise.
        self.run("cannot copy device memory", || unsafe {
            (self.copy)(queue.as_ptr(), to, from, bytes)
        })
    }

    /// Submits the filling of `count` elements with `pattern`.
    ///
    /// # Safety
    ///
    /// The queue is alive, and `to` holds `count` times as many bytes of its memory as `pattern` has.
    pub(crate) unsafe fn fill(
        &self,
        queue: NonNull<Handle>,
        to: *mut c_void,
        pattern: &[u8],
        count: u64,
    ) -> Result<(), SyclError> {
        // SAFETY: the caller's promise.
        self.run("cannot fill device memory", || unsafe {
            (self.fill)(
                queue.as_ptr(),
                to,
                pattern.as_ptr().cast(),
                pattern.len() as u64,
                count,
            )
        })
    }

    /// Fails in a process that was forked after SYCL was used: there, every call into SYCL may hang.
    pub(crate) fn expect_same_process(&self) -> Result<(), SyclError> {
        if self.forked.load(Ordering::Relaxed) {
            return Err(SyclError::Forked {
                parent: self.process,
                child: std::process::id(),
            });
        }
        Ok(())
    }

    fn run(&self, action: &'static str, call: impl FnOnce() -> i32) -> Result<(), SyclError> {
        self.expect_same_process()?;
        if call() == 0 {
            return Ok(());
        }
        // SAFETY: the text is valid until this thread's next failure.
        let reason = unsafe { CStr::from_ptr((self.error)()) }
            .to_string_lossy()
            .into_owned();
        Err(SyclError::Failed { action, reason })
    }
}

impl fmt::Debug for Shim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shim")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// The text in a field of [`Facts`].
fn text(field: &[c_char]) -> String {
    let bytes: Vec<u8> = field
        .iter()
        .map(|&c| c as u8)
        .take_while(|&byte| byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
