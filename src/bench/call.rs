//! One call of a kernel, to be measured.

use oxysycl_codegen::eval;
use oxysycl_codegen::ir::{DType, Kernel as Ir};
use oxysycl_codegen::{Indices, Instance};

use super::export::Export;
use super::size::Sizes;
use super::{BenchError, bytes};
use crate::check::case::Case;
use crate::check::draw;

/// One call of a kernel with its element types chosen.
pub(crate) struct Call<'a> {
    pub(crate) ir: &'a Ir,
    pub(crate) dtypes: &'a [DType],
    /// The kernel's buffers of indices.
    pub(crate) indices: &'a [Indices],
    pub(crate) instance: Instance,
    pub(crate) case: Case,
    /// Useful bytes.
    pub(crate) bytes: u64,
}

impl<'a> Call<'a> {
    /// The call of these sizes, in dense buffers.
    ///
    /// # Errors
    /// If the kernel takes no such sizes.
    pub(crate) fn new(
        ir: &'a Ir,
        dtypes: &'a [DType],
        indices: &'a [Indices],
        sizes: &Sizes,
    ) -> Result<Self, BenchError> {
        let instance = Instance::new(ir, dtypes, &sizes.consts).map_err(BenchError::Instance)?;
        let case = draw::dense(ir, &sizes.consts, &sizes.params);
        let values = case.values();
        if let Some(assertion) = eval::broken(ir, &values) {
            return Err(BenchError::Assertion {
                kernel: ir.name.clone(),
                arguments: case.describe(ir),
                condition: assertion.condition.clone(),
            });
        }
        Ok(Self {
            bytes: bytes::useful(ir, indices, dtypes, &values)?,
            ir,
            dtypes,
            indices,
            instance,
            case,
        })
    }

    /// What is called.
    pub(crate) fn export(&self) -> Export<'a> {
        Export::of(self.ir, &self.instance)
    }
}
