//! Installs the embedded toolchain, if it isn't there yet, and prints its folder.

fn main() {
    match oxysycl_runtime::toolchain::Toolchain::ensure() {
        Ok(toolchain) => println!("{}", toolchain.root().display()),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(1);
        }
    }
}
