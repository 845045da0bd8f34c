//! Views that are longer than their shapes.
//!
//! A kernel may read a buffer that it does not write at any index. The header compares shapes, since it knows no lengths; what
//! of a view lies behind its shape is compared here.

use std::ops::Range;

use oxysycl_codegen::ir::{self, ParamId};

use super::passed::{Passed, Sizes};
use super::{LaunchError, shape};

/// Refuses a view that goes on behind its shape into what the kernel writes.
pub(super) fn expect_unwritten(ir: &ir::Kernel, sizes: &Sizes<'_>) -> Result<(), LaunchError> {
    for (id, buffer) in ir.buffers().filter(|(_, buffer)| !buffer.mutable) {
        let Passed::Buffer { start, len, size } = sizes.passed[id] else {
            continue;
        };
        let needed = needed(ir, id, buffer, sizes)?;
        if needed >= len as i128 {
            continue;
        }
        let behind = bytes(start, needed, size).end..bytes(start, len as i128, size).end;
        for (other, written) in ir.buffers().filter(|(_, buffer)| buffer.mutable) {
            let Passed::Buffer { start, size, .. } = sizes.passed[other] else {
                continue;
            };
            let shape = bytes(start, self::needed(ir, other, written, sizes)?, size);
            if shape.start < behind.end && behind.start < shape.end {
                return Err(LaunchError::Beyond {
                    kernel: ir.name.clone(),
                    buffer: ir.params[id].name.clone(),
                    given: len,
                    needed,
                    written: ir.params[other].name.clone(),
                });
            }
        }
    }
    Ok(())
}

/// Elements of a buffer's shape.
fn needed(ir: &ir::Kernel, id: ParamId, buffer: &ir::Buffer, sizes: &Sizes<'_>) -> Result<i128, LaunchError> {
    Ok(shape::span(&shape::extents(ir, id, buffer, sizes)?))
}

/// Addresses of so many elements.
fn bytes(start: usize, count: i128, size: usize) -> Range<i128> {
    let start = start as i128;
    start..start + count * size as i128
}
