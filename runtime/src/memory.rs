//! Typed device memory.
//!
//! Device memory is like a [`Cell`](std::cell::Cell): whoever can name it may read and write it, through
//! shared references too, because its in-order queue runs all that touches it one after the other. That is
//! what lets a kernel take one buffer both as input and as output.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::ptr::NonNull;

use crate::element::{Dtype, Element};
use crate::queue::{Queue, QueueId};
use crate::shim::SyclError;

/// Every allocation starts at a multiple of this many bytes: a cache line, and the widest vector.
const ALIGNMENT: u64 = 64;

/// `len` elements of device memory, freed when dropped and after all that its queue was given before.
pub struct Buffer<T: Element> {
    queue: Queue,
    /// Dangling if `len` is 0.
    pointer: NonNull<T>,
    len: usize,
}

// SAFETY: the pointer is only ever handed to the queue, which any thread may use, and orders all accesses.
unsafe impl<T: Element> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for Buffer<T> {}

/// A borrowed part of a [`Buffer`]. Kernels take it for `&[T]` and for `&mut [T]`: one view may be both input
/// and output.
pub struct View<'a, T: Element> {
    queue: &'a Queue,
    pointer: *mut T,
    len: usize,
    memory: PhantomData<&'a Buffer<T>>,
}

// SAFETY: as for `Buffer`, which it borrows.
unsafe impl<T: Element> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for View<'_, T> {}

/// Why device memory could not be had or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The device does not have that much memory.
    #[error(
        "{device} cannot give {bytes} bytes for {len} elements of {dtype}; it has {memory} bytes in all, \
             some of them in use: free other buffers or work in parts"
    )]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Elements asked for.
        len: usize,
        /// Their type.
        dtype: Dtype,
        /// Bytes asked for.
        bytes: u64,
        /// The device's global memory, in bytes.
        memory: u64,
    },
    /// More elements than can be addressed.
    #[error("{len} elements of {dtype} are more than memory can hold")]
    TooLarge {
        /// Elements asked for.
        len: usize,
        /// Their type.
        dtype: Dtype,
    },
    /// A copy between memories of unlike length.
    #[error(
        "cannot copy between {device} elements of {dtype} on the device and {host} on the host: \
         the lengths must be equal"
    )]
    Length {
        /// Elements on the device.
        device: usize,
        /// Elements on the host.
        host: usize,
        /// Their type.
        dtype: Dtype,
    },
    /// A range that is not inside the memory it is a part of.
    #[error("elements {start}..{end} are not inside memory of {len} elements of {dtype}")]
    Range {
        /// First element.
        start: usize,
        /// One past the last element.
        end: usize,
        /// Elements there are.
        len: usize,
        /// Their type.
        dtype: Dtype,
    },
    /// The SYCL run time failed.
    #[error(transparent)]
    Sycl(#[from] SyclError),
}

impl Queue {
    /// `len` elements of device memory, all zero.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>, MemoryError> {
        let buffer = Buffer::uninitialised(self, len)?;
        buffer.fill(T::zeroed())?;
        Ok(buffer)
    }

    /// Device memory that holds a copy of `elements`.
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<Buffer<T>, MemoryError> {
        let buffer = Buffer::uninitialised(self, elements.len())?;
        buffer.copy_from(elements)?;
        Ok(buffer)
    }
}

impl<T: Element> Buffer<T> {
    fn uninitialised(queue: &Queue, len: usize) -> Result<Self, MemoryError> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or(MemoryError::TooLarge { len, dtype: T::DTYPE })? as u64;
        let mut pointer = NonNull::dangling();
        if len > 0 {
            // SAFETY: the queue's handle is alive.
            let memory = unsafe { queue.shim().alloc(queue.handle(), bytes, ALIGNMENT) }?;
            pointer = NonNull::new(memory.cast()).ok_or_else(|| MemoryError::OutOfMemory {
                device: queue.device().name.clone(),
                len,
                dtype: T::DTYPE,
                bytes,
                memory: queue.device().global_memory,
            })?;
        }
        Ok(Self {
            queue: queue.clone(),
            pointer,
            len,
        })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The queue that this memory belongs to.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// All of it.
    pub fn view(&self) -> View<'_, T> {
        let pointer = if self.len == 0 {
            std::ptr::null_mut()
        } else {
            self.pointer.as_ptr()
        };
        View {
            queue: &self.queue,
            pointer,
            len: self.len,
            memory: PhantomData,
        }
    }

    /// The part of it in `range`.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>, MemoryError> {
        self.view().slice(range)
    }

    /// Sets every element to `value`.
    pub fn fill(&self, value: T) -> Result<(), MemoryError> {
        self.view().fill(value)
    }

    /// Overwrites all elements with those of `host`, which has as many.
    pub fn copy_from(&self, host: &[T]) -> Result<(), MemoryError> {
        self.view().copy_from(host)
    }

    /// Copies all elements to `host`, which has as many, once all that was submitted before has run.
    pub fn copy_to(&self, host: &mut [T]) -> Result<(), MemoryError> {
        self.view().copy_to(host)
    }

    /// A copy of all elements, once all that was submitted before has run.
    pub fn to_vec(&self) -> Result<Vec<T>, MemoryError> {
        self.view().to_vec()
    }
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.len == 0 {
            return;
        }
        // SAFETY: this memory came from the same queue, and nobody borrows it any more.
        match unsafe {
            self.queue
                .shim()
                .free(self.queue.handle(), self.pointer.as_ptr().cast())
        } {
            // A forked child owns no part of its parent's memory.
            Ok(()) | Err(SyclError::Forked { .. }) => {}
            Err(error) => eprintln!("oxysycl: {error}"),
        }
    }
}

