//! Names that C++, its macros or SYCL own, and names that only Rust allows.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// Kernels whose name, parameters and variables are all the same hostile name.
macro_rules! hostile {
    ($($name:ident)*) => {
            #[allow(non_snake_case, dead_code)]
        mod kernels {
            use oxysycl::prelude::*;
            $(
                #[sycl_kernel(shapes($name = [n], out = [n]))]
                pub(super) fn $name($name: &[f32], out: &mut [f32], n: i64) {
                    for i in elements(n) {
                        let value = $name.load(i);
                        let $name = value + 1.0;
                        let value = { let $name = $name * 2.0; $name - 0.5 };
                        out.store(i, value + $name);
                    }
                }
            )*
        }

        fn hostile() -> Vec<&'static oxysycl::Kernel> {
            vec![$(kernels::$name::kernel()),*]
        }
    };
}

hostile! {
    this class new delete template operator namespace and or not xor compl int long signed unsigned float double char
    short void volatile register friend private public typename export goto switch case default r#type r#match r#try
    r#virtual r#typeof r#do auto asm catch throw union using nullptr constexpr mutable explicit inline wchar_t
    exp rsqrt sqrt fabs max min item queue cgh sycl half std size_t input_ main printf y0 j1 gamma index signal
    lane lanes_ v VEC detail whole code local_ groups_ error reason
    major minor makedev I NAN INFINITY NULL EOF errno assert linux unix isnan stdin new_ new__ a__b
    int64_t uint8_t sgl sycl_kernel
}

/// Functions and variables named like everything that the emitted code itself uses.
#[sycl_fn]
fn exp(x: f32) -> f32 {
    x + 1.0
}

#[sycl_fn]
fn fabs(half: f32) -> f32 {
    let größe = half;
    let std = exp(größe);
    let sycl = std * 2.0;
    exp(sycl) + sycl
}

#[sycl_kernel(shapes(queue = [rows, n], item = [rows, n]), types(T = [f32, f16]))]
fn shadowing<T: Float, const VEC: i64>(queue: &[T], item: &mut [T], rows: i64, n: i64, local: f32) {
    let groups_ = rows;
    for group in groups(groups_) {
        let x = queue.row(group * n);
        let mut x_vec = item.row_mut(group * n);
        let mut sum = 0.0;
        for lane in lanes(n) {
            let v = x.load(lane);
            sum += v;
        }
        let whole = group_sum(sum) / VEC as f32;
        for i in lanes(n) {
            let x_i = fabs(x.load(i)) - exp(local);
            x_vec.store(i, x_i + whole);
        }
    }
}

#[test]
fn hostile_names_run() {
    let a: Vec<f16> = (0..130).map(|i| f16::from_f32((i % 8) as f32)).collect();
    let mut native = vec![f16::ZERO; 130];
    shadowing::<f16, 4>(&a, &mut native, 2, 65, 0.5);
    let out = queue().alloc(130).expect("allocate");
    shadowing::launch::<f16, 4>(queue(), upload(&a, 0).view(), out.view(), 2, 65, 0.5).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn hostile_names_compile_together() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut unit = String::from(
        "#include <cmath>\n#include <complex.h>\n#include <csignal>\n#include <sys/sysmacros.h>\n",
    );
    for kernel in hostile() {
        let ir = kernel.ir().expect("accepted");
        let file = format!("{}.hpp", ir.name);
        std::fs::write(dir.path().join(&file), oxysycl::codegen::header(&ir)).expect("write");
        unit.push_str(&format!("#include \"{file}\"\n"));
    }
    let source = dir.path().join("unit.cpp");
    std::fs::write(&source, unit).expect("write");
    let include = oxysycl::runtime::toolchain::Toolchain::ensure()
        .expect("the toolchain installs")
        .include();
    let output = std::process::Command::new("g++")
        .args([
            "-fsyntax-only",
            "-std=c++20",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-isystem",
        ])
        .arg(include)
        .arg(source)
        .output()
        .expect("g++ runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
