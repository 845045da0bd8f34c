//! The embedded toolchain as a driver: SYCL without icpx and without a GPU.
//!
//! Two compilers read the unit. The device pass, Intel's own front end as a library, makes SPIR-V of the kernels and writes
//! the *integration header*: which kernels there are and which parameters they take. The host pass, g++, compiles the same
//! unit together with that header. The SPIR-V goes into the library as data, registered with the SYCL run time when it is
//! loaded. That is what icpx does, too.
//!
//! The front end is done long before the device pass is, so the host pass runs beside the rest of it.

mod exports;
mod flags;
mod gxx;
mod integration;
mod module;
mod registration;
mod spirv;
mod tools;
mod translation;

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use tempfile::TempDir;

pub(super) use self::gxx::Gxx;
use self::module::Image;
use self::tools::Tools;
use self::translation::Translation;
use super::source::{OWN, define_options, include_options, unreadable, unwritable, work_folder};
use super::{CompileError, Driver, Identity, MODULE_MACRO, command, depfile, output};
use crate::key::Key;
use crate::libsycl;
use crate::toolchain::Toolchain;
use crate::unit::{Source, Unit};

/// The SYCL run time whose interface to compilers is spoken here.
const SYCL: &str = "libsycl.so.9";

/// The texts that shape a library besides the unit: a change of theirs is another driver.
const RECIPE: [&str; 8] = [
    tools::DEVICE_PASS,
    registration::HEADER,
    include_str!("exports.rs"),
    include_str!("integration.rs"),
    include_str!("module.rs"),
    include_str!("registration.rs"),
    include_str!("spirv.rs"),
    include_str!("translation.rs"),
];

/// Compiles with the embedded [`Toolchain`] and the system's g++.
#[derive(Debug)]
pub struct Embedded {
    identity: Identity,
    toolchain: Toolchain,
    gxx: Gxx,
    tools: Tools,
}

