//! Queues and launches of a hand-written header, on the device that there is; and how processes that used
//! them end.

mod common;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use oxysycl_runtime::{
    Buffer, CallError, Device, DeviceKind, Error, Function, Queue, Runtime, Selector, Source, SyclError,
    Target, Unit, View,
};

use common::{process, texts};

fn main() -> ExitCode {
    common::run(
        &[
            ("the_device_describes_itself", the_device_describes_itself),
            (
                "the_environment_chooses_the_device",
                the_environment_chooses_the_device,
            ),
            ("arguments_reach_the_kernel", arguments_reach_the_kernel),
            ("launches_run_in_order", launches_run_in_order),
            ("launches_work_in_place", launches_work_in_place),
            ("memory_around_a_view_stays", memory_around_a_view_stays),
            (
                "temporary_memory_lives_long_enough",
                temporary_memory_lives_long_enough,
            ),
            ("refusals_give_the_reason", refusals_give_the_reason),
            ("a_thousand_errors_do_no_harm", a_thousand_errors_do_no_harm),
            (
                "late_failures_surface_at_the_next_wait",
                late_failures_surface_at_the_next_wait,
            ),
            ("functions_without_status_run", functions_without_status_run),
            (
                "memory_of_another_queue_is_refused",
                memory_of_another_queue_is_refused,
            ),
            (
                "two_modules_keep_their_kernels_apart",
                two_modules_keep_their_kernels_apart,
            ),
            (
                "functions_outlive_the_module_cache",
                functions_outlive_the_module_cache,
            ),
            ("threads_share_a_queue", threads_share_a_queue),
            ("processes_end_as_they_should", processes_end_as_they_should),
            ("a_forked_child_gets_an_error", a_forked_child_gets_an_error),
        ],
        &[
            ("show_device", show_device),
            ("return", || drop(Used::new())),
            ("return with work under way", || drop(busy())),
            ("return with everything leaked", || std::mem::forget(busy())),
            ("exit", || {
                let _used = Used::new();
                std::process::exit(3);
            }),
            ("exit with work under way", || {
                let _used = busy();
                std::process::exit(3);
            }),
            ("panic", || {
                let _used = busy();
                panic!("on purpose");
            }),
            ("fork", fork),
        ],
    )
}

/// The module of the header with this factor.
fn affine(factor: u32) -> Affine {
    let unit = Unit {
        source: Source::Header {
            name: "affine.hpp".to_owned(),
            text: include_str!("headers/affine.hpp").to_owned(),
        },
        defines: vec![("TEST_FACTOR".to_owned(), factor.to_string())],
        include_dirs: Vec::new(),
        target: Target::Spir64,
    };
    let module = Runtime::global().unwrap().module(&unit).unwrap();
    let function = |symbol| module.function(symbol, Some("affine_last_error")).unwrap();
    Affine {
        affine: function("affine"),
        in_groups: function("affine_in_groups"),
        void: module.function("affine_void", None).unwrap(),
        fail_later: function("affine_fail_later"),
    }
}

struct Affine {
    affine: Function,
    in_groups: Function,
    void: Function,
    fail_later: Function,
}

impl Affine {
    /// output = ±(input · factor · TEST_FACTOR + offset)
    fn run(
        &self,
        input: View<'_, f32>,
        output: View<'_, f32>,
        (factor, offset, negate): (f32, i32, bool),
    ) -> Result<(), CallError> {
        assert!(input.len() <= output.len());
        let arguments = (input, output, factor, offset, negate, input.len() as i64);
        // SAFETY: the header's C type, and views that are long enough.
        unsafe { self.affine.call(input.queue(), arguments) }
    }

    fn scale(&self, input: &Buffer<f32>, factor: f32) -> Vec<f32> {
        let output = input.queue().alloc(input.len()).unwrap();
        self.run(input.view(), output.view(), (factor, 0, false)).unwrap();
        output.to_vec().unwrap()
    }
}

fn queue() -> Queue {
    Queue::new(&Selector::Auto).unwrap()
}

