//! Device memory, on the device that there is.

use std::fmt::Debug;
use std::sync::LazyLock;

use half::{bf16, f16};
use oxysycl_runtime::{Buffer, Element, MemoryError, Queue, Selector};

/// One queue for the tests that do not need their own.
static QUEUE: LazyLock<Queue> = LazyLock::new(|| Queue::new(&Selector::Auto).unwrap());

#[track_caller]
fn travels_unchanged<T: Element + PartialEq + Debug>(elements: &[T]) {
    let buffer = QUEUE.upload(elements).unwrap();
    assert_eq!(buffer.len(), elements.len());
    assert_eq!(
        bytemuck::cast_slice::<T, u8>(&buffer.to_vec().unwrap()),
        bytemuck::cast_slice::<T, u8>(elements)
    );
}

#[test]
fn every_type_travels_unchanged() {
    travels_unchanged(&[f16::NAN, f16::MIN, f16::from_bits(1)]);
    travels_unchanged(&[bf16::NAN, bf16::MAX, bf16::NEG_ZERO]);
    travels_unchanged(&[f32::NAN, -0.0, f32::MIN_POSITIVE / 2.0]);
    travels_unchanged(&[i8::MIN, -1, i8::MAX]);
    travels_unchanged(&[i16::MIN, -1, i16::MAX]);
    travels_unchanged(&[i32::MIN, -1, i32::MAX]);
    travels_unchanged(&[i64::MIN, -1, i64::MAX]);
    travels_unchanged(&[u8::MIN, 1, u8::MAX]);
    travels_unchanged(&[u16::MIN, 1, u16::MAX]);
    travels_unchanged(&[u32::MIN, 1, u32::MAX]);
    travels_unchanged(&[u64::MIN, 1, u64::MAX]);
}

#[track_caller]
fn fills<T: Element + PartialEq + Debug>(value: T) {
    let buffer = QUEUE.alloc::<T>(1001).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), vec![T::zeroed(); 1001]);
    buffer.slice(3..1000).unwrap().fill(value).unwrap();
    let elements = buffer.to_vec().unwrap();
    assert_eq!(elements[..3], [T::zeroed(); 3]);
    assert_eq!(elements[3..1000], vec![value; 997]);
    assert_eq!(elements[1000], T::zeroed());
}

#[test]
fn memory_starts_as_zero_and_fills_by_element() {
    fills(f16::from_f32(1.5));
    fills(bf16::from_f32(-2.5));
    fills(0.1f32);
    fills(-7i8);
    fills(-7000i16);
    fills(-7_000_000i32);
    fills(i64::MIN + 1);
    fills(0xA5u8);
    fills(0xA55Au16);
    fills(0xA5A5_5A5Au32);
    fills(0xA5A5_5A5A_0FF0_F00Fu64);
}

#[test]
fn a_part_is_written_and_read_without_its_neighbours() {
    let buffer = QUEUE.upload(&[7u8; 600]).unwrap();
    let part = buffer.slice(256..344).unwrap();
    part.copy_from(&[1; 88]).unwrap();
    let inner = part.slice(10..=19).unwrap();
    inner.copy_from(&[2; 10]).unwrap();
    assert_eq!(inner.to_vec().unwrap(), [2; 10]);
    let mut host = [0; 88];
    part.copy_to(&mut host).unwrap();
    assert_eq!(host[..10], [1; 10]);
    assert_eq!(host[10..20], [2; 10]);
    assert_eq!(host[20..], [1; 68]);
    let all = buffer.to_vec().unwrap();
    assert_eq!(all[..256], [7; 256]);
    assert_eq!(all[344..], [7; 256]);
}

#[test]
fn a_large_buffer_travels_unchanged() {
    let elements: Vec<u32> = (0..(96 << 20) / 4).collect();
    let buffer = QUEUE.upload(&elements).unwrap();
    assert!(buffer.to_vec().unwrap() == elements);
}

