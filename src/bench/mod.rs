//! Kernels measured on a device, beside other headers with the same exports.

mod baseline;
mod bytes;
mod call;
mod contents;
mod export;
mod header;
mod html;
mod limit;
mod measure;
mod report;
mod rotation;
mod size;
mod statistics;

use std::time::Duration;

use oxysycl_codegen::Indices;
use oxysycl_codegen::ir::{DType, Kernel as Ir};
use oxysycl_runtime::{CallError, Function, MemoryError, Queue, Runtime, Source, SyclError, Target, Unit};

use self::call::Call;
use self::export::{EXCEPTION, Export, Inexpressible, PREAMBLE};
pub(crate) use self::header::{Against, Header};
use self::header::{HeaderError, generated};
pub(crate) use self::html::html;
pub(crate) use self::limit::Limits;
use self::measure::{Launch, alternate};
pub(crate) use self::report::{Measured, Report, Timed, means};
use self::rotation::Rotation;
pub(crate) use self::size::Asked;
pub(crate) use self::size::expect_known;
use self::size::{SizeError, Sizes, choices};
use crate::kernel::{Kernel, LowerError};
use crate::launch::LaunchError;

/// How time is taken.
pub(crate) const TIMING: &str = "the host's clock around batches of launches";

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error(transparent)]
    Lower(#[from] LowerError),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error(transparent)]
    Inexpressible(#[from] Inexpressible),
    #[error("{0}")]
    Instance(String),
    #[error("{kernel} takes no {arguments}: `{condition}` does not hold")]
    Assertion {
        kernel: String,
        arguments: String,
        condition: String,
    },
    #[error("{0}: buffers of that size do not fit into memory")]
    TooLarge(String),
    #[error("{header} cannot be called as `{declaration}`: {source}")]
    Uncallable {
        header: String,
        declaration: String,
        source: Box<oxysycl_runtime::Error>,
    },
    #[error("{header}, {arguments}: {source}")]
    Refused {
        header: String,
        arguments: String,
        source: Box<BenchError>,
    },
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Runtime(#[from] oxysycl_runtime::Error),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error(transparent)]
    Sycl(#[from] SyclError),
}

impl BenchError {
    /// Whether a compiler refuses the code, so that this is an answer.
    pub(crate) fn is_refusal(&self) -> bool {
        let Self::Uncallable { source, .. } = self else {
            return false;
        };
        matches!(&**source, oxysycl_runtime::Error::Compile(error) if error.is_refusal())
    }
}

/// A kernel with its element types chosen, the sizes to measure it at, and the headers to measure.
pub(crate) struct Plan {
    kernel: &'static Kernel,
    dtypes: Vec<DType>,
    indices: Vec<Indices>,
    sizes: Vec<Sizes>,
    /// The generated one is the first.
    headers: Vec<Header>,
}

impl Plan {
    /// The kernel with `dtypes`, against each of `against`, at the sizes that are asked for.
    pub(crate) fn new(
        kernel: &'static Kernel,
        dtypes: &[DType],
        against: &[Against],
        asked: &[Asked],
    ) -> Result<Self, BenchError> {
        let ir = kernel.ir()?;
        let mut headers = vec![generated(&ir)];
        for against in against {
            headers.push(against.header(kernel, &ir)?);
        }
        let plan = Self {
            kernel,
            dtypes: dtypes.to_vec(),
            indices: oxysycl_codegen::indices(&ir),
            sizes: choices(&ir, asked)?,
            headers,
        };
        // What cannot be measured is said before anything is compiled.
        for sizes in &plan.sizes {
            plan.call(&ir, sizes)?;
        }
        Ok(plan)
    }

    /// Number of calls to measure.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// What has to be compiled for `target`.
    pub(crate) fn units(&self, target: &Target) -> Result<Vec<Unit>, BenchError> {
        let ir = self.kernel.ir()?;
        let mut units: Vec<Unit> = Vec::new();
        for sizes in &self.sizes {
            let call = self.call(&ir, sizes)?;
            for header in &self.headers {
                let unit = unit(header, &[call.export()], call.instance.defines(), target);
                if !units.contains(&unit) {
                    units.push(unit);
                }
            }
        }
        Ok(units)
    }

    /// Loads all that is called, compiled if need be.
    pub(crate) fn load(&self, queue: &Queue) -> Result<(), BenchError> {
        let ir = self.kernel.ir()?;
        for sizes in &self.sizes {
            let call = self.call(&ir, sizes)?;
            for header in &self.headers {
                function(header, &call, queue)?;
            }
        }
        Ok(())
    }

    /// Measures every call on `queue`, each for about `time` a header; `step` hears of each.
    pub(crate) fn run(
        &self,
        queue: &Queue,
        limits: &Limits,
        time: Duration,
        step: &dyn Fn(),
    ) -> Result<Vec<Measured>, BenchError> {
        let ir = self.kernel.ir()?;
        let mut results = Vec::new();
        for sizes in &self.sizes {
            results.push(self.measure(&ir, sizes, queue, limits, time)?);
            step();
        }
        Ok(results)
    }

    fn measure(
        &self,
        ir: &Ir,
        sizes: &Sizes,
        queue: &Queue,
        limits: &Limits,
        time: Duration,
    ) -> Result<Measured, BenchError> {
        let call = self.call(ir, sizes)?;
        let arguments = call.export().arguments(&call.case)?;
        let functions = self
            .headers
            .iter()
            .map(|header| function(header, &call, queue))
            .collect::<Result<Vec<Function>, _>>()?;
        let rotation = Rotation::new(queue, &call, &arguments, limits.rotated_bytes)?;
        let launches: Vec<_> = functions
            .iter()
            .zip(&self.headers)
            .map(|(function, header)| {
                let refused = |error: CallError| BenchError::Refused {
                    header: header.name.clone(),
                    arguments: format!("{} {}", ir.name, call.case.describe(ir)),
                    source: Box::new(error.into()),
                };
                let rotation = &rotation;
                move || {
                    // SAFETY: the function takes addresses of as many values as the export has parameters, of their types. The
                    // buffers are as large as the kernel's shapes say, and live until the queue has been waited for.
                    unsafe { function.call(queue, (rotation.next(),)) }.map_err(refused)
                }
            })
            .collect();
        let ways: Vec<Launch<'_>> = launches.iter().map(|launch| launch as Launch<'_>).collect();
        let seconds = alternate(queue, &ways, time * ways.len() as u32)?;
        let timed = |(header, own): (&Header, &Vec<f64>)| {
            Timed::new(&header.name, own, &seconds[0], call.bytes, limits)
        };
        let shape: Vec<String> = sizes
            .varied
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Ok(Measured {
            kernel: ir.name.clone(),
            dtypes: self.dtypes.iter().map(DType::to_string).collect(),
            sizes: sizes.named.iter().cloned().collect(),
            shape: shape.join(" "),
            bytes: call.bytes,
            headers: self.headers.iter().zip(&seconds).map(timed).collect(),
        })
    }

    fn call<'a>(&'a self, ir: &'a Ir, sizes: &Sizes) -> Result<Call<'a>, BenchError> {
        Call::new(ir, &self.dtypes, &self.indices, sizes)
    }
}

/// The function that makes `call` of `header`, compiled if need be.
fn function(header: &Header, call: &Call<'_>, queue: &Queue) -> Result<Function, BenchError> {
    let mut found = functions(header, &[call.export()], call.instance.defines(), queue)?;
    Ok(found.remove(0))
}

/// What is compiled of `header` with `defines` to call `exports`.
fn unit(header: &Header, exports: &[Export<'_>], defines: &[(String, String)], target: &Target) -> Unit {
    let calls: String = exports.iter().map(Export::call).collect();
    Unit {
        source: Source::Header {
            name: header.file.clone(),
            text: format!("{}{PREAMBLE}{calls}", header.text),
        },
        defines: defines.to_vec(),
        include_dirs: Vec::new(),
        target: target.clone(),
    }
}

/// The functions in a [`unit`] that call `exports`, compiled if need be.
fn functions(
    header: &Header,
    exports: &[Export<'_>],
    defines: &[(String, String)],
    queue: &Queue,
) -> Result<Vec<Function>, BenchError> {
    let unit = unit(header, exports, defines, &queue.device().target);
    let callers: Vec<String> = exports.iter().map(Export::caller).collect();
    let symbols: Vec<&str> = callers.iter().map(String::as_str).collect();
    let module = Runtime::global()?
        .module_with(&unit, &symbols)
        .map_err(|source| BenchError::Uncallable {
            header: header.name.clone(),
            declaration: exports
                .iter()
                .map(Export::declaration)
                .collect::<Vec<_>>()
                .join("`, `"),
            source: Box::new(source),
        })?;
    let last_error = header.last_error.as_deref().unwrap_or(EXCEPTION);
    let function = |symbol: &&str| module.function(symbol, Some(last_error));
    let functions = symbols.iter().map(function).collect::<Result<_, _>>();
    Ok(functions.map_err(oxysycl_runtime::Error::from)?)
}

#[cfg(test)]
mod tests;
