//! The check on the device: right kernels pass, and whatever is wrong with one is caught.
#![allow(clippy::too_many_arguments, reason = "a kernel takes what it takes")]

use oxysycl::__private::{FunctionSource, HostArgument, KernelSource, Variant};
use oxysycl::check::{Checked, Plan};
use oxysycl::ops::{rmsnorm, scale};
use oxysycl::prelude::*;
use oxysycl::runtime::{Runtime, Source, Target, Unit};
use oxysycl::{Kernel, LaunchError, Queue, Selector, View};

/// What `scale` would be if its header did as `body` says.
const SOURCE: KernelSource = KernelSource {
    attribute: r#"symbol = "double_{T}", types(T = [f32]), shapes(input = [numel], output = [numel])"#,
    item: FunctionSource {
        text: "fn double<T: Float>(input: &[T], output: &mut [T], numel: i64) {
                   for i in elements(numel) { output.store(i, input.load(i) * 2.0); }
               }",
        calls: &[],
        constants: &[],
    },
    lines: 1,
};

fn double(_consts: &[i64], arguments: &mut [HostArgument]) {
    let [input, output, numel] = arguments else {
        panic!("three arguments")
    };
    for i in elements(numel.scalar()) {
        output
            .slice_mut::<f32>()
            .store(i, input.slice::<f32>().load(i) * 2.0);
    }
}

type Launch = fn(&Queue, View<'_, f32>, View<'_, f32>, i64);

/// A kernel whose launch is `$launch`.
macro_rules! kernel {
    ($launch:expr) => {{
        static VARIANTS: &[Variant] = &[Variant {
            dtypes: &[DType::F32],
            native: double,
            shuffled: double,
            shadow: double,
            launch: |queue, _, arguments| -> Result<(), LaunchError> {
                let launch: Launch = $launch;
                launch(
                    queue,
                    arguments[0].view(),
                    arguments[1].view(),
                    arguments[2].scalar(),
                );
                Ok(())
            },
        }];
        static KERNEL: Kernel = Kernel::new(SOURCE, VARIANTS, "check");
        &KERNEL
    }};
}

fn queue() -> Queue {
    Queue::new(&Selector::Auto).expect("there is a device")
}

/// The results of all cases with few elements.
fn check(kernel: &'static Kernel) -> Checked {
    let mut plan = Plan::all(kernel).expect("the kernel lowers").remove(0);
    plan.retain(|number| number < 24);
    plan.run(&queue(), &|| ()).expect("the kernel lowers")
}

/// What is wrong with a kernel, in words.
fn problem(kernel: &'static Kernel) -> String {
    let checked = check(kernel);
    assert!(!checked.passed && checked.failed_cases > 0);
    let failure = checked.failure.expect("the first case that went wrong");
    assert!(
        failure
            .repro
            .ends_with(&format!(" check double --dtype fp32 --case {}", failure.case)),
        "{failure:?}"
    );
    failure.problem
}

fn on_host(output: View<'_, f32>, input: View<'_, f32>, f: impl Fn(usize, f32) -> f32) {
    let results: Vec<f32> = input
        .to_vec()
        .unwrap()
        .into_iter()
        .enumerate()
        .map(|(i, x)| f(i, x))
        .collect();
    output.copy_from(&results).unwrap();
}

#[test]
fn a_right_kernel_passes() {
    let checked = check(kernel!(
        |_, input, output, _| on_host(output, input, |_, x| x * 2.0)
    ));
    assert!(checked.passed, "{checked:?}");
    assert_eq!(
        (checked.worst_ulp, checked.failed_cases, checked.cases),
        (0.0, 0, 24)
    );
    assert!(checked.elements > 1000);
}

#[test]
fn one_wrong_bit_is_caught_with_its_place() {
    let problem = problem(kernel!(|_, input, output, _| on_host(output, input, |i, x| {
        let right = x * 2.0;
        if i == 6 {
            f32::from_bits(right.to_bits() ^ 1)
        } else {
            right
        }
    })));
    assert!(
        problem.starts_with("output[6] is ") && problem.contains("expected"),
        "{problem}"
    );
}

#[test]
fn a_kernel_that_never_runs_is_caught() {
    assert!(problem(kernel!(|_, _, _, _| ())).starts_with("output[0] is "));
}

#[test]
fn an_overwritten_input_is_caught() {
    let problem = problem(kernel!(|_, input, output, _| {
        on_host(output, input, |_, x| x * 2.0);
        input.fill(0.0).unwrap();
    }));
    assert!(problem.starts_with("input[0] is "), "{problem}");
}

#[test]
fn results_that_change_from_run_to_run_are_caught() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LAUNCHES: AtomicU32 = AtomicU32::new(0);
    let problem = problem(kernel!(|_, input, output, _| {
        let odd = LAUNCHES.fetch_add(1, Ordering::Relaxed) % 7 == 6;
        on_host(output, input, |_, x| if odd { -x } else { x * 2.0 });
    }));
    assert!(
        problem.contains("other bits") || problem.starts_with("output["),
        "{problem}"
    );
}