#[test]
fn allocations_are_aligned_to_a_cache_line() {
    let buffers: Vec<Buffer<u8>> = (1..50).map(|len| QUEUE.alloc(len).unwrap()).collect();
    for buffer in &buffers {
        assert_eq!(buffer.view().as_ptr().addr() % 64, 0, "{} bytes", buffer.len());
    }
}

#[test]
fn nothing_is_fine_too() {
    let empty = QUEUE.upload::<f32>(&[]).unwrap();
    assert!(empty.is_empty() && empty.view().is_empty() && empty.view().as_ptr().is_null());
    empty.fill(1.0).unwrap();
    empty.copy_from(&[]).unwrap();
    assert_eq!(empty.to_vec().unwrap(), Vec::<f32>::new());
    assert!(empty.slice(..).unwrap().is_empty());
    let buffer = QUEUE.upload(&[1.0f32, 2.0]).unwrap();
    let end = buffer.slice(2..).unwrap();
    assert!(end.is_empty());
    end.fill(3.0).unwrap();
    end.copy_from(&[]).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [1.0, 2.0]);
}

#[test]
fn unlike_lengths_are_refused() {
    let buffer = QUEUE.upload(&[1i32, 2, 3]).unwrap();
    for host in [&mut [0; 2][..], &mut [0; 4], &mut []] {
        for result in [buffer.copy_from(host), buffer.copy_to(host)] {
            let error = result.unwrap_err();
            assert!(matches!(error, MemoryError::Length { device: 3, .. }), "{error}");
            let text = error.to_string();
            assert!(
                text.contains("3 elements of i32") && text.contains(&host.len().to_string()),
                "{text}"
            );
        }
    }
    assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn ranges_outside_are_refused() {
    let buffer = QUEUE.upload(&[1u16, 2, 3]).unwrap();
    let view = buffer.slice(1..).unwrap();
    assert_eq!(view.to_vec().unwrap(), [2, 3]);
    #[allow(clippy::reversed_empty_ranges, reason = "what a caller may get wrong")]
    for error in [
        view.slice(..3).unwrap_err(),
        view.slice(3..).unwrap_err(),
        view.slice(2..1).unwrap_err(),
        view.slice(0..=2).unwrap_err(),
        view.slice(0..=usize::MAX).unwrap_err(),
        view.slice((std::ops::Bound::Excluded(usize::MAX), std::ops::Bound::Unbounded))
            .unwrap_err(),
    ] {
        assert!(matches!(error, MemoryError::Range { len: 2, .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains("not inside memory of 2 elements of u16"),
            "{error}"
        );
    }
}

#[test]
fn too_much_memory_is_refused() {
    let error = QUEUE.alloc::<u64>(1 << 44).unwrap_err();
    assert!(matches!(error, MemoryError::OutOfMemory { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&QUEUE.device().name) && text.contains(&(1u64 << 47).to_string()),
        "{text}"
    );
    for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize] {
        let error = QUEUE.alloc::<u64>(len).unwrap_err();
        assert!(matches!(error, MemoryError::TooLarge { .. }), "{error}");
    }
    assert_eq!(QUEUE.upload(&[1u64]).unwrap().to_vec().unwrap(), [1]);
}

#[test]
fn memory_may_be_shared_between_threads() {
    let buffer = QUEUE.alloc::<u32>(64 * 8).unwrap();
    std::thread::scope(|scope| {
        for part in 0..8usize {
            let view = buffer.slice(part * 64..(part + 1) * 64).unwrap();
            scope.spawn(move || view.copy_from(&[part as u32; 64]).unwrap());
        }
    });
    let expected: Vec<u32> = (0..8).flat_map(|part| [part; 64]).collect();
    assert_eq!(buffer.to_vec().unwrap(), expected);
}

#[test]
fn memory_outlives_the_name_of_its_queue() {
    let buffer = Queue::new(&Selector::Auto).unwrap().upload(&[1.0f32]).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [1.0]);
}
