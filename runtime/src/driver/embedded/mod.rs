//! The embedded toolchain as a driver: SYCL without icpx and without a GPU.
//!
//! Two compilers read the unit. The device pass, Intel's own front end as a library, makes SPIR-V of the kernels and writes
//! the *integration header*: which kernels there are and which parameters they take. The host pass, g++, compiles the same
//! unit together with that header. The SPIR-V goes into the library as data, registered with the SYCL run time when it is
//! loaded. That is what icpx does, too. A unit that is also, or only, for NVIDIA's GPUs has a device pass more, or another
//! one, that makes PTX.
//!
//! The front end is done long before the device pass is, so the host pass runs beside the rest of it.

mod exports;
mod flags;
mod gxx;
mod integration;
mod module;
mod nvptx;
mod once;
mod registration;
mod spirv;
mod target;
mod tools;
mod translation;
mod vocabulary;

use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

pub(super) use self::gxx::Gxx;
use self::module::Image;
use self::nvptx::Nvptx;
pub(crate) use self::nvptx::adapter::SEARCH_PATH as ADAPTERS;
use self::target::Architecture;
use self::tools::Tools;
use self::translation::Translation;
use super::source::{OWN, define_options, include_options, unreadable, unwritable};
use super::work::{Work, isolated};
use super::{CompileError, Driver, Identity, MODULE_MACRO, command, depfile, output};
use crate::key::Key;
use crate::libsycl;
use crate::scratch::Scratch;
use crate::toolchain::{Nvidia, Toolchain};
use crate::unit::{Source, Target, Unit};

/// The SYCL run time whose interface to compilers is spoken here.
const SYCL: &str = "libsycl.so.9";

/// What every program needs of the SYCL run time.
const RUN_TIME: [&str; 8] = [
    SYCL,
    "libur_loader.so.0",
    "libumf.so.1",
    "libhwloc.so.15",
    "libsvml.so",
    "libirng.so",
    "libimf.so",
    "libintlc.so.5",
];

/// What programs need besides on Intel's GPUs.
const LEVEL_ZERO: [&str; 2] = [
    "libur_adapter_level_zero.so.0",
    "libur_adapter_level_zero_v2.so.0",
];

/// The texts that shape a library besides the unit: a change of theirs is another driver.
const RECIPE: [&str; 9] = [
    tools::DEVICE_PASS,
    registration::HEADER,
    include_str!("exports.rs"),
    include_str!("integration.rs"),
    include_str!("module.rs"),
    include_str!("registration.rs"),
    include_str!("spirv.rs"),
    include_str!("translation.rs"),
    include_str!("vocabulary.rs"),
];

/// Compiles with the embedded [`Toolchain`] and the system's g++.
#[derive(Debug)]
pub struct Embedded {
    identity: Identity,
    toolchain: Toolchain,
    gxx: Gxx,
    tools: Tools,
    /// What NVIDIA's GPUs need, where it is installed.
    nvptx: Option<Nvptx>,
}

/// A unit that is being compiled.
struct Job<'a> {
    translation: Translation<'a>,
    /// The module's name: an identifier with a digest of all that shapes it.
    module: String,
    dependencies: Vec<PathBuf>,
    work: Work,
}

