//! Kernels as the command and the run time know them: registered by the attribute, found at run time.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

use oxysycl_codegen::ir::{self, DType};
use oxysycl_codegen::source::KernelSource;
use oxysycl_runtime::{Queue, Runtime};

use crate::argument::{DeviceArgument, HostArgument};
use crate::launch::{LaunchError, Loaded};

/// A `#[sycl_kernel]` of this process.
pub struct Kernel {
    source: KernelSource,
    variants: &'static [Variant],
    module: &'static str,
    pub(crate) loaded: Loaded,
}

/// A kernel with its element types chosen: the function, its twins and its launch, with arguments in order.
#[derive(Debug)]
pub struct Variant {
    /// The element types, in the order of the type parameters.
    pub dtypes: &'static [DType],
    /// The function.
    pub native: Native,
    /// Its twin with shuffled lanes.
    pub shuffled: Native,
    /// Its twin in `f64`, with a bound of the error.
    pub shadow: Native,
    /// Its launch on a device.
    pub launch: OnDevice,
}

/// A kernel's function, or one of its twins: const parameters and arguments.
pub(crate) type Native = fn(&[i64], &mut [HostArgument]);

/// A kernel's launch: queue, const parameters and arguments.
pub(crate) type OnDevice = fn(&Queue, &[i64], &[DeviceArgument<'_>]) -> Result<(), LaunchError>;

/// What the attribute submits to the registry.
pub struct Registered(pub fn() -> &'static Kernel);

inventory::collect!(Registered);

/// A kernel's source cannot be turned into a header.
#[derive(Clone, Debug, thiserror::Error)]
#[error("a kernel of {module} cannot be compiled for a device: {problems}")]
pub struct LowerError {
    module: &'static str,
    problems: String,
}

/// All kernels linked into this process, by module path and name.
///
/// # Errors
/// If one of them cannot be turned into a header: rustc knew more of it than its attribute did.
pub fn kernels() -> Result<Vec<&'static Kernel>, LowerError> {
    let mut found = Vec::new();
    for registered in inventory::iter::<Registered> {
        let kernel = (registered.0)();
        found.push((kernel.module, kernel.ir()?.name.clone(), kernel));
    }
    found.sort_by(|(module, name, _), other| (*module, name).cmp(&(other.0, &other.1)));
    Ok(found.into_iter().map(|(.., kernel)| kernel).collect())
}

/// Has no module and no kernel's function at hand any more, so that each is looked for in the cache on disk when it is launched
/// again. What was loaded stays loaded until the process ends.
pub fn clear_module_cache() {
    for registered in inventory::iter::<Registered> {
        (registered.0)().loaded.clear();
    }
    if let Some(runtime) = Runtime::current() {
        runtime.clear_module_cache();
    }
}

/// A header with the kernels that are emitted into it.
#[derive(Clone, Debug)]
pub struct Header {
    path: String,
    kernels: Vec<&'static Kernel>,
}

/// The headers of all kernels linked into this process, by path.
///
/// # Errors
/// If a kernel cannot be turned into a header.
pub fn headers() -> Result<Vec<Header>, LowerError> {
    let mut found: BTreeMap<String, Vec<&'static Kernel>> = BTreeMap::new();
    for kernel in kernels()? {
        let path = kernel.ir()?.attributes.header.clone();
        found.entry(path).or_default().push(kernel);
    }
    let headers = found.into_iter();
    Ok(headers.map(|(path, kernels)| Header { path, kernels }).collect())
}

impl Header {
    /// Its path below the folder of headers.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its kernels.
    pub fn kernels(&self) -> &[&'static Kernel] {
        &self.kernels
    }

    /// Its text.
    ///
    /// # Errors
    /// If a kernel of it cannot be turned into a header.
    pub fn text(&self) -> Result<String, LowerError> {
        let kernels = self.kernels.iter().map(|kernel| kernel.ir());
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let kernels: Vec<&ir::Kernel> = kernels.iter().map(|kernel| &**kernel).collect();
        Ok(oxysycl_codegen::shared_header(&kernels))
    }
}

impl Kernel {
    #[doc(hidden)]
    pub const fn new(source: KernelSource, variants: &'static [Variant], module: &'static str) -> Self {
        Self {
            source,
            variants,
            module,
            loaded: Loaded::new(),
        }
    }

    /// Path of the module that the kernel is in.
    pub fn module(&self) -> &'static str {
        self.module
    }

    /// Lines of the kernel's function in its file, without attributes and the doc comment.
    pub fn lines(&self) -> usize {
        self.source.lines
    }

    /// The kernel, lowered and checked. Each thread does that once, since source positions belong to one.
    ///
    /// # Errors
    /// If rustc knew more of the kernel than its attribute did, and it fails the checks.
    pub fn ir(&'static self) -> Result<Rc<ir::Kernel>, LowerError> {
        thread_local! {
            static LOWERED: RefCell<HashMap<*const Kernel, Rc<ir::Kernel>>> = RefCell::default();
        }
        let key: *const Kernel = self;
        if let Some(lowered) = LOWERED.with_borrow(|all| all.get(&key).cloned()) {
            return Ok(lowered);
        }
        let lowered = oxysycl_codegen::kernel(&self.source).map_err(|errors| LowerError {
            module: self.module,
            problems: errors
                .into_iter()
                .map(|error| error.to_string())
                .collect::<Vec<_>>()
                .join("; "),
        })?;
        let lowered = Rc::new(lowered);
        LOWERED.with_borrow_mut(|all| all.insert(key, Rc::clone(&lowered)));
        Ok(lowered)
    }

    /// The kernel with each combination of its element types.
    #[doc(hidden)]
    pub fn variants(&self) -> &'static [Variant] {
        self.variants
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("module", &self.module)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}
