//! Queues of Python's libraries, known again when they are met again.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxysycl::Queue;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::error::Failure;

/// How many queues are known. One that makes room for another is shared anew when it is met again.
const MOST: usize = 16;

/// The queues that were met.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

struct Known {
    /// What Python has for the queue, which is alive as long as it is known.
    object: Py<PyAny>,
    /// The object as a number, if it is one: PyTorch has no other object for a queue.
    address: Option<usize>,
    queue: Queue,
    submitted: VecDeque<Submitted>,
}

/// A launch that may not have run yet.
struct Submitted {
    /// The event after it.
    event: Py<PyAny>,
    /// What it reads and writes.
    _arrays: Vec<Py<PyAny>>,
}

/// The queue that `object` is: a `dpctl.SyclQueue`, or the address of a `sycl::queue` that lives as long as the process.
pub(crate) fn shared(object: &Bound<'_, PyAny>) -> Result<Queue, Failure> {
    let py = object.py();
    if let Some(queue) = with(object, |known| known.queue.clone()) {
        return Ok(queue);
    }
    let address: usize = match object.extract() {
        Ok(address) => address,
        Err(_) => object.call_method0("addressof_ref")?.extract()?,
    };
    let address = NonNull::new(address as *mut c_void)
        .ok_or_else(|| PyValueError::new_err("the queue is null"))?
        .as_ptr() as usize;
    let share = || {
        let theirs = NonNull::new(address as *mut c_void).expect("was compared with null");
        // SAFETY: the library says that a queue is there, and `object` keeps it alive.
        unsafe { Queue::share(theirs) }
    };
    let queue = py.detach(share)?;
    let known = Known {
        object: object.clone().unbind(),
        address: object.extract().ok(),
        queue: queue.clone(),
        submitted: VecDeque::new(),
    };
    let forgotten = {
        let mut all = locked();
        let oldest = (all.len() == MOST).then(|| all.remove(0));
        all.push(known);
        oldest
    };
    if let Some(forgotten) = forgotten {
        // What it still runs may use the arrays that are dropped with it.
        py.detach(|| forgotten.queue.wait())
            .map_err(oxysycl::runtime::Error::from)?;
    }
    Ok(queue)
}

/// Keeps arrays alive until what was submitted to `queue`, which is `shared`, has run: whoever frees USM waits for nobody.
/// Those of launches that have run are let go when the next one is submitted.
pub(crate) fn keep<'py>(
    queue: &Bound<'py, PyAny>,
    arrays: impl Iterator<Item = Bound<'py, PyAny>>,
) -> Result<(), Failure> {
    let py = queue.py();
    let submitted = Submitted {
        event: queue.call_method0(intern!(py, "submit_barrier"))?.unbind(),
        _arrays: arrays.map(Bound::unbind).collect(),
    };
    // Nothing of Python's is called under the lock, which another thread may wait for while it has the interpreter.
    while let Some(event) = with(queue, |known| {
        known.submitted.front().map(|first| first.event.clone_ref(py))
    })
    .flatten()
    {
        if !is_done(event.bind(py)) {
            break;
        }
        let is_first = |first: &Submitted| first.event.is(&event);
        let done = with(queue, |known| {
            let same = known.submitted.front().is_some_and(is_first);
            same.then(|| known.submitted.pop_front())
        });
        drop(done);
    }
    with(queue, |known| known.submitted.push_back(submitted));
    Ok(())
}

/// Whether what was submitted before `event` has run.
fn is_done(event: &Bound<'_, PyAny>) -> bool {
    let py = event.py();
    let status = event.getattr(intern!(py, "execution_status"));
    let name = status.and_then(|status| status.getattr(intern!(py, "name")));
    name.is_ok_and(|name| name.eq(intern!(py, "complete")).unwrap_or(false))
}

fn locked() -> MutexGuard<'static, Vec<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with the queue that `object` is, if it is known.
fn with<T>(object: &Bound<'_, PyAny>, action: impl FnOnce(&mut Known) -> T) -> Option<T> {
    let address: Option<usize> = object.extract().ok();
    let mut all = locked();
    let known = all.iter_mut().find(|known| {
        known.object.is(object) || address.is_some_and(|address| known.address == Some(address))
    });
    known.map(action)
}
