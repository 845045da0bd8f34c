//! The contract of generated headers: what is in their text, how they compile, what becomes of them on a device, and that
//! they are the same whoever asks for them.

mod compile;
mod kernels;
mod processes;
mod spirv;
mod text;

use std::sync::OnceLock;

use oxysycl::runtime::driver::Embedded;
use oxysycl::runtime::toolchain::Toolchain;

/// A kernel's header.
struct Header {
    kernel: String,
    text: String,
}

/// The headers of all kernels: those of this project, and those in [`kernels`].
fn headers() -> Vec<Header> {
    let header = |kernel: &'static oxysycl::Kernel| {
        let ir = kernel.ir().unwrap();
        Header {
            kernel: ir.name.clone(),
            text: oxysycl::codegen::header(&ir),
        }
    };
    let headers: Vec<Header> = oxysycl::kernels().unwrap().into_iter().map(header).collect();
    for name in ["rmsnorm", "scale", "every_function", "integers_and_reductions"] {
        assert!(
            headers.iter().any(|header| header.kernel == name),
            "{name} is not registered"
        );
    }
    headers
}

/// The driver that all tests share.
fn driver() -> &'static Embedded {
    static DRIVER: OnceLock<Embedded> = OnceLock::new();
    DRIVER.get_or_init(|| Embedded::new(Toolchain::ensure().unwrap()).unwrap())
}
