//! Typed launches, on the device.

use oxysycl::ops::rmsnorm::rmsnorm;
use oxysycl::ops::scale::scale;
use oxysycl::prelude::*;
use oxysycl::{LaunchError, Queue, Selector};

fn queue() -> Queue {
    Queue::new(&Selector::Auto).expect("there is a device")
}

fn numbers<T: Float>(count: usize) -> Vec<T> {
    (0..count)
        .map(|i| <T as Element>::narrow((i as f32 * 0.7548777).fract() * 4.0 - 2.0))
        .collect()
}

#[test]
fn scale_gives_the_bits_of_the_function() {
    fn check<T: Float + PartialEq + std::fmt::Debug>(queue: &Queue) {
        for count in [1, 7, 1000] {
            let x = numbers::<T>(count);
            let mut expected = numbers::<T>(count);
            scale(&x, &mut expected, 0.3, count as i64);
            let input = queue.upload(&x).unwrap();
            let output = queue.alloc::<T>(count).unwrap();
            scale::launch(queue, input.view(), output.view(), 0.3, count as i64).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected);
        }
    }
    let queue = queue();
    check::<f32>(&queue);
    check::<f16>(&queue);
    check::<bf16>(&queue);
}

#[test]
fn rmsnorm_normalises_strided_rows_in_place() {
    let queue = queue();
    let x = vec![300f32; 2 * 80];
    let buffer = queue.upload(&x).unwrap();
    let weight = queue.upload(&[0.5f32; 64]).unwrap();
    rmsnorm::launch::<f32, 64>(
        &queue,
        buffer.view(),
        weight.view(),
        buffer.view(),
        2,
        80,
        80,
        0.0,
    )
    .unwrap();
    let y = buffer.to_vec().unwrap();
    for (i, y) in y.into_iter().enumerate() {
        assert_eq!(y, if i % 80 < 64 { 0.5 } else { 300.0 }, "element {i}");
    }
}

#[test]
fn one_row_can_be_read_by_all_groups() {
    let queue = queue();
    let row = queue.upload(&numbers::<f16>(65)).unwrap();
    let weight = queue.upload(&[f16::ONE; 65]).unwrap();
    let output = queue.alloc::<f16>(5 * 65).unwrap();
    rmsnorm::launch::<f16, 65>(&queue, row.view(), weight.view(), output.view(), 5, 0, 65, 1e-6).unwrap();
    let y = output.to_vec().unwrap();
    assert!(y.chunks(65).all(|row| row == &y[..65]) && y[0] != f16::ZERO);
}

#[test]
fn empty_launches_succeed_and_touch_nothing() {
    let queue = queue();
    let empty = queue.alloc::<f32>(0).unwrap();
    scale::launch(&queue, empty.view(), empty.view(), 2.0, 0).unwrap();
    let output = queue.upload(&[7f32; 4]).unwrap();
    scale::launch(&queue, empty.view(), output.view(), 2.0, 0).unwrap();
    let weight = queue.alloc::<f32>(3).unwrap();
    rmsnorm::launch::<f32, 3>(&queue, empty.view(), weight.view(), output.view(), 0, 3, 3, 1e-6).unwrap();
    assert_eq!(output.to_vec().unwrap(), [7.0; 4]);
}

/// What a launch says, and that a good one after it works.
fn refused(queue: &Queue, launch: impl FnOnce(&Queue) -> Result<(), LaunchError>) -> String {
    let error = launch(queue).expect_err("this launch is refused").to_string();
    let one = queue.upload(&[3f32]).unwrap();
    scale::launch(queue, one.view(), one.view(), 2.0, 1).expect("a good launch after a refused one");
    assert_eq!(one.to_vec().unwrap(), [6.0]);
    error
}

#[test]
fn short_buffers_are_named_with_their_shape() {
    let queue = queue();
    let short = queue.alloc::<f32>(95).unwrap();
    let long = queue.alloc::<f32>(1000).unwrap();
    let error = refused(&queue, |queue| {
        rmsnorm::launch::<f32, 32>(queue, short.view(), long.view(), long.view(), 2, 64, 64, 1e-6)
    });
    assert_eq!(
        error,
        "rmsnorm: `input` has 95 elements, but its shape [num_tokens = 2 @ input_stride = 64, HIDDEN_SIZE = 32] needs 96"
    );
}

