//! Arrays of Python's libraries: numpy's and whatever else is in memory of the host, those in USM, and PyTorch's.

use oxysycl::codegen::ir::DType;
use oxysycl::operator::{Array, dtype_name, dtype_named};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{IntoPyObjectExt, intern};

/// Whose array it is, and so what runs on it and who makes others like it.
pub(crate) enum Home<'py> {
    /// Memory of this process, as numpy has it.
    Host,
    /// USM of a `dpctl.SyclQueue`.
    Usm(Bound<'py, PyAny>),
    /// A tensor in memory of this process.
    TorchCpu,
    /// A tensor on a device that is reached through the queue at this address.
    TorchXpu(Bound<'py, PyAny>),
}

/// An array with its home.
pub(crate) struct Found<'py> {
    pub(crate) array: Array,
    pub(crate) home: Home<'py>,
}

/// The array that `object` is.
pub(crate) fn find<'py>(operator: &str, name: &str, object: &Bound<'py, PyAny>) -> PyResult<Found<'py>> {
    let py = object.py();
    if let Some(interface) = object.getattr_opt(intern!(py, "__sycl_usm_array_interface__"))? {
        return usm(operator, name, object, interface.cast::<PyDict>()?);
    }
    if let Some(interface) = object.getattr_opt(intern!(py, "__array_interface__"))? {
        return host(operator, name, object, interface.cast::<PyDict>()?);
    }
    if object.hasattr(intern!(py, "data_ptr"))? && object.hasattr(intern!(py, "requires_grad"))? {
        return tensor(operator, name, object);
    }
    Err(PyTypeError::new_err(format!(
        "{operator}: `{name}` must be an array of numpy or dpctl, or a tensor of PyTorch; it is a {}",
        object.get_type().qualname()?
    )))
}

fn usm<'py>(
    operator: &str,
    name: &str,
    object: &Bound<'py, PyAny>,
    interface: &Bound<'py, PyDict>,
) -> PyResult<Found<'py>> {
    let py = object.py();
    let (address, read_only): (usize, bool) = entry(interface, intern!(interface.py(), "data"))?.extract()?;
    let shape: Vec<i64> = entry(interface, intern!(interface.py(), "shape"))?.extract()?;
    let strides: Option<Vec<i64>> = optional(interface, intern!(interface.py(), "strides"))?
        .map(|s| s.extract())
        .transpose()?;
    let offset: i64 =
        optional(interface, intern!(interface.py(), "offset"))?.map_or(Ok(0), |offset| offset.extract())?;
    let dtype = dtype(
        operator,
        name,
        object,
        &entry(interface, intern!(interface.py(), "typestr"))?,
    )?;
    let queue = entry(interface, intern!(interface.py(), "syclobj"))?;
    if !queue.hasattr(intern!(py, "addressof_ref"))? {
        return Err(PyTypeError::new_err(format!(
            "{operator}: `{name}` belongs to no queue: its interface must name a dpctl.SyclQueue, not a {}",
            queue.get_type().qualname()?
        )));
    }
    let address = address.wrapping_add_signed(offset as isize * dtype.size() as isize);
    Ok(Found {
        array: Array::new(address, dtype, shape, strides, !read_only),
        home: Home::Usm(queue),
    })
}

fn host<'py>(
    operator: &str,
    name: &str,
    object: &Bound<'py, PyAny>,
    interface: &Bound<'py, PyDict>,
) -> PyResult<Found<'py>> {
    let (address, read_only): (usize, bool) = entry(interface, intern!(interface.py(), "data"))?.extract()?;
    let shape: Vec<i64> = entry(interface, intern!(interface.py(), "shape"))?.extract()?;
    let bytes: Option<Vec<i64>> = optional(interface, intern!(interface.py(), "strides"))?
        .map(|s| s.extract())
        .transpose()?;
    let dtype = dtype(
        operator,
        name,
        object,
        &entry(interface, intern!(interface.py(), "typestr"))?,
    )?;
    let size = dtype.size() as i64;
    if let Some(bytes) = bytes
        .as_ref()
        .filter(|bytes| bytes.iter().any(|stride| stride % size != 0))
    {
        return Err(PyValueError::new_err(format!(
            "{operator}: `{name}` has strides of {bytes:?} bytes, which are no whole elements of {size}: make a copy"
        )));
    }
    let strides = bytes.map(|bytes| bytes.into_iter().map(move |stride| stride / size));
    Ok(Found {
        array: Array::new(address, dtype, shape, strides, !read_only),
        home: Home::Host,
    })
}

fn tensor<'py>(operator: &str, name: &str, object: &Bound<'py, PyAny>) -> PyResult<Found<'py>> {
    let py = object.py();
    let torch = py.import(intern!(py, "torch"))?;
    let requires_grad: bool = object.getattr(intern!(py, "requires_grad"))?.extract()?;
    if requires_grad && torch.call_method0(intern!(py, "is_grad_enabled"))?.extract()? {
        return Err(PyValueError::new_err(format!(
            "{operator}: `{name}` requires a gradient, which kernels do not have: pass {name}.detach(), or call this under \
             torch.no_grad()"
        )));
    }
    if object.getattr(intern!(py, "layout"))?.str()? != "torch.strided" {
        return Err(PyValueError::new_err(format!(
            "{operator}: `{name}` must be a dense tensor"
        )));
    }
    let named = object.getattr(intern!(py, "dtype"))?.str()?.to_string();
    let dtype = dtype_named(named.trim_start_matches("torch."))
        .ok_or_else(|| unknown_dtype(operator, name, &named))?;
    let device = object.getattr(intern!(py, "device"))?;
    let kind: String = device.getattr(intern!(py, "type"))?.extract()?;
    let home = match kind.as_str() {
        "cpu" => Home::TorchCpu,
        "xpu" => {
            let stream = torch.getattr("xpu")?.call_method1("current_stream", (&device,))?;
            Home::TorchXpu(stream.getattr("sycl_queue")?)
        }
        _ => {
            return Err(PyValueError::new_err(format!(
                "{operator}: `{name}` is on {kind}; tensors must be on cpu or xpu"
            )));
        }
    };
    let address: usize = object.call_method0(intern!(py, "data_ptr"))?.extract()?;
    let shape: Vec<i64> = object.getattr(intern!(py, "shape"))?.extract()?;
    let strides: Vec<i64> = object.call_method0(intern!(py, "stride"))?.extract()?;
    Ok(Found {
        array: Array::new(address, dtype, shape, Some(strides), true),
        home,
    })
}

