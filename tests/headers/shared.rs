//! Kernels that share a header, and names that are each other's.
#![allow(non_snake_case, reason = "two names are to be one class in C++")]

use oxysycl::prelude::*;
use oxysycl::runtime::{Runtime, Source, Target, Unit};
use oxysycl::{Header, Queue, Selector};

/// Half of it.
#[sycl_fn]
fn halved(x: f32) -> f32 {
    x * 0.5
}

mod up {
    use super::halved;
    use oxysycl::prelude::*;

    /// Up.
    #[sycl_fn]
    pub(super) fn curve(x: f32) -> f32 {
        halved(x) + 1.0
    }
}

mod down {
    use super::halved;
    use oxysycl::prelude::*;

    /// Down.
    #[sycl_fn]
    pub(super) fn curve(x: f32) -> f32 {
        1.0 - halved(x)
    }
}

/// Half of each element, and one, as often as `A` and `B` say.
#[sycl_kernel(
    header = "tests/2-shared.hpp",
    types(T = [f32, f16]),
    select(T = "OXYSYCL_TEST_SHARED_{T}"),
    instances(A = [1], B = [3]),
    shapes(x = [n], y = [n]),
    alias(y = x),
)]
pub(crate) fn bent_up<T: Float, const A: i64, const B: i64>(x: &[T], y: &mut [T], n: i64) {
    for i in elements(n) {
        y.store(i, up::curve(x.load(i)) * (B - 2 * A) as f32);
    }
}

/// One without half of each element, row by row.
#[sycl_kernel(
    header = "tests/2-shared.hpp",
    types(T = [f32, f16]),
    select(T = "OXYSYCL_TEST_SHARED_{T}", N = "OXYSYCL_BENT_UP_T"),
    instances(N = [8]),
    shapes(bent_up_launch = [n, N], curve_ = [n, N]),
)]
pub(crate) fn bentUp<T: Float, const N: i64>(bent_up_launch: &[T], curve_: &mut [T], n: i64) {
    for row in groups(n) {
        let BentUpKernel = bent_up_launch.row(row * N);
        let mut curve_ = curve_.row_mut(row * N);
        for halved_ in lanes(N) {
            curve_.store(halved_, down::curve(BentUpKernel.load(halved_)) + halved(0.0));
        }
    }
}

fn header() -> Header {
    let headers = oxysycl::headers().unwrap();
    let mut found = headers
        .into_iter()
        .filter(|header| header.path() == "tests/2-shared.hpp");
    found.next().unwrap()
}

#[test]
fn what_kernels_share_is_there_once_and_what_they_do_not_is_there_twice() {
    let text = header().text().unwrap();
    for (once, times) in [
        ("namespace detail {", 1),
        ("inline namespace u2_shared_", 0),
        ("inline namespace h2_shared_", 1),
        ("inline float halved(float x) {", 1),
        ("inline float curve(float x) {", 1),
        ("inline float curve_(float x) {", 1),
        ("struct BentUpKernel {", 1),
        ("struct BentUpKernel_ {", 1),
        ("inline std::string& last_error() {", 1),
        ("_last_error() {", 2),
        ("inline bool overlap(", 1),
        // These select.
        ("#define OXYSYCL_BENT_UP_T(", 0),
        ("#define OXYSYCL_BENT_UP_A(", 0),
        ("#define OXYSYCL_BENT_UP_T_(", 3),
    ] {
        assert_eq!(text.matches(once).count(), times, "{once}: {text}");
    }
}

#[test]
fn a_shared_header_is_the_same_in_whatever_order_and_one_of_one_is_the_kernels() {
    let (up, down) = (bent_up::kernel().ir().unwrap(), bentUp::kernel().ir().unwrap());
    let text = header().text().unwrap();
    assert_eq!(text, oxysycl::codegen::shared_header(&[&up, &down]));
    assert_eq!(text, oxysycl::codegen::shared_header(&[&down, &up]));
    assert_eq!(
        oxysycl::codegen::header(&up),
        oxysycl::codegen::shared_header(&[&up])
    );
}

#[test]
fn each_kernel_of_a_shared_header_is_its_own() {
    let text = header().text().unwrap();
    let queue = Queue::new(&Selector::Auto).unwrap();
    let macros = [
        ("OXYSYCL_BENT_UP_T", "8"),
        ("OXYSYCL_BENT_UP_A", "1"),
        ("OXYSYCL_BENT_UP_B", "3"),
    ];
    let chosen = macros.map(|(name, value)| (name.to_owned(), value.to_owned()));
    for defines in [vec![], chosen.to_vec()] {
        let unit = Unit {
            source: Source::Header {
                name: "shared.hpp".to_owned(),
                text: text.clone(),
            },
            defines,
            include_dirs: Vec::new(),
            target: Target::Spir64,
        };
        let module = Runtime::global().unwrap().module(&unit).unwrap();
        let x = queue.upload(&[2.0f32; 8]).unwrap();
        let mut results = Vec::new();
        for (symbol, last_error, n) in [
            ("bent_up_forward_fp32_1_3", "bent_up_last_error", 8i64),
            ("bentUp_forward_fp32_8", "bentUp_last_error", 1),
        ] {
            let y = queue.upload(&[0.0f32; 8]).unwrap();
            let function = module.function(symbol, Some(last_error)).unwrap();
            // SAFETY: these are the exports' types, and the buffers hold eight elements.
            unsafe { function.call(&queue, (x.view(), y.view(), n)) }.unwrap();
            results.push(y.to_vec().unwrap());
            // SAFETY: as above; nothing is touched.
            let refused = unsafe { function.call(&queue, (x.view(), y.view(), -1i64)) }.unwrap_err();
            let kernel = last_error.trim_end_matches("_last_error");
            assert!(
                refused.to_string().contains(&format!("{kernel}: n is -1")),
                "{refused}"
            );
        }
        assert_eq!(results, [vec![2.0f32; 8], vec![0.0; 8]]);
        module.function("bent_up_forward_fp16_1_3", None).unwrap();
        module.function("bentUp_forward_fp16_8", None).unwrap();
    }
}

#[test]
fn whoever_asks_for_one_kernel_of_a_header_gets_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let status = oxysycl::cli::run(["oxysycl", "emit", "bent_up", "-o", out].map(Into::into));
    assert_eq!(status, 0);
    let path = folder.path().join("tests/2-shared.hpp");
    assert_eq!(std::fs::read_to_string(path).unwrap(), header().text().unwrap());
    assert_eq!(std::fs::read_dir(folder.path().join("tests")).unwrap().count(), 1);
}
