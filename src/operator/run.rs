//! Calls, run on the host or on a device.

use std::panic::{AssertUnwindSafe, catch_unwind};

use half::{bf16, f16};
use oxysycl_codegen::ir::{DType, Kernel as Ir, ParamId};
use oxysycl_runtime::{Queue, View};

use super::Refused;
use super::bind::{Bound, Placed};
use super::overlap::shared;
use crate::argument::{DeviceArgument, HostArgument, Viewed};
use crate::kernel::Variant;
use crate::launch::LaunchError;
use crate::native::Element;

/// Why a native call gave no result.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// The arguments are refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The kernel cannot be turned into a header.
    #[error(transparent)]
    Lower(#[from] crate::LowerError),
    /// The function panicked, and what it writes is as it was.
    #[error("{0}: run natively, it panics: {1}")]
    Panic(String, String),
}

impl Bound {
    /// Runs the kernel's own function, on copies of the arrays: so in place too it reads what was there before, and a gap
    /// between rows stays as it is.
    ///
    /// # Errors
    /// If what is written shares elements with another array, or the function panics.
    ///
    /// # Safety
    /// Each array's elements are in memory of this process, those that are written may be, and nobody else writes to any of
    /// them meanwhile.
    pub unsafe fn native(&self) -> Result<(), NativeError> {
        let ir = self.kernel.ir()?;
        if let Some((written, other)) = shared(&ir, &self.arrays) {
            let name = |id: ParamId| &ir.params[id].name;
            let what = if written == other {
                format!("`{}` has elements that overlap each other", name(written))
            } else {
                format!("`{}` overlaps `{}`", name(written), name(other))
            };
            return Err(Refused::Value(format!("{}: {what}", ir.name)).into());
        }
        let mut arguments: Vec<HostArgument> = (0..ir.params.len())
            .map(|id| match self.scalars[id] {
                Some(scalar) => HostArgument::Scalar(scalar),
                // SAFETY: the caller's promise.
                None => unsafe { gathered(self.dtype(&ir, id), self.arrays[id].as_ref()) },
            })
            .collect();
        let native = self.variant().native;
        catch_unwind(AssertUnwindSafe(|| native(&self.consts, &mut arguments))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            NativeError::Panic(ir.name.clone(), text.unwrap_or("without a message").to_owned())
        })?;
        for (id, _) in ir.buffers().filter(|(_, buffer)| buffer.mutable) {
            if let Some(placed) = &self.arrays[id] {
                // SAFETY: the caller's promise.
                unsafe { scattered(placed, &arguments[id]) };
            }
        }
        Ok(())
    }

    /// Launches the kernel on `queue`, after all that it was given before. It may still run when this returns.
    ///
    /// # Errors
    /// As for the launch of any kernel, see [`LaunchError`].
    ///
    /// # Safety
    /// Devices reach each array's elements through `queue`, and nobody else touches them until it has run the kernel, but for
    /// what is submitted to it.
    pub unsafe fn launch(&self, queue: &Queue) -> Result<(), LaunchError> {
        let ir = self.kernel.ir()?;
        let arguments: Vec<DeviceArgument<'_>> = (0..ir.params.len())
            .map(|id| match self.scalars[id] {
                Some(scalar) => DeviceArgument::Scalar(scalar),
                // SAFETY: the caller's promise.
                None => unsafe { viewed(queue, self.dtype(&ir, id), self.arrays[id].as_ref()) },
            })
            .collect();
        (self.variant().launch)(queue, &self.consts, &arguments)
    }

    fn variant(&self) -> &'static Variant {
        let mut variants = self.kernel.variants().iter();
        variants
            .find(|variant| *variant.dtypes == *self.dtypes)
            .expect("there is a variant for each combination")
    }

    fn dtype(&self, ir: &Ir, id: ParamId) -> DType {
        match ir.buffer(id).element {
            oxysycl_codegen::ir::Element::DType(dtype) => dtype,
            oxysycl_codegen::ir::Element::Param(at) => self.dtypes[at],
        }
    }
}

/// Calls a function that is generic over elements with those of `dtype`.
macro_rules! with_dtype {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        match $dtype {
            DType::F32 => $function::<f32>($($argument),*),
            DType::F16 => $function::<f16>($($argument),*),
            DType::BF16 => $function::<bf16>($($argument),*),
            DType::I8 => $function::<i8>($($argument),*),
            DType::I32 => $function::<i32>($($argument),*),
            DType::I64 => $function::<i64>($($argument),*),
            DType::U8 => $function::<u8>($($argument),*),
            DType::Bool => $function::<bool>($($argument),*),
        }
    };
}

/// A copy of an array from its first element to its last; of an absent one, nothing.
///
/// # Safety
/// The elements are in memory of this process, and nobody writes to them.
unsafe fn gathered(dtype: DType, placed: Option<&Placed>) -> HostArgument {
    unsafe fn copy<E: Element>(placed: Option<&Placed>) -> HostArgument {
        let mut elements: Vec<E> = Vec::new();
        if let Some(placed) = placed {
            // SAFETY: bytes of 0 are an element of every type.
            elements.resize(placed.len(), unsafe { std::mem::zeroed() });
            for start in placed.rows() {
                // SAFETY: the caller's promise: a row of whole elements begins there.
                unsafe {
                    let row = (placed.address as *const E).add(start);
                    row.copy_to_nonoverlapping(elements[start..].as_mut_ptr(), placed.width());
                }
            }
        }
        HostArgument::buffer(elements)
    }
    if dtype == DType::Bool {
        // Whatever a byte is, it is a truth value only once it was compared with 0.
        // SAFETY: the caller's promise.
        let bytes = unsafe { copy::<u8>(placed) };
        return HostArgument::buffer(bytes.slice::<u8>().iter().map(|byte| *byte != 0).collect());
    }
    // SAFETY: the caller's promise.
    unsafe { with_dtype!(dtype, copy(placed)) }
}

/// Writes rows back to where they came from.
///
/// # Safety
/// The array's elements are in memory of this process, and nobody else touches them.
unsafe fn scattered(placed: &Placed, argument: &HostArgument) {
    unsafe fn copy<E: Element>(placed: &Placed, argument: &HostArgument) {
        let elements = argument.slice::<E>();
        for start in placed.rows() {
            // SAFETY: the caller's promise: a row of whole elements begins there.
            unsafe {
                let row = (placed.address as *mut E).add(start);
                row.copy_from_nonoverlapping(elements[start..].as_ptr(), placed.width());
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { with_dtype!(placed.dtype, copy(placed, argument)) }
}

/// An array's elements from the first to the last, for a launch; of an absent one, none.
///
/// # Safety
/// As for [`View::from_raw`].
unsafe fn viewed<'q>(queue: &'q Queue, dtype: DType, placed: Option<&Placed>) -> DeviceArgument<'q> {
    unsafe fn view<'q, E: Viewed>(queue: &'q Queue, placed: Option<&Placed>) -> DeviceArgument<'q> {
        let (address, len) = placed.map_or((0, 0), |placed| (placed.address, placed.len()));
        // SAFETY: the caller's promise.
        E::argument(unsafe { View::from_raw(queue, address as *mut E, len) })
    }
    // SAFETY: the caller's promise.
    unsafe { with_dtype!(dtype, view(queue, placed)) }
}
