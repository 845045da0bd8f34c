//! What is built once for a toolchain and a g++: the device pass, and both passes' precompiled `sycl.hpp`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use sha2::{Digest, Sha256};

use super::super::source::{OWN, unwritable};
use super::super::work::isolated;
use super::super::{CompileError, command, depfile};
use super::flags;
use super::gxx::Gxx;
use super::once;
use super::target::Architecture;
use super::vocabulary;
use crate::toolchain::{HOST, Progress, Toolchain};

/// The source of the device pass.
pub(super) const DEVICE_PASS: &str = include_str!("device_pass.cpp");

/// What the precompiled headers hold, and what a unit may start with instead of them.
pub(super) const PRELUDE: &str = "#include <cstdint>\n#include <sycl/sycl.hpp>\n";

/// Ends the part of a unit that the device pass precompiles.
pub(super) const END_OF_PRELUDE: &str = "static_assert(true);\n";

/// The list of the files that the precompiled headers were made of.
const HEADERS: &str = "headers";

/// A folder of tools.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// The tools for `toolchain` and `gxx`, which are built if they aren't there yet.
    pub(super) fn ensure(toolchain: &Toolchain, gxx: &Gxx) -> Result<Self, CompileError> {
        let parent = toolchain.root().join(HOST);
        let tools = Self {
            folder: parent.join(digest(gxx)),
        };
        once::ensure(&tools.folder, |folder, work| {
            let built = Self {
                folder: folder.to_owned(),
            };
            built.build(toolchain, gxx, work)
        })?;
        Ok(tools)
    }

    fn build(&self, toolchain: &Toolchain, gxx: &Gxx, work: &Path) -> Result<(), CompileError> {
        eprintln!(
            "oxysycl: preparing the embedded toolchain for {} (once)",
            gxx.version
        );
        let write = |path: &Path, text: &str| fs::write(path, text).map_err(unwritable(path));
        write(&self.prelude(), PRELUDE)?;
        let device_pass_source = work.join("device_pass.cpp");
        write(&device_pass_source, DEVICE_PASS)?;
        let unit = work.join("unit.cpp");
        write(&unit, &format!("{PRELUDE}{END_OF_PRELUDE}"))?;

        let progress = Progress::spinner("precompiling the SYCL headers");
        let results = thread::scope(|scope| {
            let host = scope.spawn(|| {
                let mut compiler = host_compiler(toolchain, gxx, work);
                compiler.args(["-x", "c++-header"]).arg(self.prelude());
                compiler.arg("-o").arg(self.prelude().with_extension("hpp.gch"));
                command::run(&mut compiler)
            });
            let device = build_device_pass(toolchain, gxx, &device_pass_source, &self.device_pass())
                .and_then(|()| {
                    let mut pass = self.device_command(toolchain, work);
                    pass.arg(&unit).arg("unit").arg("--").args(flags::DEVICE);
                    pass.args(integration_option(Architecture::Spir64))
                        .args(DEPENDENCY_OPTIONS)
                        .arg(self.precompiled_option());
                    fs::create_dir(work.join(OWN)).map_err(unwritable(&unit))?;
                    command::run(&mut pass)
                });
            [host.join().expect("the host pass does not panic"), device]
        });
        drop(progress);
        for result in results {
            result?;
        }
        let headers = self.list_headers(toolchain, gxx, work)?;
        write(&self.folder.join(HEADERS), &headers)?;
        vocabulary::write(&self.headers(), &self.folder)
    }

    /// The paths of all files that either pass reads for the headers of SYCL and those that they need of the system, one a
    /// line.
    fn list_headers(&self, toolchain: &Toolchain, gxx: &Gxx, staging: &Path) -> Result<String, CompileError> {
        let mut compiler = host_compiler(toolchain, gxx, staging);
        compiler.args(["-x", "c++"]);
        let mut paths = depfile::read(&mut compiler, &self.prelude())?;
        paths.extend(depfile::listed(&staging.join(DEPENDENCIES), staging)?);
        let paths = paths.into_iter().filter_map(|path| fs::canonicalize(path).ok());
        let lines: BTreeSet<String> = paths.map(|path| format!("{}\n", path.display())).collect();
        Ok(lines.into_iter().collect())
    }

    /// The files that the headers of SYCL consist of, and need of the system.
    pub(super) fn headers(&self) -> Vec<PathBuf> {
        let list = fs::read_to_string(self.folder.join(HEADERS)).unwrap_or_default();
        list.lines().map(PathBuf::from).collect()
    }

    /// Whether `texts`, read after macros called `names` have been defined, could change what the precompiled headers hold.
    pub(super) fn is_changed_by<'a>(
        &self,
        names: impl Iterator<Item = &'a [u8]>,
        texts: &'a [Vec<u8>],
    ) -> Result<bool, CompileError> {
        vocabulary::is_changed_by(names, texts, &self.folder)
    }

    /// The header to pass by `-include`, with its precompiled form beside it.
    pub(super) fn prelude(&self) -> PathBuf {
        self.folder.join("prelude.hpp")
    }

    fn device_pass(&self) -> PathBuf {
        self.folder.join("device_pass")
    }

    /// Builds the tools anew if one of their files is not what it was, other than in its length; whether that was so.
    pub(super) fn mend(&self, toolchain: &Toolchain, gxx: &Gxx) -> Result<bool, CompileError> {
        if !once::condemn_if_damaged(&self.folder) {
            return Ok(false);
        }
        Self::ensure(toolchain, gxx)?;
        Ok(true)
    }

    /// Why the precompiled headers are of no use, for each that is of none: without them every kernel reads all of SYCL anew.
    pub(super) fn slowed_by(&self, toolchain: &Toolchain, gxx: &Gxx) -> Vec<String> {
        let why = "every kernel reads the headers of SYCL anew, which takes several seconds";
        let mut reasons: Vec<String> = once::files(&self.folder)
            .into_iter()
            .filter_map(|file| Some((File::open(&file).err()?, file)))
            .map(|(error, file)| {
                format!(
                    "{} cannot be read: {error}; {why}: make it readable, or delete the folder {}, which is made anew",
                    file.display(),
                    self.folder.display()
                )
            })
            .collect();
        let mut compiler = host_compiler(toolchain, gxx, &std::env::temp_dir());
        compiler
            .args(["-Winvalid-pch", "-fsyntax-only", "-include"])
            .arg(self.prelude())
            .args(["-x", "c++", "/dev/null"]);
        match command::run(&mut compiler).map(|finished| finished.text()) {
            Ok(said) if said.is_empty() => {}
            Ok(said) => reasons.push(format!(
                "g++ does not use its precompiled headers; {why}: delete the folder {}, which is made anew\n{said}",
                self.folder.display()
            )),
            Err(error) => reasons.push(error.to_string()),
        }
        reasons
    }

    /// The option by which the device pass uses its precompiled headers.
    pub(super) fn precompiled_option(&self) -> std::ffi::OsString {
        let mut option = std::ffi::OsString::from("--persistent-auto-pch=");
        option.push(self.folder.join("precompiled"));
        option
    }

    /// The device pass, to run in the folder `work`, without arguments yet.
    pub(super) fn device_command(&self, toolchain: &Toolchain, work: &Path) -> Command {
        let mut pass = isolated(&self.device_pass(), work);
        pass.current_dir(work)
            .env("LD_LIBRARY_PATH", toolchain.lib())
            .env("ONEAPI_DEVICE_SELECTOR", "opencl:cpu")
            .envs(toolchain.environment());
        pass
    }
}

