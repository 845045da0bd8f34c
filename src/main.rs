//! The command over this project's own operators.
#![forbid(unsafe_code)]

fn main() {
    oxysycl::cli::main()
}
