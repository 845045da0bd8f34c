//! The contract of generated headers: what is in their text, how they compile, what becomes of them on a device, and that
//! they are the same whoever asks for them.

mod compile;
mod drop_in;
mod kernels;
mod overlap;
mod processes;
mod shapes;
mod shared;
mod spirv;
mod text;

use std::sync::OnceLock;

use oxysycl::runtime::driver::Embedded;
use oxysycl::runtime::toolchain::Toolchain;

/// A header.
struct Header {
    /// Its path, without what is the same of all.
    name: String,
    text: String,
}

/// The headers of all kernels: those of this project, those in [`kernels`], and the one that those in [`shared`] share.
fn headers() -> Vec<Header> {
    let header = |header: &oxysycl::Header| Header {
        name: header.path().trim_end_matches(".hpp").replace('/', "_"),
        text: header.text().unwrap(),
    };
    let headers: Vec<Header> = oxysycl::headers().unwrap().iter().map(header).collect();
    for name in [
        "elementwise_rmsnorm",
        "elementwise_scale",
        "every_function",
        "integers_and_reductions",
        "tests_2-shared",
        "tests_turn",
    ] {
        assert!(
            headers.iter().any(|header| header.name == name),
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