/// A unit that is being compiled.
struct Job<'a> {
    translation: Translation<'a>,
    /// The module's name: an identifier with a digest of all that shapes it.
    module: String,
    work: TempDir,
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
        let tools = Tools::ensure(&toolchain, &gxx)?;
        let identity = Identity::new(vec![
            ("driver", "embedded".to_owned()),
            ("toolchain", toolchain.version()),
            ("g++", gxx.version.clone()),
            ("device options", flags::DEVICE.join(" ")),
            ("host options", flags::HOST.join(" ")),
            ("recipe", super::digest(&RECIPE)),
        ]);
        Ok(Self {
            identity,
            toolchain,
            gxx,
            tools,
        })
    }

    /// The SPIR-V modules made from `unit`: one for each set of things that its kernels require of a device, and one with
    /// the conversions of bfloat16 where it is used.
    pub fn spirv(&self, unit: &Unit) -> Result<Vec<Vec<u8>>, CompileError> {
        let job = self.job(unit)?;
        let images = self.device_pass(unit, &job, |_| ())?;
        Ok(images.into_iter().map(|image| image.spirv).collect())
    }

    /// g++ as it compiles the host side of a unit that shares precompiled headers: with `<cstdint>` and `<sycl/sycl.hpp>` read
    /// already, and told neither what to compile nor what to do with it.
    pub fn host_compiler(&self) -> Command {
        let mut compiler = tools::host_compiler(&self.toolchain, &self.gxx);
        compiler.arg("-include").arg(self.tools.prelude());
        compiler
    }

    fn job<'a>(&self, unit: &'a Unit) -> Result<Job<'a>, CompileError> {
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
        let work = work_folder()?;
        let headers = self.toolchain.include().join("sycl");
        Ok(Job {
            translation: Translation::new(unit, &texts, &headers, work.path())?,
            module: super::module_name(&key),
            work,
        })
    }

    /// Compiles the kernels of `unit`. `announce` is given the integration header as soon as it is there.
    fn device_pass(
        &self,
        unit: &Unit,
        job: &Job<'_>,
        mut announce: impl FnMut(String),
    ) -> Result<Vec<Image>, CompileError> {
        let work = job.work.path();
        let mut pass = self.tools.device_command(&self.toolchain, work);
        pass.args(job.translation.write_device(work, &job.module)?)
            .arg("--")
            .args(flags::DEVICE)
            .args(tools::integration_option())
            .args(include_options(unit)?);
        if job.translation.device_prelude() {
            pass.arg(self.tools.precompiled_option());
        }
        let header = integration_header(work);
        let announced = Cell::new(false);
        let output = command::run_watched(&mut pass, || {
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
        let images = module::read_all(&work.join(OWN), &job.module)?;
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
        let mut compiler = tools::host_compiler(&self.toolchain, &self.gxx);
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
        command::show(&command::run(&mut compiler)?);
        Ok(object)
    }

    /// Runs both passes, beside one another as far as that goes.
    fn both_passes(&self, unit: &Unit, job: &Job<'_>) -> Result<(PathBuf, Vec<Image>), CompileError> {
        thread::scope(|scope| {
            let (announce, announced) = mpsc::channel::<String>();
            let host = scope.spawn(move || {
                let header = announced.recv().ok()?;
                Some((self.host_pass(unit, job, &header), header))
            });
            let images = self.device_pass(unit, job, |header| {
                // It fails only where the host pass has come to an end.
                let _ = announce.send(header);
            });
            drop(announce);
            let early = host.join().expect("the host pass does not panic");
            // What the device pass says of the unit is the better message.
            let images = images?;
            let path = integration_header(job.work.path());
            let header = fs::read_to_string(&path).map_err(unreadable(&path))?;
            let object = match early {
                Some((object, early)) if early == header => object?,
                // It was not whole yet when it was read.
                _ => self.host_pass(unit, job, &header)?,
            };
            Ok((object, images))
        })
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
        let mut linker = tools::host_compiler(&self.toolchain, &self.gxx);
        linker.current_dir(work).arg("-shared").arg(object);
        if !images.is_empty() {
            let file = |number| format!("{OWN}/image.{number}.spv");
            for (number, image) in images.iter().enumerate() {
                write(&format!("image.{number}.spv"), &image.spirv)?;
            }
            write("images.cpp", registration::text(images, file).as_bytes())?;
            linker.arg(format!("{OWN}/images.cpp"));
        }
        linker
            .arg("-L")
            .arg(self.toolchain.lib())
            .arg("-lsycl")
            .args(output::rpath(&self.toolchain.lib()))
            // Unloading code that the SYCL run time still knows ends in a crash.
            .args(["-Wl,-z,nodelete", "-Wl,-z,defs"])
            .arg(format!("-Wl,--version-script={OWN}/exports.map"));
        output::publish(&mut linker, out)
    }
}

impl Driver for Embedded {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        self.toolchain.environment()
    }

    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        let Source::File(path) = &unit.source else {
            return Ok(Vec::new());
        };
        let mut compiler = tools::host_compiler(&self.toolchain, &self.gxx);
        compiler
            .args(define_options(unit)?)
            .arg(format!("-D{MODULE_MACRO}=module"))
            .args(include_options(unit)?)
            .args(["-x", "c++"]);
        depfile::read(&mut compiler, path)
    }

    fn compile(&self, unit: &Unit, out: &Path) -> Result<(), CompileError> {
        let job = self.job(unit)?;
        let (object, images) = match unit.source {
            Source::Host { .. } => (self.host_pass(unit, &job, "")?, Vec::new()),
            Source::Header { .. } | Source::File(_) => self.both_passes(unit, &job)?,
        };
        self.link(unit, &job, &object, &images, out)
    }
}

fn integration_header(work: &Path) -> PathBuf {
    work.join(OWN).join("integration.hpp")
}