/// Where the device pass for `architecture` writes the integration header, below the folder that it runs in.
pub(super) fn integration_header(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::Spir64 => "oxysycl/integration.hpp",
        Architecture::Nvptx64 => "oxysycl/integration.nvptx64.hpp",
    }
}

/// The options by which the device pass writes the integration header, which tells the host side about the kernels. The path
/// is relative, because all options are part of what names a precompiled header.
pub(super) fn integration_option(architecture: Architecture) -> [String; 2] {
    let path = integration_header(architecture);
    ["-Xclang".to_owned(), format!("-fsycl-int-header={path}")]
}

/// g++ with the options that every host compilation has. Its temporary files go to `folder`.
pub(super) fn host_compiler(toolchain: &Toolchain, gxx: &Gxx, folder: &Path) -> Command {
    let mut compiler = isolated(&gxx.path, folder);
    compiler
        .args(flags::HOST)
        .arg("-isystem")
        .arg(toolchain.include());
    compiler
}

/// The options by which the device pass lists the files that it reads, those of the system too.
pub(super) const DEPENDENCY_OPTIONS: [&str; 10] = [
    "-Xclang",
    "-dependency-file",
    "-Xclang",
    DEPENDENCIES,
    "-Xclang",
    "-sys-header-deps",
    "-Xclang",
    "-MT",
    "-Xclang",
    "unit",
];

/// Where that list is, below the folder that the device pass runs in.
pub(super) const DEPENDENCIES: &str = "oxysycl/device.d";

fn build_device_pass(
    toolchain: &Toolchain,
    gxx: &Gxx,
    source: &Path,
    out: &Path,
) -> Result<(), CompileError> {
    let folder = source.parent().unwrap_or(Path::new("/"));
    let mut compiler = host_compiler(toolchain, gxx, folder);
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
        gxx.called.as_str(),
        DEVICE_PASS,
        PRELUDE,
        END_OF_PRELUDE,
        &flags::DEVICE.join(" "),
        &flags::HOST.join(" "),
        &integration_option(Architecture::Spir64).join(" "),
        &DEPENDENCY_OPTIONS.join(" "),
        HEADERS,
        &vocabulary::LISTS.join(" "),
    ];
    hex::encode(Sha256::digest(parts.join("\0")))[..12].to_owned()
}