impl Embedded {
    /// A driver over `toolchain` and the `g++` on `PATH`. What it needs besides is built now, if it isn't there yet.
    pub fn new(toolchain: Toolchain) -> Result<Self, CompileError> {
        let library = toolchain.lib().join("libsycl.so");
        if libsycl::soname(&library) != SYCL.as_bytes() {
            return Err(CompileError::Refused {
                subject: library.display().to_string(),
                reason: format!(
                    "it is not {SYCL}, the SYCL run time that this version of oxysycl can compile for"
                ),
            });
        }
        let gxx = Gxx::find()?;
        gxx.remember();
        let tools = Tools::ensure(&toolchain, &gxx)?;
        let nvptx = Nvptx::find(&toolchain, &gxx)?;
        let identity = Identity::new(vec![
            ("driver", "embedded".to_owned()),
            ("toolchain", toolchain.version()),
            ("g++", gxx.version.clone()),
            ("g++ content", gxx.program.clone()),
            ("content of what g++ calls", gxx.called.clone()),
            ("libsycl", SYCL.to_owned()),
            ("device options", flags::DEVICE.join(" ")),
            ("host options", flags::HOST.join(" ")),
            ("recipe", super::digest(&RECIPE)),
            // What it is made of for NVIDIA's GPUs, be it installed or not: what is compiled for others is the same.
            ("nvidia", Nvidia::version()),
            ("nvidia recipe", super::digest(&nvptx::RECIPE)),
        ]);
        Ok(Self {
            identity,
            toolchain,
            gxx,
            tools,
            nvptx,
        })
    }

    /// Those of `files` that belong neither to the toolchain nor to g++, each once and by its own path.
    fn foreign(&self, files: Vec<PathBuf>) -> Vec<PathBuf> {
        let own = [self.toolchain.include(), self.gxx.own.clone()];
        let own = own.map(|own| fs::canonicalize(&own).unwrap_or(own));
        let basic: HashSet<PathBuf> = self.tools.headers().into_iter().collect();
        // The standard library of C++ is where this is.
        let standard = basic.iter().find(|path| path.ends_with("cstdint"));
        let standard = standard.and_then(|path| path.parent());
        let is_own = |file: &Path| {
            let mut folders = own.iter().map(PathBuf::as_path).chain(standard);
            basic.contains(file) || folders.any(|own| file.starts_with(own))
        };
        let mut seen = HashSet::new();
        files
            .into_iter()
            // A name that leads nowhere is not that of a file: the unit itself, in memory.
            .filter_map(|file| fs::canonicalize(file).ok())
            .filter(|file| !is_own(file) && seen.insert(file.clone()))
            .collect()
    }

    /// The SPIR-V modules made from `unit`: one for each set of things that its kernels require of a device, and one with
    /// the conversions of bfloat16 where it is used.
    pub fn spirv(&self, unit: &Unit) -> Result<Vec<Vec<u8>>, CompileError> {
        self.device_code(unit, Architecture::Spir64)
    }

    /// The PTX modules made from `unit`, as text with a zero byte at its end: one for each set of things that its kernels
    /// require of a device. The toolchain's part for NVIDIA's GPUs has to be installed.
    pub fn ptx(&self, unit: &Unit) -> Result<Vec<Vec<u8>>, CompileError> {
        self.device_code(unit, Architecture::Nvptx64)
    }

    fn device_code(&self, unit: &Unit, architecture: Architecture) -> Result<Vec<Vec<u8>>, CompileError> {
        let folder = Scratch::new().map_err(unwritable(&std::env::temp_dir()))?;
        let job = self.job(unit, &folder.path().join("library.so"))?;
        let arguments = job.translation.write_device(job.work.path(), &job.module)?;
        let images = self.device_pass(unit, &job, &arguments, architecture, |_| ())?;
        Ok(images.into_iter().map(|image| image.code).collect())
    }

    /// g++ as it compiles the host side of a unit that shares precompiled headers: with `<cstdint>` and `<sycl/sycl.hpp>` read
    /// already, and told neither what to compile nor what to do with it.
    pub fn host_compiler(&self) -> Command {
        let mut compiler = self.gxx(&std::env::temp_dir());
        compiler.arg("-include").arg(self.tools.prelude());
        compiler
    }

    fn gxx(&self, folder: &Path) -> Command {
        tools::host_compiler(&self.toolchain, &self.gxx, folder)
    }

