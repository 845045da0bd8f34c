//! A trial: whether a kernel can be compiled and run here at all, and how long that takes.

use std::time::{Duration, Instant};

use crate::cache::Cache;
use crate::driver::{self, CompileError};
use crate::memory::MemoryError;
use crate::module::CallError;
use crate::queue::Queue;
use crate::runtime::{Error, Runtime};
use crate::scratch::Scratch;
use crate::unit::{Source, Unit};

/// A kernel of five lines.
const KERNEL: &str = "\
#include <sycl/sycl.hpp>
namespace OXYSYCL_MODULE {
struct Twice { float *x; void operator()(sycl::item<1> i) const { x[i] *= 2.0f; } };
}
extern \"C\" void twice(sycl::queue *q, float *x) { q->parallel_for(sycl::range<1>(4), OXYSYCL_MODULE::Twice{x}); }
";

/// What came of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// How long it took to compile the kernel, with nothing in any cache.
    pub compiled: Duration,
    /// How long it took from its first launch to its result.
    pub ran: Duration,
    /// What it made of 1, 2, 3 and 4.
    pub result: [f32; 4],
}

impl Trial {
    /// Whether the numbers were doubled.
    pub fn is_right(&self) -> bool {
        self.result == [2.0, 4.0, 6.0, 8.0]
    }
}

/// Why a trial failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The kernel could not be compiled or loaded.
    #[error(transparent)]
    Runtime(#[from] Error),
    /// There was no memory for its numbers, or they could not be copied.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// It could not be launched.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// Compiles a kernel of five lines with the driver that [`driver::discover`] finds, and runs it on `queue`. It doubles
/// numbers.
///
/// # Errors
/// As for whoever compiles and runs a kernel.
pub fn run(queue: &Queue) -> Result<Trial, TrialError> {
    let unit = Unit {
        source: Source::Header {
            name: "trial.hpp".to_owned(),
            text: KERNEL.to_owned(),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: queue.device().target.clone(),
    };
    let folder = Scratch::new().map_err(|source| {
        Error::from(CompileError::Temporary {
            folder: std::env::temp_dir(),
            source,
        })
    })?;
    let driver = driver::discover().map_err(Error::from)?;
    let runtime = Runtime::new(driver, Cache::open(&folder.path().join("modules")));
    let start = Instant::now();
    let module = runtime.module(&unit)?;
    let compiled = start.elapsed();
    let twice = module.function("twice", None).map_err(Error::from)?;
    let numbers = queue.upload(&[1.0_f32, 2.0, 3.0, 4.0])?;
    let start = Instant::now();
    // SAFETY: its C type is void (sycl::queue*, float*), and it writes the four numbers that the view holds.
    unsafe { twice.call_void(queue, (numbers.view(),)) }?;
    let result = numbers.to_vec()?;
    Ok(Trial {
        compiled,
        ran: start.elapsed(),
        result: [result[0], result[1], result[2], result[3]],
    })
}
