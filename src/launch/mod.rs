//! Typed launches: everything is checked here, before anything is submitted.

mod beyond;
mod error;
mod loaded;
mod passed;
pub(crate) mod shape;
mod shapes;

pub use self::error::LaunchError;
pub(crate) use self::loaded::{Loaded, together_unit, unit};
pub(crate) use self::passed::Launched;
pub use self::shapes::shaped_for_gpu;

use oxysycl_codegen::ir::{self, DType, Element, ParamKind, Scalar};
use oxysycl_runtime::{ArgumentKind, Dtype, Queue};

use self::passed::{Passed, Sizes};
use crate::kernel::Kernel;

/// Launches `kernel` with element types and const parameters chosen, on memory that `args` view.
///
/// # Errors
/// See [`LaunchError`].
pub fn launch<A: Launched>(
    queue: &Queue,
    kernel: &'static Kernel,
    dtypes: &[DType],
    consts: &[i64],
    args: A,
) -> Result<(), LaunchError> {
    let ir = kernel.ir()?;
    expect_signature::<A>(&ir, dtypes)?;
    let passed = args.passed();
    let sizes = Sizes {
        consts,
        passed: passed.as_ref(),
    };
    for (id, buffer) in ir.buffers() {
        if let Passed::Buffer { len, .. } = sizes.passed[id]
            && !(buffer.optional && len == 0)
        {
            shape::expect(&ir, id, buffer, &sizes, len).map_err(|error| {
                match (error, sizes.too_large()) {
                    // The shape needs a value that no size can have.
                    (LaunchError::Uncountable { .. }, Some((argument, value))) => LaunchError::TooLarge {
                        kernel: ir.name.clone(),
                        argument: ir.params[argument].name.clone(),
                        value,
                    },
                    (error, _) => error,
                }
            })?;
        }
    }
    beyond::expect_unwritten(&ir, &sizes)?;
    let function = kernel.loaded.function(&ir, dtypes, consts, queue.device())?;
    // SAFETY: the header's export has the C signature that `expect_signature` compared with `A`. Every buffer holds what
    // its shape says, and the checks of the front end keep the kernel inside the shapes but for rows that data selects,
    // which are the kernel's contract with its caller.
    let call = || unsafe { function.call(queue, args) };
    if shapes::for_gpu()? {
        let shape = kernel.loaded.shape_for_gpu(dtypes, consts, queue.device());
        let take = |wanted: bool| match &shape {
            // SAFETY: the header's export is `void` of a queue and a `bool`, and touches no memory.
            Some(shape) => unsafe { shape.call_void(queue, (wanted,)) },
            None => Ok(()),
        };
        take(true)?;
        let called = call();
        take(false)?;
        called?;
    } else {
        call()?;
    }
    Ok(())
}

/// Refuses arguments of other types than the kernel's parameters.
fn expect_signature<A: Launched>(ir: &ir::Kernel, dtypes: &[DType]) -> Result<(), LaunchError> {
    let expected = ir.params.iter().map(|param| match &param.kind {
        ParamKind::Buffer(buffer) => match buffer.element {
            Element::DType(dtype) => Some(ArgumentKind::Pointer(runtime_dtype(dtype))),
            Element::Param(id) => dtypes
                .get(id)
                .map(|dtype| ArgumentKind::Pointer(runtime_dtype(*dtype))),
        },
        ParamKind::Scalar(scalar) => Some(runtime_scalar(*scalar)),
    });
    if expected.eq(A::KINDS.iter().copied().map(Some)) {
        return Ok(());
    }
    Err(LaunchError::Signature {
        kernel: ir.name.clone(),
        given: A::KINDS,
    })
}

fn runtime_dtype(dtype: DType) -> Dtype {
    match dtype {
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::Bf16,
        DType::I8 => Dtype::I8,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::U8 => Dtype::U8,
        DType::Bool => Dtype::Bool,
    }
}

fn runtime_scalar(scalar: Scalar) -> ArgumentKind {
    ArgumentKind::Scalar(match scalar {
        Scalar::Bool => return ArgumentKind::Bool,
        Scalar::I8 => Dtype::I8,
        Scalar::I16 => Dtype::I16,
        Scalar::I32 => Dtype::I32,
        Scalar::I64 => Dtype::I64,
        Scalar::U8 => Dtype::U8,
        Scalar::U16 => Dtype::U16,
        Scalar::U32 => Dtype::U32,
        Scalar::U64 => Dtype::U64,
        Scalar::F32 => Dtype::F32,
    })
}