fn entry<'py>(interface: &Bound<'py, PyDict>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    let found = interface.get_item(name)?;
    found.ok_or_else(|| PyTypeError::new_err(format!("an array's interface has no {name}")))
}

fn optional<'py>(
    interface: &Bound<'py, PyDict>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(interface.get_item(name)?.filter(|value| !value.is_none()))
}

/// The element type that an interface calls `text`.
fn dtype(operator: &str, name: &str, object: &Bound<'_, PyAny>, text: &Bound<'_, PyAny>) -> PyResult<DType> {
    let text = text.cast::<PyString>()?.to_str()?;
    Ok(match text {
        "<f4" => DType::F32,
        "<f2" => DType::F16,
        "|i1" => DType::I8,
        "<i4" => DType::I32,
        "<i8" => DType::I64,
        "|u1" => DType::U8,
        "|b1" => DType::Bool,
        // Types that numpy does not know itself, such as ml_dtypes' bfloat16, have no letter.
        _ => {
            let named: String = object.getattr("dtype")?.str()?.extract()?;
            // The name of a type in the other byte order is `>f4`.
            return dtype_named(&named).ok_or_else(|| unknown_dtype(operator, name, &named));
        }
    })
}

fn unknown_dtype(operator: &str, name: &str, found: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{operator}: `{name}` holds {found}, which no kernel knows; there are {}",
        DType::ALL
            .iter()
            .map(|dtype| dtype_name(*dtype))
            .collect::<Vec<_>>()
            .join(", ")
    ))
}

/// The element type that `object` means: its name, or the type that a library has for it.
pub(crate) fn dtype_argument(operator: &str, name: &str, object: &Bound<'_, PyAny>) -> PyResult<DType> {
    let text = match object.cast::<PyString>() {
        Ok(text) => text.to_string(),
        Err(_) => match (object.getattr_opt("name")?, object.getattr_opt("__name__")?) {
            (Some(text), _) | (None, Some(text)) => text.str()?.to_string(),
            (None, None) => object.str()?.to_string(),
        },
    };
    let text = text.trim_start_matches("torch.");
    dtype_named(text)
        .or_else(|| DType::from_tag(text))
        .ok_or_else(|| unknown_dtype(operator, name, text))
}

/// A new array of the same library as `like`, in the same place.
pub(crate) fn make<'py>(
    like: &Bound<'py, PyAny>,
    home: &Home<'py>,
    dtype: DType,
    shape: &[i64],
) -> PyResult<Bound<'py, PyAny>> {
    let py = like.py();
    let shape = PyTuple::new(py, shape)?;
    let name = dtype_name(dtype);
    let options = PyDict::new(py);
    let library = match home {
        Home::Host => {
            options.set_item(intern!(py, "dtype"), numpy_dtype(py, dtype)?)?;
            py.import(intern!(py, "numpy"))?
        }
        Home::Usm(queue) => {
            let module = like.get_type().module()?.to_string();
            let library = match module.split('.').next() {
                Some("dpnp") => intern!(py, "dpnp"),
                // Until dpctl 0.21.
                Some("dpctl") => intern!(py, "dpctl.tensor"),
                _ => {
                    return py
                        .import("oxysycl.usm")?
                        .call_method1("empty", (shape, numpy_dtype(py, dtype)?, queue));
                }
            };
            options.set_item(intern!(py, "dtype"), name)?;
            options.set_item(intern!(py, "sycl_queue"), queue)?;
            options.set_item(intern!(py, "usm_type"), like.getattr(intern!(py, "usm_type"))?)?;
            py.import(library)?
        }
        Home::TorchCpu | Home::TorchXpu(_) => {
            let torch = py.import(intern!(py, "torch"))?;
            options.set_item(intern!(py, "dtype"), torch.getattr(name)?)?;
            options.set_item(intern!(py, "device"), like.getattr(intern!(py, "device"))?)?;
            torch
        }
    };
    library.call_method(intern!(py, "empty"), (shape,), Some(&options))
}

/// An element type as numpy takes it.
fn numpy_dtype(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    match dtype {
        DType::BF16 => py
            .import(intern!(py, "ml_dtypes"))?
            .getattr(intern!(py, "bfloat16")),
        _ => dtype_name(dtype).into_bound_py_any(py),
    }
}

impl std::fmt::Display for Home<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Home::Host | Home::TorchCpu => f.write_str("on the host"),
            Home::Usm(queue) => write!(f, "in memory of the queue {queue}"),
            Home::TorchXpu(queue) => write!(f, "on the xpu stream of the queue {queue}"),
        }
    }
}