impl<'a, T: Element> View<'a, T> {
    /// `len` elements at `pointer`, memory of somebody else. It may be null if there are none.
    ///
    /// # Safety
    /// A device reaches so many elements there through `queue`, until it has run all that this view and its copies are given
    /// to; and nobody else touches them meanwhile but through that queue.
    pub unsafe fn from_raw(queue: &'a Queue, pointer: *mut T, len: usize) -> Self {
        View {
            queue,
            pointer,
            len,
            memory: PhantomData,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The queue that this memory belongs to.
    pub fn queue(&self) -> &'a Queue {
        self.queue
    }

    /// The address in device memory, for comparison and for C; null for a view of an empty buffer.
    pub fn as_ptr(&self) -> *mut T {
        self.pointer
    }

    /// The part of it in `range`.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self, MemoryError> {
        let start = match range.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&before) => before.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(self.len),
        };
        let (start, end) = (start.unwrap_or(usize::MAX), end.unwrap_or(usize::MAX));
        if start > end || end > self.len {
            return Err(MemoryError::Range {
                start,
                end,
                len: self.len,
                dtype: T::DTYPE,
            });
        }
        Ok(Self {
            pointer: self.pointer.wrapping_add(start),
            len: end - start,
            ..*self
        })
    }

    /// Sets every element to `value`.
    pub fn fill(&self, value: T) -> Result<(), MemoryError> {
        if self.len > 0 {
            let pattern = bytemuck::bytes_of(&value);
            // SAFETY: `len` elements of this queue's memory start here.
            unsafe {
                self.queue
                    .shim()
                    .fill(self.queue.handle(), self.pointer.cast(), pattern, self.len as u64)
            }?;
        }
        Ok(())
    }

    /// Overwrites all elements with those of `host`, which has as many.
    pub fn copy_from(&self, host: &[T]) -> Result<(), MemoryError> {
        self.expect_length(host.len())?;
        // SAFETY: both ends hold `len` elements, and the copy is over before `host` can change.
        unsafe { self.copy(self.pointer.cast(), host.as_ptr().cast()) }
    }

    /// Copies all elements to `host`, which has as many, once all that was submitted before has run.
    pub fn copy_to(&self, host: &mut [T]) -> Result<(), MemoryError> {
        self.expect_length(host.len())?;
        // SAFETY: both ends hold `len` elements, and the copy is over before `host` can be read.
        T::receive(host, |host| unsafe { self.copy(host, self.pointer.cast()) })
    }

    /// A copy of all elements, once all that was submitted before has run.
    pub fn to_vec(&self) -> Result<Vec<T>, MemoryError> {
        let mut host = vec![T::zeroed(); self.len];
        self.copy_to(&mut host)?;
        Ok(host)
    }

    pub(crate) fn queue_id(&self) -> QueueId {
        self.queue.id()
    }

    fn expect_length(&self, host: usize) -> Result<(), MemoryError> {
        if host == self.len {
            return Ok(());
        }
        Err(MemoryError::Length {
            device: self.len,
            host,
            dtype: T::DTYPE,
        })
    }

    /// Copies the bytes of this view, and waits.
    ///
    /// # Safety
    ///
    /// `to` and `from` point to that many bytes, on the host or of this queue.
    unsafe fn copy(&self, to: *mut c_void, from: *const c_void) -> Result<(), MemoryError> {
        if self.len > 0 {
            // SAFETY: the caller's promise.
            unsafe {
                self.queue.shim().copy(
                    self.queue.handle(),
                    to,
                    from,
                    size_of::<T>() as u64 * self.len as u64,
                )
            }?;
        }
        Ok(())
    }
}

impl<T: Element> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for View<'_, T> {}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} elements)", T::DTYPE, self.len)
    }
}

impl<T: Element> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "View<{}>({} elements at {:p})",
            T::DTYPE,
            self.len,
            self.pointer
        )
    }
}
