//! Whether arrays share elements.

use std::ops::Range;

use oxysycl_codegen::ir::{Kernel as Ir, ParamId};

use super::bind::Placed;

/// The first buffer that is written and shares an element with another one that it must not share any with, or with itself.
pub(super) fn shared(ir: &Ir, arrays: &[Option<Placed>]) -> Option<(ParamId, ParamId)> {
    for (written, _) in ir.buffers().filter(|(_, buffer)| buffer.mutable) {
        let Some(a) = &arrays[written] else { continue };
        let runs = a.runs();
        if runs.windows(2).any(|pair| pair[0].end > pair[1].start) {
            return Some((written, written));
        }
        for (other, buffer) in ir.buffers().filter(|(other, _)| *other != written) {
            let Some(b) = &arrays[other] else { continue };
            let in_place = ir.may_alias(written, other) && a.is(b);
            let twice = buffer.mutable && other < written;
            if !in_place
                && !twice
                && a.span().start < b.span().end
                && b.span().start < a.span().end
                && meet(&runs, &b.runs())
            {
                return Some((written, other));
            }
        }
    }
    None
}

/// Whether two ascending lists of addresses have one in common.
fn meet(a: &[Range<usize>], b: &[Range<usize>]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].start < b[j].end && b[j].start < a[i].end {
            return true;
        }
        if a[i].end <= b[j].end {
            i += 1;
        } else {
            j += 1;
        }
    }
    false
}

impl Placed {
    /// Whether both are the same elements at the same places.
    fn is(&self, other: &Placed) -> bool {
        (self.address, self.dtype) == (other.address, other.dtype)
            && self.shape == other.shape
            && self.strides == other.strides
    }

    /// Elements from the first to the last; 0 if there are none.
    pub(super) fn len(&self) -> usize {
        if self.shape.contains(&0) {
            return 0;
        }
        let steps = self.shape.iter().zip(&self.strides);
        1 + steps
            .map(|(extent, stride)| (extent - 1) as usize * *stride as usize)
            .sum::<usize>()
    }

    /// Addresses from the first element to the last.
    fn span(&self) -> Range<usize> {
        self.address..self.address + self.len() * self.dtype.size()
    }

    /// Where each innermost row begins, in elements.
    pub(super) fn rows(&self) -> Vec<usize> {
        if self.len() == 0 {
            return Vec::new();
        }
        let outer = self.shape.len().saturating_sub(1);
        let mut starts = vec![0];
        for (extent, stride) in self.shape[..outer].iter().zip(&self.strides) {
            let steps = (0..*extent as usize).map(|at| at * *stride as usize);
            starts = starts
                .iter()
                .flat_map(|start| steps.clone().map(move |step| start + step))
                .collect();
        }
        starts
    }

    /// Elements of an innermost row.
    pub(super) fn width(&self) -> usize {
        self.shape.last().map_or(1, |extent| *extent as usize)
    }

    /// Addresses of the innermost rows, ascending.
    fn runs(&self) -> Vec<Range<usize>> {
        let size = self.dtype.size();
        let mut runs: Vec<Range<usize>> = self
            .rows()
            .into_iter()
            .map(|start| self.address + start * size..self.address + (start + self.width()) * size)
            .collect();
        runs.sort_by_key(|run| run.start);
        runs
    }
}
