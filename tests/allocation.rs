//! A typed launch allocates nothing in Rust once its kernel is loaded.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use oxysycl::ops::rmsnorm::rmsnorm;
use oxysycl::ops::scale::scale;
use oxysycl::{Queue, Selector};

/// The system's allocator, which counts for each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread while `work` runs.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn launches_allocate_nothing() {
    assert_eq!(allocations(|| drop(Box::new(1))), 1);
    let queue = Queue::new(&Selector::Auto).unwrap();
    let (rows, weight) = (queue.alloc::<f32>(200).unwrap(), queue.alloc::<f32>(64).unwrap());
    let launches: [&dyn Fn(); 2] = [
        &|| scale::launch(&queue, rows.view(), rows.view(), 2.0, 200).unwrap(),
        &|| {
            let (rows, weight) = (rows.view(), weight.view());
            rmsnorm::launch::<f32, 64>(&queue, rows, weight, rows, 3, 64, 64, 1e-6).unwrap();
        },
    ];
    for launch in launches {
        launch();
        assert_eq!(allocations(|| (0..10).for_each(|_| launch())), 0);
    }
}