fn the_device_describes_itself() {
    let queue = queue();
    let device = queue.device();
    assert!(!device.name.is_empty() && !device.vendor.is_empty() && !device.driver.is_empty());
    assert!(matches!(device.kind, DeviceKind::Cpu | DeviceKind::Gpu));
    assert!(
        device.sub_group_sizes.contains(&16),
        "{:?}",
        device.sub_group_sizes
    );
    assert!(device.max_work_group >= 64 && device.local_memory >= 1 << 14 && device.global_memory > 1 << 28);
    assert!(device.fp16);
    assert!(Device::all().unwrap().contains(device));
    let sycl = Runtime::global().unwrap().sycl().unwrap();
    assert!(sycl.version >= 8);
    let file = sycl.path.unwrap();
    assert!(
        file.to_str()
            .unwrap()
            .contains(&format!("libsycl.so.{}", sycl.version)),
        "{}",
        file.display()
    );
}

/// The role of a process that shows which device it gets.
fn show_device() {
    match Queue::new(&Selector::Auto) {
        Ok(queue) => println!("{}", queue.device().kind),
        Err(error) => {
            assert!(matches!(error, Error::NoDevice { .. }), "{error}");
            println!("{error}");
        }
    }
}

fn the_environment_chooses_the_device() {
    let shown = |choice: &str| {
        let output = process("show_device")
            .env("OXYSYCL_DEVICE", choice)
            .output()
            .unwrap();
        let (stdout, stderr) = texts(&output);
        assert!(output.status.success(), "{stderr}");
        stdout
    };
    let device = queue().device().clone();
    assert_eq!(shown("cpu"), "cpu\n");
    assert_eq!(shown(""), format!("{}\n", device.kind));
    assert_eq!(
        shown(&device.name[..5].to_uppercase()),
        format!("{}\n", device.kind)
    );
    let nothing = shown("no such device");
    assert!(
        nothing.contains("no such device") && nothing.contains(&device.name),
        "{nothing}"
    );
}

fn arguments_reach_the_kernel() {
    let (queue, affine) = (queue(), affine(1));
    let input = queue.upload(&[1.0, -2.0, 0.5]).unwrap();
    let output = queue.alloc(3).unwrap();
    affine.run(input.view(), output.view(), (2.0, -1, true)).unwrap();
    assert_eq!(output.to_vec().unwrap(), [-1.0, 5.0, 0.0]);
    affine
        .run(input.view(), output.view(), (2.0, i32::MAX, false))
        .unwrap();
    assert_eq!(output.to_vec().unwrap(), [2147483648.0; 3]);
}

fn launches_run_in_order() {
    let (queue, affine) = (queue(), affine(1));
    let (a, b) = (
        queue.upload(&vec![0.0f32; 10_000]).unwrap(),
        queue.alloc(10_000).unwrap(),
    );
    for _ in 0..100 {
        affine.run(a.view(), b.view(), (1.0, 1, false)).unwrap();
        affine.run(b.view(), a.view(), (2.0, 0, false)).unwrap();
        affine.run(a.view(), a.view(), (0.5, 0, false)).unwrap();
    }
    assert_eq!(a.to_vec().unwrap(), vec![100.0; 10_000]);
    a.fill(7.0).unwrap();
    affine.run(a.view(), b.view(), (2.0, 0, false)).unwrap();
    a.fill(8.0).unwrap();
    queue.wait().unwrap();
    assert_eq!(b.to_vec().unwrap(), vec![14.0; 10_000]);
}

fn launches_work_in_place() {
    let (queue, affine) = (queue(), affine(1));
    let buffer = queue.upload(&[1.0, 2.0, 3.0]).unwrap();
    affine.run(buffer.view(), buffer.view(), (3.0, 0, false)).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [3.0, 6.0, 9.0]);
}

fn memory_around_a_view_stays() {
    const CANARIES: usize = 64;
    let (queue, affine) = (queue(), affine(1));
    for len in [0, 1, 3, 63, 64, 65, 1000] {
        let input = queue.upload(&vec![1.0; len + 2 * CANARIES]).unwrap();
        let output = queue.upload(&vec![-9.0; len + 2 * CANARIES]).unwrap();
        let range = CANARIES..CANARIES + len;
        affine
            .run(
                input.slice(range.clone()).unwrap(),
                output.slice(range).unwrap(),
                (5.0, 0, false),
            )
            .unwrap();
        let elements = output.to_vec().unwrap();
        assert_eq!(elements[..CANARIES], [-9.0; CANARIES]);
        assert_eq!(elements[CANARIES..CANARIES + len], vec![5.0; len]);
        assert_eq!(elements[CANARIES + len..], [-9.0; CANARIES]);
    }
}

