//! What is built once for a toolchain and a g++: the device pass, and both passes' precompiled `sycl.hpp`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use sha2::{Digest, Sha256};

use super::super::source::{OWN, unwritable};
use super::super::{CompileError, command};
use super::flags;
use super::gxx::Gxx;
use crate::lock::Lock;
use crate::toolchain::{Toolchain, spinner};

/// The source of the device pass.
pub(super) const DEVICE_PASS: &str = include_str!("device_pass.cpp");

/// What the precompiled headers hold, and what a unit may start with instead of them.
pub(super) const PRELUDE: &str = "#include <cstdint>\n#include <sycl/sycl.hpp>\n";

/// Ends the part of a unit that the device pass precompiles.
pub(super) const END_OF_PRELUDE: &str = "static_assert(true);\n";

/// Written last into a complete folder of tools.
const COMPLETE: &str = "complete";

/// A folder of tools.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// The tools for `toolchain` and `gxx`, which are built if they aren't there yet.
    pub(super) fn ensure(toolchain: &Toolchain, gxx: &Gxx) -> Result<Self, CompileError> {
        let parent = toolchain.root().join("host");
        let tools = Self {
            folder: parent.join(digest(gxx)),
        };
        if tools.folder.join(COMPLETE).exists() {
            return Ok(tools);
        }
        fs::create_dir_all(&parent).map_err(unwritable(&parent))?;
        let lock = parent.join("lock");
        let _lock = Lock::acquire(&lock, "another process that prepares the embedded toolchain")
            .map_err(unwritable(&lock))?;
        if !tools.folder.join(COMPLETE).exists() {
            tools.build(toolchain, gxx, &parent)?;
        }
        Ok(tools)
    }

    fn build(&self, toolchain: &Toolchain, gxx: &Gxx, parent: &Path) -> Result<(), CompileError> {
        eprintln!(
            "oxysycl: preparing the embedded toolchain for {} (once)",
            gxx.version
        );
        remove_remains(parent).map_err(unwritable(parent))?;
        let staging = tempfile::Builder::new()
            .prefix(STAGING)
            .tempdir_in(parent)
            .map_err(unwritable(parent))?;
        let built = Self {
            folder: staging.path().join("tools"),
        };
        let write = |path: &Path, text: &str| fs::write(path, text).map_err(unwritable(path));
        fs::create_dir(&built.folder).map_err(unwritable(&built.folder))?;
        write(&built.prelude(), PRELUDE)?;
        let device_pass_source = staging.path().join("device_pass.cpp");
        write(&device_pass_source, DEVICE_PASS)?;
        let unit = staging.path().join("unit.cpp");
        write(&unit, &format!("{PRELUDE}{END_OF_PRELUDE}"))?;

        let spinner = spinner("precompiling the SYCL headers");
        let results = thread::scope(|scope| {
            let host = scope.spawn(|| {
                let mut compiler = host_compiler(toolchain, gxx);
                compiler.args(["-x", "c++-header"]).arg(built.prelude());
                compiler.arg("-o").arg(built.prelude().with_extension("hpp.gch"));
                command::run(&mut compiler)
            });
            let device = build_device_pass(toolchain, gxx, &device_pass_source, &built.device_pass())
                .and_then(|()| {
                    let mut pass = built.device_command(toolchain, staging.path());
                    pass.arg(&unit).arg("unit").arg("--").args(flags::DEVICE);
                    pass.args(integration_option()).arg(built.precompiled_option());
                    fs::create_dir(staging.path().join(OWN)).map_err(unwritable(&unit))?;
                    command::run(&mut pass)
                });
            [host.join().expect("the host pass does not panic"), device]
        });
        spinner.finish_and_clear();
        for result in results {
            result?;
        }
        write(&built.folder.join(COMPLETE), "")?;
        if self.folder.exists() {
            fs::rename(&self.folder, staging.path().join("damaged")).map_err(unwritable(&self.folder))?;
        }
        fs::rename(&built.folder, &self.folder).map_err(unwritable(&self.folder))
    }

    /// The header to pass by `-include`, with its precompiled form beside it.
    pub(super) fn prelude(&self) -> PathBuf {
        self.folder.join("prelude.hpp")
    }

    fn device_pass(&self) -> PathBuf {
        self.folder.join("device_pass")
    }

    /// The option by which the device pass uses its precompiled headers.
    pub(super) fn precompiled_option(&self) -> std::ffi::OsString {
        let mut option = std::ffi::OsString::from("--persistent-auto-pch=");
        option.push(self.folder.join("precompiled"));
        option
    }

    /// The device pass, to run in the folder `work`, without arguments yet.
    pub(super) fn device_command(&self, toolchain: &Toolchain, work: &Path) -> Command {
        let mut pass = Command::new(self.device_pass());
        pass.current_dir(work)
            .env("TMPDIR", work)
            // Before any other SYCL or OpenCL that the user's environment may point to.
            .env("LD_LIBRARY_PATH", toolchain.lib())
            .env("ONEAPI_DEVICE_SELECTOR", "opencl:cpu")
            .env_remove("SYCL_CACHE_PERSISTENT")
            .env_remove("SYCL_UR_TRACE")
            .envs(toolchain.environment());
        pass
    }
}

/// The name of every folder that tools are built in starts like this.
const STAGING: &str = ".preparing-";

/// The options by which the device pass writes the integration header, which tells the host side about the kernels. The path
/// is relative, because all options are part of what names a precompiled header.
pub(super) fn integration_option() -> [&'static str; 2] {
    ["-Xclang", "-fsycl-int-header=oxysycl/integration.hpp"]
}

/// g++ with the options that every host compilation has.
pub(super) fn host_compiler(toolchain: &Toolchain, gxx: &Gxx) -> Command {
    let mut compiler = Command::new(&gxx.path);
    compiler
        .args(flags::HOST)
        .arg("-isystem")
        .arg(toolchain.include())
        // Its messages are looked into, and shown to people who search for them.
        .env("LC_ALL", "C");
    compiler
}

fn build_device_pass(
    toolchain: &Toolchain,
    gxx: &Gxx,
    source: &Path,
    out: &Path,
) -> Result<(), CompileError> {
    let mut compiler = host_compiler(toolchain, gxx);
    compiler.arg(source).arg("-o").arg(out);
    compiler
        .arg("-L")
        .arg(toolchain.lib())
        .args(["-lsycl", "-lOpenCL"]);
    // What these two link to is found at run time, by LD_LIBRARY_PATH.
    compiler.arg("-Wl,--allow-shlib-undefined");
    command::run(&mut compiler).map(drop)
}

/// A digest of what shapes the tools besides the toolchain, short enough for a path.
fn digest(gxx: &Gxx) -> String {
    let parts = [
        gxx.version.as_str(),
        DEVICE_PASS,
        PRELUDE,
        END_OF_PRELUDE,
        &flags::DEVICE.join(" "),
        &flags::HOST.join(" "),
        &integration_option().join(" "),
    ];
    hex::encode(Sha256::digest(parts.join("\0")))[..12].to_owned()
}

/// Deletes what killed builds left in `parent`.
fn remove_remains(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
