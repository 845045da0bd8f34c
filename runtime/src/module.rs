//! Loaded libraries and the functions in them.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use rustix::fs::StatVfsMountFlags;

use crate::argument::Arguments;
use crate::events;
use crate::libsycl;
use crate::queue::Queue;
use crate::shim::SyclError;

/// A loaded library. It stays loaded until the process ends, because the SYCL run time keeps what is inside.
pub struct Module {
    path: PathBuf,
    library: ManuallyDrop<Library>,
}

/// Why a library or a function in it could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system's loader refuses the library.
    #[error("cannot load {path}: {reason}", path = path.display())]
    Open {
        /// The library.
        path: PathBuf,
        /// The loader's own words.
        reason: String,
    },
    /// The library lies where nothing may be executed.
    #[error(
        "cannot load {path}: its file system is mounted with the option noexec; \
         set {variable} to a folder on another file system", path = path.display()
    )]
    NoExec {
        /// The library.
        path: PathBuf,
        /// The variable to set.
        variable: &'static str,
    },
    /// The library needs another SYCL run time than the one that this process has already loaded. It was not loaded.
    #[error(
        "{path} needs {needed}{at}, but this process has loaded {loaded}, which is {soname}, another SYCL run time, and the two \
         cannot work together: use one SYCL installation for all that runs in this process",
        path = path.display(), at = at(found), loaded = loaded.display(), soname = soname(loaded)
    )]
    OtherSycl {
        /// The library.
        path: PathBuf,
        /// The run time that it needs, such as `libsycl.so.8`.
        needed: String,
        /// The file that this would be, where the driver has one.
        found: Option<PathBuf>,
        /// The run time that is loaded.
        loaded: PathBuf,
    },
    /// This process has two SYCL run times, and the library needs one. It was not loaded.
    #[error(
        "this process has loaded two SYCL run times, {first}, which is {first_soname}, and {second}, which is {second_soname}, \
         so that {path} cannot be used: use one SYCL installation for all that runs in this process",
        path = path.display(), first = first.display(), first_soname = soname(first),
        second = second.display(), second_soname = soname(second)
    )]
    TwoSycl {
        /// The library.
        path: PathBuf,
        /// A run time.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// The library has no such function.
    #[error("{path} exports no function {symbol}", path = path.display())]
    Symbol {
        /// The library.
        path: PathBuf,
        /// The name looked for.
        symbol: String,
    },
}

/// Why a call of an exported function did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// An argument lives on another queue than the one to launch on.
    #[error(
        "{symbol}: argument {position} (counted from 0) is memory of another queue; \
         allocate it on the queue that the kernel is launched on"
    )]
    ForeignMemory {
        /// The function.
        symbol: String,
        /// Which argument, counted from 0 after the queue.
        position: usize,
    },
    /// The function refused its arguments, or the SYCL run time failed.
    #[error("{symbol} failed with status {status}: {reason}")]
    Failed {
        /// The function.
        symbol: String,
        /// What it returned.
        status: i32,
        /// Its own words.
        reason: String,
    },
    /// SYCL cannot be used in this process.
    #[error(transparent)]
    Sycl(#[from] SyclError),
}

/// The loader's flag for looking for what is loaded already, and loading nothing.
const RTLD_NOLOAD: c_int = 4;

impl Module {
    /// Loads the library at `path`, with its symbols kept to itself; before it, those that it needs and that are in one of
    /// `folders`, unless this process has one of that name already.
    pub(crate) fn open(path: &Path, folders: &[PathBuf]) -> Result<Self, LoadError> {
        let needed = libsycl::needed(path);
        let in_folders = |name: &PathBuf| {
            let mut files = folders.iter().map(|folder| folder.join(name));
            files.find(|file| file.exists())
        };
        if let Some(sycl) = needed.iter().find(|name| libsycl::is_libsycl(name)) {
            match libsycl::mapped().as_slice() {
                [] => {}
                [first, second, ..] => {
                    return Err(LoadError::TwoSycl {
                        path: path.to_owned(),
                        first: first.clone(),
                        second: second.clone(),
                    });
                }
                [_] if is_loaded(sycl) => {}
                [loaded] => {
                    return Err(LoadError::OtherSycl {
                        path: path.to_owned(),
                        needed: sycl.display().to_string(),
                        found: in_folders(sycl),
                        loaded: loaded.clone(),
                    });
                }
            }
        }
        for name in &needed {
            // The loader takes what is loaded for what is needed if it calls itself so, wherever it is.
            if let Some(file) = in_folders(name)
                && !is_loaded(name)
            {
                load(&file)?;
            }
        }
        let library = load(path)?;
        events::load(path);
        Ok(Self {
            path: path.to_owned(),
            library,
        })
    }

    /// Where the library was loaded from. The file may be gone since.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The exported function `symbol`, whose C type is `int32_t (sycl::queue*, …)` or `void (sycl::queue*,
    /// …)`.
    ///
    /// `last_error` is the export, of C type `const char* ()`, that tells why the thread's last call failed.
    /// A library that follows no such convention has none.
    pub fn function(&self, symbol: &str, last_error: Option<&str>) -> Result<Function, LoadError> {
        // SAFETY: addresses of functions, as addresses.
        let address: NonNull<c_void> = unsafe { self.symbol(symbol) }?;
        // SAFETY: this is the type that the caller says this function has.
        let last_error = last_error.map(|name| unsafe { self.symbol(name) }).transpose()?;
        Ok(Function {
            symbol: symbol.into(),
            address,
            last_error,
        })
    }

