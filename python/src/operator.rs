//! What a function of `oxysycl.ops` calls.

use oxysycl::codegen::ir::{ParamKind, Scalar};
use oxysycl::operator::{self, Argument, Array, Missing, Parameter, Role};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

use crate::array::{self, Found, Home};
use crate::error::Failure;
use crate::queue;

/// A kernel, called with all of its parameters in order; `None` for those that are not given.
#[pyclass(frozen, module = "oxysycl._native")]
pub(crate) struct Operator {
    pub(crate) inner: operator::Operator,
}

impl Operator {
    /// The operators of all kernels, by name.
    pub(crate) fn all() -> Result<Vec<Self>, Failure> {
        let mut all = Vec::new();
        for kernel in oxysycl::kernels()? {
            all.push(Self {
                inner: operator::Operator::new(kernel)?,
            });
        }
        all.sort_by(|a, b| a.inner.name().cmp(b.inner.name()));
        Ok(all)
    }
}

#[pymethods]
impl Operator {
    /// The kernel's name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    #[pyo3(signature = (*arguments))]
    fn __call__<'py>(&self, arguments: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>, Failure> {
        let py = arguments.py();
        let parameters = self.inner.parameters();
        if arguments.len() != parameters.len() {
            return Err(PyTypeError::new_err(format!(
                "{}: there are {} arguments for {} parameters",
                self.name(),
                arguments.len(),
                parameters.len()
            ))
            .into());
        }
        let mut call = Call {
            operator: self,
            first: None,
        };
        let mut given: SmallVec<[Argument; 16]> = SmallVec::new();
        for (parameter, object) in parameters.iter().zip(arguments.iter_borrowed()) {
            given.push(call.argument(parameter, &object)?);
        }
        let Some((like, home)) = &call.first else {
            return Err(PyTypeError::new_err(format!("{}: there is no array", self.name())).into());
        };
        let mut made: SmallVec<[(usize, Bound<'py, PyAny>); 2]> = SmallVec::new();
        let bound = self
            .inner
            .bind(&given, |missing: &Missing| -> Result<Array, Failure> {
                let object = array::make(like, home, missing.dtype, &missing.shape)?;
                let found = array::find(self.name(), &parameters[missing.parameter].name, &object)?;
                made.push((missing.parameter, object));
                Ok(found.array)
            })?;
        match home {
            Home::Host | Home::TorchCpu => {
                // SAFETY: the libraries say that the arrays are there, and `arguments` and `made` keep them alive. Whoever
                // writes to them from another thread meanwhile breaks the rules of these libraries too.
                py.detach(|| unsafe { bound.native() })?;
            }
            Home::Usm(object) | Home::TorchXpu(object) => {
                let queue = queue::shared(object)?;
                // SAFETY: as above, for the queue that the arrays belong to; `keep` sees to what would be freed too early.
                py.detach(|| unsafe { bound.launch(&queue) })?;
                if let Home::Usm(object) = home {
                    let made = made.iter().map(|(_, object)| object.clone());
                    queue::keep(object, arguments.iter().chain(made))?;
                }
            }
        }
        self.results(arguments, made)
    }
}

impl Operator {
    /// The results, given or made: none, one, or a tuple.
    fn results<'py>(
        &self,
        arguments: &Bound<'py, PyTuple>,
        made: SmallVec<[(usize, Bound<'py, PyAny>); 2]>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let py = arguments.py();
        let mut results: SmallVec<[Bound<'py, PyAny>; 2]> = SmallVec::new();
        for (at, _) in self
            .inner
            .parameters()
            .iter()
            .enumerate()
            .filter(|(_, p)| p.is_result())
        {
            results.push(match made.iter().find(|(parameter, _)| *parameter == at) {
                Some((_, object)) => object.clone(),
                None => arguments.get_item(at)?,
            });
        }
        Ok(match results.len() {
            0 => py.None().into_bound(py),
            1 => results.remove(0),
            _ => PyTuple::new(py, results)?.into_any(),
        })
    }
}

/// A call as its arguments are read.
struct Call<'a, 'py> {
    operator: &'a Operator,
    /// The first array, and where all others have to be.
    first: Option<(Bound<'py, PyAny>, Home<'py>)>,
}

impl<'py> Call<'_, 'py> {
    fn argument(&mut self, parameter: &Parameter, object: &Bound<'py, PyAny>) -> PyResult<Argument> {
        let operator = self.operator.name();
        let name = &parameter.name;
        if object.is_none() && (parameter.default.is_some() || !parameter.is_array()) {
            return Ok(Argument::Absent);
        }
        Ok(match parameter.role {
            Role::Array { .. } => Argument::Array(self.array(name, object)?),
            Role::DType(_) => Argument::DType(array::dtype_argument(operator, name, object)?),
            Role::Scalar { ty, .. } | Role::Const { ty, .. } => number(ty, object).map_err(|error| {
                let wanted = match ty {
                    Scalar::Bool => "a bool",
                    Scalar::F32 => "a float",
                    _ => "an integer",
                };
                match error {
                    NoNumber::Type => PyTypeError::new_err(format!("{operator}: `{name}` must be {wanted}")),
                    NoNumber::TooLarge => PyValueError::new_err(format!(
                        "{operator}: `{name}` is {object}, which no {} holds",
                        ty.rust()
                    )),
                }
            })?,
        })
    }

    fn array(&mut self, name: &str, object: &Bound<'py, PyAny>) -> PyResult<Array> {
        let operator = self.operator.name();
        let Found { array, home } = array::find(operator, name, object)?;
        let Some((_, first)) = &self.first else {
            self.first = Some((object.clone(), home));
            return Ok(array);
        };
        let together = match (first, &home) {
            (Home::Host | Home::TorchCpu, Home::Host | Home::TorchCpu) => true,
            (Home::Usm(a), Home::Usm(b)) | (Home::TorchXpu(a), Home::TorchXpu(b)) => a.is(b) || a.eq(b)?,
            _ => false,
        };
        if !together {
            return Err(PyValueError::new_err(format!(
                "{operator}: `{name}` is {home}, but the first array is {first}: all must be in one place, on one queue"
            )));
        }
        Ok(array)
    }
}

enum NoNumber {
    Type,
    TooLarge,
}

fn number(ty: Scalar, object: &Bound<'_, PyAny>) -> Result<Argument, NoNumber> {
    match ty {
        Scalar::Bool => object.extract().map(Argument::Bool).map_err(|_| NoNumber::Type),
        Scalar::F32 => {
            let value: f64 = object.extract().map_err(|_| NoNumber::Type)?;
            Ok(Argument::F32(value as f32))
        }
        _ => object.extract().map(Argument::Integer).map_err(|error: PyErr| {
            if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(object.py()) {
                NoNumber::TooLarge
            } else {
                NoNumber::Type
            }
        }),
    }
}

/// The C types of a kernel's export after the queue.
pub(crate) fn c_types(name: &str) -> Result<Option<Vec<String>>, Failure> {
    for kernel in oxysycl::kernels()? {
        let ir = kernel.ir()?;
        if ir.name == name {
            let kinds = ir.params.iter().map(|param| match &param.kind {
                ParamKind::Buffer(_) => "pointer".to_owned(),
                ParamKind::Scalar(ty) => ty.rust().to_owned(),
            });
            return Ok(Some(kinds.collect()));
        }
    }
    Ok(None)
}
