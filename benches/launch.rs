//! What a launch costs the thread that makes it, on the device that there is: `cargo bench --bench launch`.
//!
//! * `by hand`: the symbol of a header that is written by hand, with no check at all;
//! * `symbol`: that of the generated header, called as C calls it;
//! * `typed`: the typed launch, which ends in the same symbol;
//! * `module`: the module of a unit that is at hand.
//!
//! They take turns, a round of calls each, and what is submitted runs between rounds. Printed are medians over all rounds, and
//! quartiles, in nanoseconds a call.

use std::ffi::c_void;
use std::path::PathBuf;
use std::time::Instant;

use libloading::Library;
use oxysycl::codegen::Instance;
use oxysycl::codegen::ir::DType;
use oxysycl::ops::scale::scale;
use oxysycl::runtime::{Module, Runtime, Source, Target, Unit};
use oxysycl::{Queue, Selector, View};

const ROUNDS: usize = 300;
const CALLS: u32 = 50;
const NUMEL: usize = 1024;

/// The C type of both symbols.
type Symbol = unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void, f32, i64) -> i32;

fn main() {
    let queue = Queue::new(&Selector::Auto).unwrap();
    let (input, output) = (
        queue.upload(&[1f32; NUMEL]).unwrap(),
        queue.alloc::<f32>(NUMEL).unwrap(),
    );
    let views = (input.view(), output.view());
    let runtime = Runtime::global().unwrap();
    let unit = generated(queue.device().target.clone());
    let by_hand = symbol(
        runtime.module(&by_hand(unit.target.clone())).unwrap(),
        "scale_by_hand",
    );
    let generated = symbol(runtime.module(&unit).unwrap(), "scale_forward_fp32");
    let ways: [(&str, &dyn Fn()); 4] = [
        ("by hand", &|| call(&queue, by_hand, views)),
        ("symbol", &|| call(&queue, generated, views)),
        ("typed", &|| {
            scale::launch(&queue, views.0, views.1, 1.0, NUMEL as i64).unwrap();
        }),
        ("module", &|| {
            runtime.module(&unit).unwrap();
        }),
    ];
    let mut times = ways.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for ((_, way), times) in ways.iter().zip(&mut times) {
            let start = Instant::now();
            (0..CALLS).for_each(|_| way());
            times.push(start.elapsed().as_nanos() / u128::from(CALLS));
            queue.wait().unwrap();
        }
    }
    println!("{}", queue.device());
    for ((name, _), times) in ways.iter().zip(&mut times) {
        times.sort_unstable();
        let [low, median, high] = [1, 2, 3].map(|quarter| times[ROUNDS * quarter / 4]);
        println!("{name:8} {median:6} ns ({low} to {high})");
    }
}

fn by_hand(target: Target) -> Unit {
    Unit {
        source: Source::File(PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/benches/scale.hpp"
        ))),
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target,
    }
}

/// The unit that the typed launch of `scale` takes.
fn generated(target: Target) -> Unit {
    let ir = scale::kernel().ir().unwrap();
    let instance = Instance::new(&ir, &[DType::F32], &[]).unwrap();
    Unit {
        source: Source::Header {
            name: "scale.hpp".to_owned(),
            text: oxysycl::codegen::header(&ir),
        },
        defines: instance.defines().to_vec(),
        include_dirs: Vec::new(),
        target,
    }
}

fn symbol(module: &Module, name: &str) -> Symbol {
    // SAFETY: the library is loaded already, and nothing of it runs.
    let library = Box::leak(Box::new(unsafe { Library::new(module.path()) }.unwrap()));
    // SAFETY: both headers give their symbol this type.
    *unsafe { library.get::<Symbol>(name) }.unwrap()
}

fn call(queue: &Queue, symbol: Symbol, (input, output): (View<'_, f32>, View<'_, f32>)) {
    // SAFETY: the queue is alive, and both views hold the elements.
    let status = unsafe {
        symbol(
            queue.as_raw(),
            input.as_ptr().cast(),
            output.as_ptr().cast(),
            1.0,
            NUMEL as i64,
        )
    };
    assert_eq!(status, 0);
}