    fn job<'a>(&self, unit: &'a Unit, out: &Path) -> Result<Job<'a>, CompileError> {
        let dependencies = self.dependencies(unit)?;
        let key = Key::new(&self.identity, unit, &dependencies)?;
        let own = match &unit.source {
            Source::Header { text, .. } | Source::Host { text, .. } => text.clone().into_bytes(),
            Source::File(path) => fs::read(path).map_err(unreadable(path))?,
        };
        let mut texts = vec![own];
        for path in &dependencies {
            texts.push(fs::read(path).map_err(unreadable(path))?);
        }
        let work = Work::beside(out)?;
        Ok(Job {
            translation: Translation::new(unit, &texts, &self.tools, work.path())?,
            module: super::module_name(&key),
            dependencies,
            work,
        })
    }

    /// The device pass for `architecture` over the unit that `arguments` name.
    fn device_command(
        &self,
        unit: &Unit,
        job: &Job<'_>,
        arguments: &[OsString],
        architecture: Architecture,
    ) -> Result<Command, CompileError> {
        let work = job.work.path();
        let (mut pass, own, precompiled) = match architecture {
            Architecture::Spir64 => {
                let pass = self.tools.device_command(&self.toolchain, work);
                (pass, None, self.tools.precompiled_option())
            }
            Architecture::Nvptx64 => {
                let nvptx = self.nvptx.as_ref().ok_or_else(nvptx::missing)?;
                let pass = nvptx.command(&self.toolchain, work);
                (pass, Some(nvptx.toolkit_option()), nvptx.precompiled_option())
            }
        };
        pass.args(arguments)
            .arg("--")
            .args(flags::DEVICE)
            .args(own)
            .args(tools::integration_option(architecture))
            .args(include_options(unit)?);
        if architecture == Architecture::Spir64 {
            pass.args(tools::DEPENDENCY_OPTIONS);
        }
        if job.translation.device_prelude() {
            pass.arg(precompiled);
        }
        Ok(pass)
    }

    /// Compiles the kernels of `unit`, which `arguments` name, for `architecture`. `announce` is given the integration header
    /// as soon as it is there.
    fn device_pass(
        &self,
        unit: &Unit,
        job: &Job<'_>,
        arguments: &[OsString],
        architecture: Architecture,
        mut announce: impl FnMut(String),
    ) -> Result<Vec<Image>, CompileError> {
        let work = job.work.path();
        let mut pass = self.device_command(unit, job, arguments, architecture)?;
        let header = integration_header(work, architecture);
        let announced = Cell::new(false);
        let output = job.work.run_watched(&mut pass, || {
            if !announced.get()
                && let Ok(text) = fs::read_to_string(&header)
                && integration::is_complete(&text)
            {
                announced.set(true);
                announce(text);
            }
        })?;
        command::show(&output);
        let text = fs::read_to_string(&header).map_err(unreadable(&header))?;
        integration::check(&text)?;
        if !announced.get() {
            announce(text.clone());
        }
        let folder = work.join(OWN);
        let images = match architecture {
            Architecture::Spir64 => module::read_all(&folder, &job.module)?,
            Architecture::Nvptx64 => Nvptx::images(&folder, &job.module)?,
        };
        integration::check_compiled(&text, |name| {
            let name = integration::renamed(name, &job.module);
            images.iter().any(|image| image.kernels.contains(&name))
        })?;
        Ok(images)
    }

    /// Compiles the host side to an object file, and returns its path below the job's folder.
    fn host_pass(&self, unit: &Unit, job: &Job<'_>, integration: &str) -> Result<PathBuf, CompileError> {
        let work = job.work.path();
        integration::check(integration)?;
        let integration = integration::rename(integration, &job.module);
        let kernels = Path::new(OWN).join("kernels.hpp");
        fs::write(work.join(&kernels), integration).map_err(unwritable(&kernels))?;
        let source = job.translation.write_host(work)?;
        let object = source.with_extension("o");
        let mut compiler = self.gxx(work);
        compiler
            .current_dir(work)
            .args(define_options(unit)?)
            .arg(format!("-D{MODULE_MACRO}={}", job.module))
            .args(["-iquote", "."])
            .args(include_options(unit)?);
        if job.translation.host_prelude() {
            compiler.arg("-include").arg(self.tools.prelude());
        }
        compiler.arg("-include").arg(&kernels);
        compiler.arg("-c").arg(&source).arg("-o").arg(&object);
        command::show(&job.work.run(&mut compiler)?);
        Ok(object)
    }

    /// Runs all passes, beside one another as far as that goes.
    fn all_passes(&self, unit: &Unit, job: &Job<'_>) -> Result<(PathBuf, Vec<Image>), CompileError> {
        let architectures = Architecture::all_in(&unit.target)?;
        let arguments = job.translation.write_device(job.work.path(), &job.module)?;
        thread::scope(|scope| {
            let (announce, announced) = mpsc::channel::<String>();
            let host = scope.spawn(move || {
                let header = announced.recv().ok()?;
                Some((self.host_pass(unit, job, &header), header))
            });
            let passes: Vec<_> = architectures
                .iter()
                .map(|&architecture| {
                    let (announce, arguments) = (announce.clone(), &arguments);
                    let pass = move || {
                        self.device_pass(unit, job, arguments, architecture, |header| {
                            // It fails only where the host pass has come to an end.
                            let _ = announce.send(header);
                        })
                    };
                    (architecture, scope.spawn(pass))
                })
                .collect();
            drop(announce);
            let mut images = Vec::new();
            let mut failed = Ok(());
            for (architecture, pass) in passes {
                match pass.join().expect("a device pass does not panic") {
                    Ok(made) => images.extend(made),
                    Err(error) => failed = failed.and(Err(architecture.explain(error))),
                }
            }
            let early = host.join().expect("the host pass does not panic");
            // What a device pass says of the unit is the better message.
            failed?;
            let header = common_header(unit, job.work.path(), &architectures)?;
            let object = match early {
                Some((object, early)) if early == header => object?,
                // It was not whole yet when it was read.
                _ => self.host_pass(unit, job, &header)?,
            };
            Ok((object, images))
        })
    }

    /// Compiles `unit` into the library `out`.
    fn compile_once<'a>(&self, unit: &'a Unit, out: &Path) -> Result<Job<'a>, CompileError> {
        let job = self.job(unit, out)?;
        let (object, images) = match unit.source {
            Source::Host { .. } => (self.host_pass(unit, &job, "")?, Vec::new()),
            Source::Header { .. } | Source::File(_) => self.all_passes(unit, &job)?,
        };
        self.link(unit, &job, &object, &images, out)?;
        Ok(job)
    }

    /// Links the host side and `images` to the library `out`.
    fn link(
        &self,
        unit: &Unit,
        job: &Job<'_>,
        object: &Path,
        images: &[Image],
        out: &Path,
    ) -> Result<(), CompileError> {
        let work = job.work.path();
        let write = |name: &str, bytes: &[u8]| {
            let path = work.join(OWN).join(name);
            fs::write(&path, bytes).map_err(unwritable(&path))
        };
        let names = exports::list(&work.join(object))?;
        if names.is_empty() {
            return Err(CompileError::Refused {
                subject: unit.source.to_string(),
                reason:
                    "it exports nothing: functions to be called from elsewhere are declared `extern \"C\"`"
                        .to_owned(),
            });
        }
        write("exports.map", exports::version_script(&names).as_bytes())?;
        let mut linker = self.gxx(work);
        linker.current_dir(work).arg("-shared").arg(object);
        if !images.is_empty() {
            let file = |number| format!("{OWN}/image.{number}");
            for (number, image) in images.iter().enumerate() {
                write(&format!("image.{number}"), &image.code)?;
            }
            write("images.cpp", registration::text(images, file).as_bytes())?;
            linker.arg(format!("{OWN}/images.cpp"));
        }
        linker
            .arg("-L")
            .arg(self.toolchain.lib())
            .arg("-lsycl")
            // Unloading code that the SYCL run time still knows ends in a crash.
            .args(["-Wl,-z,nodelete", "-Wl,-z,defs"])
            .arg(format!("-Wl,--version-script={OWN}/exports.map"));
        output::publish(&mut linker, &job.work, out)
    }
}