fn temporary_memory_lives_long_enough() {
    let (queue, affine) = (queue(), affine(1));
    let output = queue.alloc(1000 * 32).unwrap();
    for i in 0..1000 {
        let temporary = queue.upload(&[i as f32; 32]).unwrap();
        let part = output.slice(32 * i..32 * (i + 1)).unwrap();
        affine.run(temporary.view(), part, (1.0, 0, false)).unwrap();
    }
    let expected: Vec<f32> = (0..1000).flat_map(|i| [i as f32; 32]).collect();
    assert_eq!(output.to_vec().unwrap(), expected);
}

/// Launches with a number of elements and a work-group that may be wrong.
fn in_groups(affine: &Affine, buffer: &Buffer<f32>, numel: i64, work_group: i64) -> Result<(), CallError> {
    assert!(numel <= buffer.len() as i64);
    // SAFETY: the header's C type, and no more elements than there are.
    unsafe {
        affine
            .in_groups
            .call(buffer.queue(), (buffer.view(), buffer.view(), numel, work_group))
    }
}

fn refusals_give_the_reason() {
    let (queue, affine) = (queue(), affine(1));
    let buffer = queue.upload(&[1.0f32; 64]).unwrap();
    match in_groups(&affine, &buffer, -1, 64).unwrap_err() {
        CallError::Failed {
            symbol,
            status,
            reason,
        } => {
            assert_eq!((symbol.as_str(), status), ("affine_in_groups", 2));
            assert_eq!(reason, "affine: numel must not be negative");
        }
        other => panic!("{other}"),
    }
    let oversized = i64::try_from(queue.device().max_work_group).unwrap() * 2;
    let error = in_groups(&affine, &buffer, 64, oversized).unwrap_err();
    assert!(
        matches!(&error, CallError::Failed { status: 3, reason, .. } if !reason.is_empty()),
        "{error}"
    );
    in_groups(&affine, &buffer, 64, 16).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [1.0; 64]);
}

/// Resident memory of this process, in bytes.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

fn a_thousand_errors_do_no_harm() {
    let (queue, affine) = (queue(), affine(1));
    let buffer = queue.upload(&[1.0f32; 64]).unwrap();
    let oversized = i64::try_from(queue.device().max_work_group).unwrap() * 2;
    let errors = |count: usize| {
        for _ in 0..count {
            in_groups(&affine, &buffer, 64, oversized).unwrap_err();
        }
    };
    errors(100);
    let before = resident();
    errors(1000);
    let grown = resident().saturating_sub(before);
    assert!(grown < 8 << 20, "{grown} bytes more after 1000 errors");
    assert_eq!(affine.scale(&buffer, 4.0), [4.0; 64]);
}

fn late_failures_surface_at_the_next_wait() {
    let (queue, affine) = (queue(), affine(1));
    let buffer = queue.upload(&[1.0f32; 8]).unwrap();
    // SAFETY: the header's C type, and no memory.
    let fail = || unsafe { affine.fail_later.call(&queue, ()) }.unwrap();
    fail();
    let error = queue.wait().unwrap_err().to_string();
    assert!(error.contains("on purpose"), "{error}");
    queue.wait().unwrap();
    fail();
    drop(queue.alloc::<f32>(8).unwrap());
    let error = buffer.to_vec().unwrap_err().to_string();
    assert!(error.contains("on purpose"), "{error}");
    assert_eq!(affine.scale(&buffer, 2.0), [2.0; 8]);
}

fn functions_without_status_run() {
    let (queue, affine) = (queue(), affine(1));
    let input = queue.upload(&[1.0f32, 2.0]).unwrap();
    let output = queue.alloc::<f32>(2).unwrap();
    // SAFETY: the header's C type, and views that are long enough.
    unsafe { affine.void.call_void(&queue, (input.view(), output.view(), 2i64)) }.unwrap();
    assert_eq!(output.to_vec().unwrap(), [1.0, 2.0]);
}

