//! The run time as a whole: units in, loaded modules out.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::SystemTime;

use crate::bundle::{Bundle, BundleError};
use crate::cache::{AlsoRead, Cache, Compiled, Library, Origin, Wanted};
use crate::device::{self, Device, Selector};
use crate::driver::{self, CompileError, Driver};
use crate::key::{Key, KeyFields};
use crate::libsycl;
use crate::module::{LoadError, Module};
use crate::modules::{Modules, locked};
use crate::nvidia;
use crate::shim::{Shim, SyclError};
use crate::unit::Unit;

/// A driver, a cache, and the modules that this process has loaded through them.
///
/// Nothing happens before it is asked for: no compiler is looked for, no folder made, no device touched.
///
/// ```no_run
/// use oxysycl_runtime::{Queue, Runtime, Selector, Source, Target, Unit};
///
/// let unit = Unit {
///     source: Source::Header {
///         name: "scale.hpp".to_owned(),
///         text: std::fs::read_to_string("scale.hpp")?,
///     },
///     defines: Vec::new(),
///     include_dirs: Vec::new(),
///     target: Target::Spir64,
/// };
/// let module = Runtime::global()?.module(&unit)?;
/// let scale = module.function("scale_forward_fp32", Some("scale_last_error"))?;
///
/// let queue = Queue::new(&Selector::Auto)?;
/// let input = queue.upload(&[1.0f32, 2.0])?;
/// let output = queue.alloc::<f32>(2)?;
/// // SAFETY: the C type is int32_t (sycl::queue*, const void*, void*, float, int64_t), and both views hold two elements.
/// unsafe { scale.call(&queue, (input.view(), output.view(), 3.0f32, 2i64)) }?;
/// assert_eq!(output.to_vec()?, [3.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Runtime {
    driver: Box<dyn Driver>,
    cache: Cache,
    modules: Modules,
    shim: Mutex<Option<&'static Shim>>,
    environment: Once,
}

/// A unit on its way to a library.
struct Job<'a> {
    unit: &'a Unit,
    dependencies: Vec<PathBuf>,
    wanted: Wanted,
}

/// The run time of this process, once it was asked for.
static GLOBAL: Mutex<Option<&'static Runtime>> = Mutex::new(None);

/// The SYCL run time in use, as [`Runtime::sycl`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sycl {
    /// The major version of libsycl.
    pub version: u32,
    /// The file it was loaded from.
    pub path: Option<PathBuf>,
}

/// Why a unit could not be made ready, or a device not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It could not be compiled or cached.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The compiled library could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The SYCL run time failed.
    #[error(transparent)]
    Sycl(#[from] SyclError),
    /// The bundle that `OXYSYCL_BUNDLE` names cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// No device is as wanted.
    #[error(
        "there is no SYCL device like that: wanted {wanted}; {}{}",
        found_devices(found),
        format_args!("{}{}", hidden_devices(hidden_by), unreachable(found))
    )]
    NoDevice {
        /// What was looked for.
        wanted: Selector,
        /// What there is.
        found: Vec<Device>,
        /// Environment variables that may hide others, as `NAME=value`.
        hidden_by: Vec<String>,
    },
}