impl Driver for Embedded {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = self.toolchain.environment();
        variables.extend(self.nvptx.iter().map(|nvptx| (ADAPTERS, nvptx.adapters().into())));
        variables
    }

    fn libraries(&self) -> Vec<PathBuf> {
        vec![self.toolchain.lib()]
    }

    fn slowed_by(&self) -> Vec<String> {
        self.tools.slowed_by(&self.toolchain, &self.gxx)
    }

    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        let Source::File(path) = &unit.source else {
            return Ok(Vec::new());
        };
        let list = |compiler: &mut Command| {
            compiler
                .args(define_options(unit)?)
                .arg(format!("-D{MODULE_MACRO}=module"))
                .args(include_options(unit)?)
                .args(["-x", "c++"]);
            depfile::read(compiler, path)
        };
        let mut read = list(&mut self.gxx(&std::env::temp_dir()))?;
        // What only the device pass reads is mostly chosen by this macro, with which g++ can read no header of SYCL, nor has
        // to. What else there is is seen when the unit is compiled.
        let mut device = isolated(&self.gxx.path, &std::env::temp_dir());
        device.args(["-MG", "-D__SYCL_DEVICE_ONLY__=1"]);
        read.extend(list(&mut device).unwrap_or_default());
        Ok(self.foreign(read))
    }

    fn run_time(&self, target: &Target) -> Result<Vec<(String, PathBuf)>, CompileError> {
        let lib = self.toolchain.lib();
        let mut files: Vec<(String, PathBuf)> = RUN_TIME
            .iter()
            .map(|name| ((*name).to_owned(), lib.join(name)))
            .collect();
        for architecture in Architecture::all_in(target)? {
            match architecture {
                Architecture::Spir64 => {
                    files.extend(LEVEL_ZERO.map(|name| (name.to_owned(), lib.join(name))))
                }
                Architecture::Nvptx64 => {
                    let nvptx = self.nvptx.as_ref().ok_or_else(nvptx::missing)?;
                    files.push((
                        nvptx::adapter::LIBRARY.to_owned(),
                        nvptx.adapters().join(nvptx::adapter::LIBRARY),
                    ));
                }
            }
        }
        Ok(files)
    }

    fn compile(&self, unit: &Unit, out: &Path) -> Result<Vec<PathBuf>, CompileError> {
        let compile = || super::twice_if_silent("the embedded compiler", || self.compile_once(unit, out));
        let job = match compile() {
            // Whatever the compilers say: they cannot be believed if their own files are not what they were.
            Err(error) if error.failure().is_some() && self.tools.mend(&self.toolchain, &self.gxx)? => {
                compile()?
            }
            result => result?,
        };
        let mut read = job.dependencies;
        if let Source::File(path) = &unit.source {
            let work = job.work.path();
            // Only the pass for SPIR-V writes the list.
            let listed = depfile::listed(&work.join(tools::DEPENDENCIES), work).unwrap_or_default();
            let source = fs::canonicalize(path).map_err(unreadable(path))?;
            let others = self.foreign(listed).into_iter();
            read.extend(others.filter(|path| *path != source && !path.starts_with(work)));
        }
        Ok(read)
    }
}

fn integration_header(work: &Path, architecture: Architecture) -> PathBuf {
    work.join(tools::integration_header(architecture))
}

/// The integration header of all `architectures`.
fn common_header(unit: &Unit, work: &Path, architectures: &[Architecture]) -> Result<String, CompileError> {
    let mut texts = architectures.iter().map(|&architecture| {
        let path = integration_header(work, architecture);
        fs::read_to_string(&path).map_err(unreadable(&path))
    });
    let first = texts.next().expect("a unit has a target")?;
    for text in texts {
        if text? != first {
            return Err(CompileError::Refused {
                subject: unit.source.to_string(),
                reason: "its kernels are not the same for every target: compile it for one target at a time"
                    .to_owned(),
            });
        }
    }
    Ok(first)
}