fn memory_of_another_queue_is_refused() {
    let (one, other, affine) = (queue(), queue(), affine(1));
    assert_ne!(one, other);
    assert_eq!(one, one.clone());
    let (input, output) = (one.upload(&[1.0f32]).unwrap(), other.upload(&[2.0f32]).unwrap());
    let error = affine
        .run(input.view(), output.view(), (1.0, 0, false))
        .unwrap_err();
    assert!(
        matches!(error, CallError::ForeignMemory { position: 1, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("affine: argument 1"), "{error}");
    assert_eq!(output.to_vec().unwrap(), [2.0]);
}

fn two_modules_keep_their_kernels_apart() {
    let queue = queue();
    let input = queue.upload(&[1.0f32; 100]).unwrap();
    let (two, three) = (affine(2), affine(3));
    for _ in 0..2 {
        assert_eq!(two.scale(&input, 1.0), [2.0; 100]);
        assert_eq!(three.scale(&input, 1.0), [3.0; 100]);
    }
    assert_eq!(three.scale(&input, 1.0), [3.0; 100]);
    assert_eq!(two.scale(&input, 1.0), [2.0; 100]);
}

fn functions_outlive_the_module_cache() {
    let queue = queue();
    let input = queue.upload(&[1.0f32; 100]).unwrap();
    let before = affine(5);
    Runtime::global().unwrap().clear_module_cache();
    let after = affine(5);
    for _ in 0..2 {
        assert_eq!(before.scale(&input, 1.0), [5.0; 100]);
        assert_eq!(after.scale(&input, 2.0), [10.0; 100]);
    }
}

fn threads_share_a_queue() {
    let (queue, affine) = (queue(), affine(1));
    std::thread::scope(|scope| {
        for i in 0..8 {
            let (queue, affine) = (&queue, &affine);
            scope.spawn(move || {
                let input = queue.upload(&[i as f32; 500]).unwrap();
                for _ in 0..20 {
                    assert_eq!(affine.scale(&input, 2.0), [2.0 * i as f32; 500]);
                }
                in_groups(affine, &input, -1, 64).unwrap_err();
            });
        }
    });
}

/// A queue and memory that were used.
struct Used {
    queue: Queue,
    memory: Buffer<f32>,
    affine: Affine,
}

impl Used {
    fn new() -> Self {
        let (queue, affine) = (queue(), affine(1));
        let memory = queue.upload(&vec![1.0; 1 << 20]).unwrap();
        assert_eq!(affine.scale(&memory, 2.0), vec![2.0; 1 << 20]);
        Self {
            queue,
            memory,
            affine,
        }
    }
}

/// The same, with a second's work submitted.
fn busy() -> Used {
    let used = Used::new();
    for _ in 0..1000 {
        used.affine
            .run(used.memory.view(), used.memory.view(), (1.0, 0, false))
            .unwrap();
    }
    used
}

fn processes_end_as_they_should() {
    for (role, code) in [
        ("return", 0),
        ("return with work under way", 0),
        ("return with everything leaked", 0),
        ("exit", 3),
        ("exit with work under way", 3),
        ("panic", 101),
    ] {
        let output = process(role).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{role}: {} {:?}",
            output.status,
            texts(&output)
        );
    }
}

/// The role of a process that uses SYCL, forks, and lets the child try as well.
fn fork() {
    let used = Used::new();
    // SAFETY: the child calls what the parent's other threads hold no lock of.
    match unsafe { libc::fork() } {
        0 => {
            let arguments = (used.memory.view(), used.memory.view(), 1i64, 64i64);
            // SAFETY: never gets as far as the call.
            let call = unsafe { used.affine.in_groups.call(&used.queue, arguments) };
            assert!(
                matches!(call, Err(CallError::Sycl(SyclError::Forked { .. }))),
                "{call:?}"
            );
            assert!(matches!(
                Queue::new(&Selector::Auto),
                Err(Error::Sycl(SyclError::Forked { .. }))
            ));
            used.memory.fill(1.0).unwrap_err();
            used.memory.to_vec().unwrap_err();
            println!("{}", used.queue.wait().unwrap_err());
            std::io::stdout().flush().unwrap();
            drop(used);
            std::process::exit(5);
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child above.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert!(
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 5,
                "child ended with {status:#x}"
            );
            assert_eq!(used.affine.scale(&used.memory, 3.0)[0], 3.0);
        }
    }
}

fn a_forked_child_gets_an_error() {
    let start = Instant::now();
    let output = process("fork").output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success(), "{} {stdout} {stderr}", output.status);
    assert!(
        stdout.contains("forked") && stdout.contains("start new processes"),
        "{stdout}"
    );
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