/// Launches a header of its own, which also writes `offset` elements from the start of the output.
fn write_beside(queue: &Queue, input: View<'_, f32>, output: View<'_, f32>, numel: i64, offset: i64) {
    const HEADER: &str = r#"
#pragma once
#include <cstdint>
#include <sycl/sycl.hpp>
struct Beside {
  const float* input;
  float* output;
  int64_t numel;
  int64_t offset;
  void operator()(::sycl::id<1> item) const {
    const int64_t i = static_cast<int64_t>(item[0]);
    if (i < numel) output[i] = input[i] * 2.0f; else output[offset] = 1.0f;
  }
};
extern "C" int32_t beside(void* queue, const void* input, void* output, int64_t numel, int64_t offset) {
  static_cast<::sycl::queue*>(queue)->parallel_for(
      ::sycl::range<1>(static_cast<size_t>(numel) + 1),
      Beside{static_cast<const float*>(input), static_cast<float*>(output), numel, offset});
  return 0;
}
"#;
    let unit = Unit {
        source: Source::Header {
            name: "beside.hpp".to_owned(),
            text: HEADER.to_owned(),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: Target::Spir64,
    };
    let module = Runtime::global()
        .expect("a driver")
        .module(&unit)
        .expect("the header compiles");
    let function = module.function("beside", None).expect("the header exports it");
    // SAFETY: these are the types that the header exports. What it writes outside the views lies inside the buffers that
    // the check made around them.
    unsafe { function.call(queue, (input, output, numel, offset)) }.expect("the launch succeeds");
}

#[test]
fn a_write_before_a_buffer_is_caught() {
    let problem = problem(kernel!(|queue, input, output, numel| {
        if numel == 0 {
            return;
        }
        write_beside(queue, input, output, numel, -1);
    }));
    assert!(
        problem
            .starts_with("memory -1 elements from the start of output, outside its shape, is 1 = 0x3f800000"),
        "{problem}"
    );
}

#[test]
fn a_write_behind_a_buffer_is_caught() {
    let problem = problem(kernel!(|queue, input, output, numel| {
        if numel == 0 {
            return;
        }
        write_beside(queue, input, output, numel, numel + 60);
    }));
    assert!(
        problem.starts_with("memory 61 elements from the start of output, outside its shape,"),
        "{problem}"
    );
}

#[test]
fn kernels_of_this_project_pass() {
    let queue = queue();
    for kernel in [scale::scale::kernel(), rmsnorm::rmsnorm::kernel()] {
        for mut plan in Plan::all(kernel).expect("the kernel lowers") {
            // All of `scale`; `rmsnorm` of two awkward widths, with up to 1024 rows, in every layout.
            let cases = plan.len();
            let per_width = cases / 18;
            plan.retain(|number| {
                cases < 100 || (3 * per_width..4 * per_width).contains(&number) || number < per_width
            });
            let checked = plan.run(&queue, &|| ()).expect("the kernel lowers");
            assert!(checked.passed, "{checked:#?}");
            assert!(
                checked.ill_conditioned * 20 < checked.elements,
                "the bounds say too little: {checked:#?}"
            );
        }
    }
}

/// What the launcher decides is drawn in all combinations, and compared.
#[sycl_kernel(
    shapes(input = [rows, width], bias = [width], scale = [rows], output = [rows, width]),
    specialize(kind in [0, 1, 7], flip in [false, true]), optional(bias, scale), alias(output = input),
)]
fn decided(
    input: &[f32],
    bias: &[f32],
    scale: &[f32],
    output: &mut [f32],
    rows: i64,
    width: i64,
    kind: u32,
    flip: bool,
) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let factor = match flip {
            true => -1.0,
            false => 0.5,
        };
        let factor = if scale.is_empty() {
            factor
        } else {
            factor * scale.load(row)
        };
        if bias.is_empty() {
            for i in lanes(width) {
                y.store(i, x.load(i) * factor);
            }
        } else {
            for i in lanes(width) {
                let v = match kind {
                    0 => x.load(i),
                    1..=6 => x.load(i).max(0.0),
                    _ => x.load(i) * x.load(i),
                };
                y.store(i, v * factor + bias.load(i));
            }
        }
    }
}

#[test]
fn what_the_launcher_decides_is_compared() {
    let mut plan = Plan::all(decided::kernel()).expect("the kernel lowers").remove(0);
    plan.retain(|number| number % 2 == 0 && number < 240);
    let checked = plan.run(&queue(), &|| ()).expect("the kernel lowers");
    assert!(checked.passed, "{checked:?}");
    assert_eq!(checked.compared, "bits");
}
