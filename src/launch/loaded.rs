//! A kernel's loaded functions: found without hashing or emission once they are there.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use oxysycl_codegen::Instance;
use oxysycl_codegen::ir::{self, DType};
use oxysycl_runtime::{Device, Function, Module, Runtime, Source, Target, Unit};

use super::LaunchError;

/// How many instances of one kernel are at hand.
const MOST: usize = 128;

/// The instances of one kernel that were launched last. They are so few that looking through them beats hashing. One that
/// makes room for another stays loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    instances: RwLock<Vec<LoadedInstance>>,
    /// How often one was looked up.
    uses: AtomicU64,
}

#[derive(Debug)]
struct LoadedInstance {
    dtypes: Vec<DType>,
    consts: Vec<i64>,
    target: Target,
    function: Function,
    /// Has this thread's launches take the shapes of a GPU, or no longer.
    shape_for_gpu: Function,
    /// Which of all uses was the last of this one.
    last_use: AtomicU64,
}

impl LoadedInstance {
    fn is(&self, dtypes: &[DType], consts: &[i64], device: &Device) -> bool {
        self.dtypes == dtypes && self.consts == consts && self.target == device.target
    }
}

impl Loaded {
    pub(crate) const fn new() -> Self {
        Self {
            instances: RwLock::new(Vec::new()),
            uses: AtomicU64::new(0),
        }
    }

    /// Has no instance at hand any more.
    pub(crate) fn clear(&self) {
        self.instances
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The exported function of the instance, for `device`: loaded, compiled and emitted if need be.
    pub(super) fn function(
        &self,
        ir: &ir::Kernel,
        dtypes: &[DType],
        consts: &[i64],
        device: &Device,
    ) -> Result<Function, LaunchError> {
        if let Some(function) = self.find(dtypes, consts, device) {
            return Ok(function);
        }
        // The run time sees to it that two threads which get here compile and load once.
        let instance = Instance::new(ir, dtypes, consts).map_err(LaunchError::Instance)?;
        let unit = instance_unit(ir, &instance, &device.target);
        let module = Runtime::global()?.module_with(&unit, &[instance.symbol()])?;
        self.insert(module, ir, dtypes, consts, &instance, device)
    }

    fn find(&self, dtypes: &[DType], consts: &[i64], device: &Device) -> Option<Function> {
        let instances = self.instances.read().unwrap_or_else(PoisonError::into_inner);
        let found = instances
            .iter()
            .find(|instance| instance.is(dtypes, consts, device))?;
        found.last_use.store(self.next_use(), Ordering::Relaxed);
        Some(found.function.clone())
    }

    /// What has launches of an instance at hand take the shapes of a GPU.
    pub(super) fn shape_for_gpu(
        &self,
        dtypes: &[DType],
        consts: &[i64],
        device: &Device,
    ) -> Option<Function> {
        let instances = self.instances.read().unwrap_or_else(PoisonError::into_inner);
        let mut instances = instances.iter();
        let found = instances.find(|instance| instance.is(dtypes, consts, device))?;
        Some(found.shape_for_gpu.clone())
    }

    fn next_use(&self) -> u64 {
        self.uses.fetch_add(1, Ordering::Relaxed)
    }

    /// Loads all instances with these const parameters, unless they are loaded: from the one module that [`together_unit`]
    /// makes of them.
    pub(crate) fn load_together(
        &self,
        ir: &ir::Kernel,
        dtypes: &[DType],
        consts: &[&[i64]],
        device: &Device,
    ) -> Result<(), LaunchError> {
        if consts
            .iter()
            .all(|consts| self.find(dtypes, consts, device).is_some())
        {
            return Ok(());
        }
        let unit = together_unit(ir, dtypes, consts, &device.target).map_err(LaunchError::Instance)?;
        let instances = consts
            .iter()
            .map(|consts| Instance::new(ir, dtypes, consts))
            .collect::<Result<Vec<_>, _>>()
            .map_err(LaunchError::Instance)?;
        let symbols: Vec<&str> = instances.iter().map(Instance::symbol).collect();
        let module = Runtime::global()?.module_with(&unit, &symbols)?;
        self.load_from(module, ir, dtypes, consts, device)
    }

    /// Takes all instances with these const parameters from `module`.
    pub(crate) fn load_from(
        &self,
        module: &Module,
        ir: &ir::Kernel,
        dtypes: &[DType],
        consts: &[&[i64]],
        device: &Device,
    ) -> Result<(), LaunchError> {
        for consts in consts {
            let instance = Instance::new(ir, dtypes, consts).map_err(LaunchError::Instance)?;
            self.insert(module, ir, dtypes, consts, &instance, device)?;
        }
        Ok(())
    }

    fn insert(
        &self,
        module: &Module,
        ir: &ir::Kernel,
        dtypes: &[DType],
        consts: &[i64],
        instance: &Instance,
        device: &Device,
    ) -> Result<Function, LaunchError> {
        let last_error = format!("{}_last_error", ir.name);
        let function = module
            .function(instance.symbol(), Some(&last_error))
            .map_err(oxysycl_runtime::Error::from)?;
        let shape_for_gpu = module
            .function(&format!("{}_shape_for_gpu", ir.name), None)
            .map_err(oxysycl_runtime::Error::from)?;
        let mut instances = self.instances.write().unwrap_or_else(PoisonError::into_inner);
        if instances
            .iter()
            .any(|instance| instance.is(dtypes, consts, device))
        {
            return Ok(function);
        }
        if instances.len() == MOST {
            let uses = |instance: &LoadedInstance| instance.last_use.load(Ordering::Relaxed);
            let oldest = (0..MOST).min_by_key(|&at| uses(&instances[at]));
            oldest.into_iter().for_each(|at| _ = instances.swap_remove(at));
        }
        instances.push(LoadedInstance {
            dtypes: dtypes.to_vec(),
            consts: consts.to_vec(),
            target: device.target.clone(),
            function: function.clone(),
            shape_for_gpu,
            last_use: AtomicU64::new(self.next_use()),
        });
        Ok(function)
    }
}

/// What is compiled for a kernel: its header by itself.
pub(crate) fn unit(ir: &ir::Kernel, target: &Target) -> Unit {
    let path = Path::new(&ir.attributes.header);
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    Unit {
        source: Source::Header {
            name,
            text: oxysycl_codegen::header(ir),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: target.clone(),
    }
}

/// What is compiled for many instances of a kernel with the same element types: their const parameters take the place of
/// those that the header makes when no macro selects one.
pub(crate) fn together_unit(
    ir: &ir::Kernel,
    dtypes: &[DType],
    consts: &[&[i64]],
    target: &Target,
) -> Result<Unit, String> {
    let mut ir = ir.clone();
    for (at, param) in ir.consts.iter_mut().enumerate() {
        let values: BTreeSet<i64> = consts.iter().map(|consts| consts[at]).collect();
        param.instances = values.into_iter().collect();
    }
    let first = consts.first().copied().unwrap_or_default();
    let mut defines = Instance::new(&ir, dtypes, first)?.defines().to_vec();
    defines.truncate(ir.types.len());
    Ok(Unit {
        defines,
        ..unit(&ir, target)
    })
}

/// What is compiled for one instance of a kernel.
pub(crate) fn instance_unit(ir: &ir::Kernel, instance: &Instance, target: &Target) -> Unit {
    Unit {
        defines: instance.defines().to_vec(),
        ..unit(ir, target)
    }
}