#[test]
fn negative_sizes_and_strides_are_named() {
    let queue = queue();
    let memory = queue.alloc::<f32>(100).unwrap();
    let error = refused(&queue, |queue| {
        scale::launch(queue, memory.view(), memory.view(), 1.0, -1)
    });
    assert_eq!(error, "scale: `numel` is -1; sizes and strides are 0 or more");
    let error = refused(&queue, |queue| {
        rmsnorm::launch::<f32, 4>(queue, memory.view(), memory.view(), memory.view(), 2, -8, 8, 1e-6)
    });
    assert_eq!(
        error,
        "rmsnorm: `input_stride` is -8; sizes and strides are 0 or more"
    );
}

#[test]
fn sizes_beyond_all_memory_are_refused() {
    let queue = queue();
    let memory = queue.alloc::<f32>(100).unwrap();
    let error = refused(&queue, |queue| {
        rmsnorm::launch::<f32, 4>(
            queue,
            memory.view(),
            memory.view(),
            memory.view(),
            i64::MAX,
            i64::MAX,
            4,
            1e-6,
        )
    });
    assert!(
        error.contains("`input`") && error.contains("too large"),
        "{error}"
    );
}

#[test]
fn overlap_that_is_not_declared_is_refused_by_the_library() {
    let queue = queue();
    let memory = queue.upload(&numbers::<f32>(101)).unwrap();
    let error = refused(&queue, |queue| {
        scale::launch(
            queue,
            memory.slice(..100).unwrap(),
            memory.slice(1..).unwrap(),
            2.0,
            100,
        )
    });
    assert!(
        error.contains("scale_forward_fp32 failed with status") && error.contains("overlap"),
        "{error}"
    );
    assert_eq!(
        memory.to_vec().unwrap(),
        numbers::<f32>(101),
        "nothing was submitted"
    );
}

#[test]
fn memory_of_another_queue_is_refused() {
    let (one, other) = (queue(), queue());
    let foreign = other.alloc::<f32>(8).unwrap();
    let own = one.alloc::<f32>(8).unwrap();
    let error = refused(&one, |queue| {
        scale::launch(queue, foreign.view(), own.view(), 2.0, 8)
    });
    assert!(error.contains("another queue"), "{error}");
}

#[test]
fn threads_may_launch_one_kernel_at_once() {
    let queue = queue();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let queue = &queue;
            scope.spawn(move || {
                let x = vec![thread as f32; 33 * 17];
                let input = queue.upload(&x).unwrap();
                let weight = queue.upload(&[2f32; 17]).unwrap();
                let output = queue.alloc::<f32>(x.len()).unwrap();
                for _ in 0..20 {
                    rmsnorm::launch::<f32, 17>(
                        queue,
                        input.view(),
                        weight.view(),
                        output.view(),
                        33,
                        17,
                        17,
                        1.0,
                    )
                    .unwrap();
                }
                let expected = thread as f32 / ((thread * thread) as f32 + 1.0).sqrt() * 2.0;
                let y = output.to_vec().unwrap();
                assert!(
                    y.into_iter().all(|y| (y - expected).abs() < 1e-5),
                    "thread {thread}"
                );
            });
        }
    });
}

/// The top bits of a seed.
#[sycl_kernel(shapes(y = [n]))]
fn seeded(y: &mut [i64], n: i64, seed: u64) {
    for i in elements(n) {
        y.store(i, (seed >> 60) as i64 + i);
    }
}

#[test]
fn integers_that_no_size_follows_from_may_be_any() {
    let queue = queue();
    let y = queue.upload(&[0i64; 3]).unwrap();
    seeded::launch(&queue, y.view(), 3, u64::MAX).unwrap();
    assert_eq!(y.to_vec().unwrap(), [15, 16, 17]);
}

/// y = x + 1, where x is the second half, from its end on.
#[sycl_kernel(shapes(x = [n], y = [n]))]
fn from_the_end(x: &[f32], y: &mut [f32], n: i64) {
    for i in elements(n) {
        y.store(i, x.load(2 * n - 1 - i) + 1.0);
    }
}

#[test]
fn what_lies_behind_a_shape_is_not_written() {
    let queue = queue();
    let memory = queue.upload(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let launch = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
        from_the_end::launch(&queue, memory.slice(x).unwrap(), memory.slice(y).unwrap(), 2)
    };
    for (x, y) in [(0..4, 2..4), (0..4, 3..5), (0..6, 4..6)] {
        let error = launch(x.clone(), y.clone()).unwrap_err();
        assert!(
            matches!(&error, LaunchError::Beyond { buffer, written, .. } if buffer == "x" && written == "y"),
            "{error}"
        );
    }
    launch(0..4, 4..6).unwrap();
    assert_eq!(memory.to_vec().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 4.0]);
    launch(2..6, 0..2).unwrap();
    assert_eq!(memory.to_vec().unwrap()[..2], [5.0, 6.0]);
}