impl Runtime {
    /// The run time of this process: the bundle that `OXYSYCL_BUNDLE` names, or else the driver that [`driver::discover`]
    /// finds, over [`Cache::from_environment`]. Failure is not remembered: the next call looks again.
    pub fn global() -> Result<&'static Self, Error> {
        let mut global = locked(&GLOBAL);
        if let Some(runtime) = *global {
            return Ok(runtime);
        }
        let runtime = match Bundle::from_environment()? {
            Some(bundle) => {
                let cache = bundle.cache();
                Self::new(Box::new(bundle), cache)
            }
            None => Self::new(driver::discover()?, Cache::from_environment()),
        };
        Ok(global.insert(Box::leak(Box::new(runtime))))
    }

    /// The run time of this process, if it was asked for before.
    pub fn current() -> Option<&'static Self> {
        *locked(&GLOBAL)
    }

    /// A run time over `driver` and `cache`.
    pub fn new(driver: Box<dyn Driver>, cache: Cache) -> Self {
        Self {
            driver,
            cache,
            modules: Modules::new(),
            shim: Mutex::default(),
            environment: Once::new(),
        }
    }

    /// What compiles.
    pub fn driver(&self) -> &dyn Driver {
        &*self.driver
    }

    /// Where compiled libraries are kept.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The key of `unit` in the cache.
    pub fn key(&self, unit: &Unit) -> Result<Key, CompileError> {
        Ok(self.job(unit)?.wanted.key)
    }

    /// What the key of `unit` is made of.
    pub fn key_fields(&self, unit: &Unit) -> Result<KeyFields, CompileError> {
        Ok(self.job(unit)?.wanted.fields)
    }

    /// The compiled library of `unit`, from the cache if it is there.
    pub fn library(&self, unit: &Unit) -> Result<Library, Error> {
        let job = self.job(unit)?;
        Ok(self.cache.obtain(&job.wanted, |out| self.compile(&job, out))?)
    }

    /// What to ask a cache for the library of `unit` by.
    pub(crate) fn wanted(&self, unit: &Unit) -> Result<Wanted, CompileError> {
        Ok(self.job(unit)?.wanted)
    }

    /// The module of `unit`: compiled if need be, loaded if need be, and loaded for good.
    ///
    /// The 256 modules that were asked for last are at hand. Any other one is looked for in the cache again, and is another
    /// module then; but every module stays loaded, and its functions stay valid, until the process ends.
    pub fn module(&self, unit: &Unit) -> Result<&'static Module, Error> {
        if let Some(module) = self.modules.get(unit) {
            return Ok(module);
        }
        let job = self.job(unit)?;
        let reads_no_files = job.dependencies.is_empty();
        let module = self.loaded(&job)?;
        if reads_no_files {
            self.modules.put(unit, module);
        }
        Ok(module)
    }

    /// Like [`module`](Self::module), for a unit of which only `symbols` are needed. In a bundle it may have been compiled
    /// with more.
    pub fn module_with(&self, unit: &Unit, symbols: &[&str]) -> Result<&'static Module, Error> {
        let mut job = self.job(unit)?;
        if let Some(key) = self.driver.compiled(unit, symbols) {
            job.wanted.key = key;
        }
        self.loaded(&job)
    }

    /// Has no module at hand any more, so that each is looked for in the cache when it is asked for again. What was loaded
    /// stays loaded, and functions that were handed out stay valid.
    pub fn clear_module_cache(&self) {
        self.modules.clear();
    }

    fn loaded(&self, job: &Job<'_>) -> Result<&'static Module, Error> {
        self.modules.get_or_load(job.wanted.key, || self.load(job))
    }

    /// The SYCL run time in use.
    pub fn sycl(&self) -> Result<Sycl, Error> {
        let version = self.shim()?.sycl_version();
        Ok(Sycl {
            version,
            path: libsycl::mapped().into_iter().next(),
        })
    }

    /// The environment variables that may hide a device from SYCL, as `NAME=value`, as far as this process did not set them
    /// itself.
    pub fn hiding_variables(&self) -> Vec<String> {
        device::hiding(&self.driver.environment())
    }

    pub(crate) fn shim(&self) -> Result<&'static Shim, Error> {
        let mut shim = locked(&self.shim);
        if let Some(shim) = *shim {
            return Ok(shim);
        }
        let loaded = Box::leak(Box::new(Shim::of(self.module(&Shim::unit())?)?));
        Ok(shim.insert(loaded))
    }

    fn job<'a>(&self, unit: &'a Unit) -> Result<Job<'a>, CompileError> {
        let identity = self.driver.identity();
        let dependencies = self.driver.dependencies(unit)?;
        let fields = KeyFields::new(identity, unit, &dependencies)?;
        Ok(Job {
            unit,
            dependencies,
            wanted: Wanted {
                key: fields.key(),
                fields,
                about: describe(unit, identity.driver()),
            },
        })
    }

    fn compile(&self, job: &Job<'_>, out: &Path) -> Result<Compiled, CompileError> {
        let started = SystemTime::now();
        let mut read = self.driver.compile(job.unit, out)?;
        read.retain(|path| !job.dependencies.contains(path));
        let also_read: io::Result<Vec<AlsoRead>> = read.iter().map(|path| AlsoRead::now(path)).collect();
        let changed = |path: &PathBuf| {
            let modified = path.metadata().and_then(|found| found.modified());
            modified.is_ok_and(|modified| modified >= started)
        };
        match also_read {
            Ok(also_read)
                if !read.iter().any(changed)
                    && KeyFields::new(self.driver.identity(), job.unit, &job.dependencies)?
                        == job.wanted.fields =>
            {
                Ok(Compiled { also_read })
            }
            _ => Err(CompileError::Refused {
                subject: job.wanted.about.clone(),
                reason: "it or a file that it includes changed while it was compiled: try again".to_owned(),
            }),
        }
    }

    fn load(&self, job: &Job<'_>) -> Result<Module, Error> {
        self.environment.call_once(|| self.set_environment());
        let folders = self.driver.libraries();
        let library = self.cache.obtain(&job.wanted, |out| self.compile(job, out))?;
        match Module::open(library.path(), &folders) {
            // Whole, and yet no good: what it needs may have moved since it was compiled. Once.
            Err(error @ (LoadError::Open { .. } | LoadError::OtherSycl { .. }))
                if library.origin() == Origin::Cached =>
            {
                eprintln!("oxysycl: {error}; compiling it anew");
                let library = self
                    .cache
                    .replace(&job.wanted, &library, |out| self.compile(job, out))?;
                Ok(Module::open(library.path(), &folders)?)
            }
            result => Ok(result?),
        }
    }

    /// Sets what the driver's libraries need, where the user has not.
    fn set_environment(&self) {
        for (name, value) in self.driver.environment() {
            if std::env::var_os(name).is_none() {
                // SAFETY: Rust code reads the environment under the lock that this takes. C code in another
                // thread could read at this moment without it; this happens once, before the first use of
                // SYCL.
                unsafe { std::env::set_var(name, value) };
            }
        }
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("driver", self.driver.identity())
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

/// A few words on `unit`, such as `rmsnorm.hpp -DHIDDEN_SIZE=4096 for spir64 by embedded`.
fn describe(unit: &Unit, driver: &str) -> String {
    let mut text = unit.source.to_string();
    for (name, value) in &unit.defines {
        text += " -D";
        text += name;
        if !value.is_empty() {
            text += "=";
            text += value;
        }
    }
    format!("{text} for {} by {driver}", unit.target.name())
}

fn found_devices(found: &[Device]) -> String {
    if found.is_empty() {
        return "there is none at all".to_owned();
    }
    let names: Vec<String> = found.iter().map(Device::to_string).collect();
    format!("there is: {}", names.join("; "))
}

/// What to do where NVIDIA's driver has a GPU that is not among the devices.
fn unreachable(found: &[Device]) -> String {
    let reached = found.iter().any(|device| device.backend.contains("cuda"));
    match nvidia::driver() {
        Ok(driver) if driver.devices > 0 && !reached => {
            format!(
                "\nNVIDIA's driver is here ({driver}): `oxysycl toolchain install nvidia` makes devices of its GPUs"
            )
        }
        _ => String::new(),
    }
}

fn hidden_devices(hidden_by: &[String]) -> String {
    match hidden_by {
        [] => String::new(),
        variables => format!("; {} may hide others: unset it", variables.join(" and ")),
    }
}