    /// The address of `symbol`, as a `T`.
    ///
    /// # Safety
    ///
    /// `T` is as large as a pointer, cannot be null, and describes what the symbol is.
    pub(crate) unsafe fn symbol<T: Copy>(&self, symbol: &str) -> Result<T, LoadError> {
        let missing = || LoadError::Symbol {
            path: self.path.clone(),
            symbol: symbol.to_owned(),
        };
        let name = CString::new(symbol).map_err(|_| missing())?;
        // SAFETY: looked up as an address, which may be null; the library is never unloaded.
        let found = unsafe { self.library.get::<Option<NonNull<c_void>>>(&name) }.map_err(|_| missing())?;
        let address = found.lift_option().ok_or_else(missing)?;
        const { assert!(size_of::<T>() == size_of::<NonNull<c_void>>()) };
        // SAFETY: the caller promises that `T` describes what is at this address, which is not null.
        Ok(unsafe { std::mem::transmute_copy::<NonNull<c_void>, T>(&*address) })
    }
}

/// An exported function of a [`Module`]. It stays valid until the process ends; clones are cheap.
#[derive(Clone)]
pub struct Function {
    symbol: Arc<str>,
    address: NonNull<c_void>,
    last_error: Option<unsafe extern "C" fn() -> *const c_char>,
}

// SAFETY: the address of code that is never unloaded.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Its exported name.
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// Calls the function, which returns a status, with `queue` and `arguments`.
    ///
    /// # Safety
    ///
    /// The function's C type is `int32_t` of a `sycl::queue*` and then [`A::KINDS`](Arguments::KINDS); and
    /// what it submits stays inside the views among `arguments`, which are alive until the queue has run it.
    /// (A [`Buffer`](crate::Buffer) waits for its queue before it is freed.)
    pub unsafe fn call<A: Arguments>(&self, queue: &Queue, arguments: A) -> Result<(), CallError> {
        self.expect_usable(queue, &arguments)?;
        // SAFETY: the caller's promise, and a queue that is alive.
        let status: i32 = unsafe { arguments.call(self.address.as_ptr(), queue.as_raw()) };
        if status == 0 {
            Ok(())
        } else {
            Err(self.failure(status))
        }
    }

    /// Calls the function, which returns nothing, with `queue` and `arguments`.
    ///
    /// # Safety
    ///
    /// As for [`call`](Self::call), but for the function's C type, which is `void` of the same parameters. An
    /// exception of such a function ends the process.
    pub unsafe fn call_void<A: Arguments>(&self, queue: &Queue, arguments: A) -> Result<(), CallError> {
        self.expect_usable(queue, &arguments)?;
        // SAFETY: the caller's promise, and a queue that is alive.
        unsafe { arguments.call::<()>(self.address.as_ptr(), queue.as_raw()) };
        Ok(())
    }

    fn expect_usable<A: Arguments>(&self, queue: &Queue, arguments: &A) -> Result<(), CallError> {
        queue.shim().expect_same_process()?;
        match arguments.foreign(queue.id()) {
            None => Ok(()),
            Some(position) => Err(CallError::ForeignMemory {
                symbol: self.symbol.to_string(),
                position,
            }),
        }
    }

    fn failure(&self, status: i32) -> CallError {
        let reason = self.last_error.map_or(std::ptr::null(), |last_error| {
            // SAFETY: a function of this type, as whoever looked it up said.
            unsafe { last_error() }
        });
        let reason = if reason.is_null() {
            "the library gives no reason".to_owned()
        } else {
            // SAFETY: a text that is valid until this thread's next call.
            unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned()
        };
        CallError::Failed {
            symbol: self.symbol.to_string(),
            status,
            reason,
        }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("symbol", &self.symbol)
            .finish_non_exhaustive()
    }
}

/// What the library at `path` calls itself.
fn soname(path: &Path) -> String {
    String::from_utf8_lossy(&libsycl::soname(path)).into_owned()
}

fn at(found: &Option<PathBuf>) -> String {
    match found {
        Some(file) => format!(", which is {}", file.display()),
        None => String::new(),
    }
}

/// Loads the library at `path` for good, because the SYCL run time keeps what is inside.
fn load(path: &Path) -> Result<ManuallyDrop<Library>, LoadError> {
    // SAFETY: a driver made this library, or ships it; what runs as it is loaded only tells the SYCL run time of kernels.
    match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) } {
        Ok(library) => Ok(ManuallyDrop::new(library)),
        Err(_) if forbids_execution(path) => Err(LoadError::NoExec {
            path: path.to_owned(),
            variable: crate::cache::VARIABLE,
        }),
        Err(error) => Err(LoadError::Open {
            path: path.to_owned(),
            reason: reason(&error),
        }),
    }
}

/// Whether this process has a library that calls itself `name`.
fn is_loaded(name: &Path) -> bool {
    // SAFETY: nothing is loaded, and so nothing runs; what is there already is never unloaded.
    let found = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) };
    found.map(ManuallyDrop::new).is_ok()
}

/// The loader's own words.
fn reason(error: &libloading::Error) -> String {
    // The error itself only says which function failed.
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Whether the file system that holds `path` is mounted such that no code may be mapped from it.
fn forbids_execution(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|info| info.f_flag.contains(StatVfsMountFlags::NOEXEC))
}
