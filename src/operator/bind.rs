//! From arguments to a call that fits the kernel.

use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{DType, Element, Expr, Kernel as Ir, ParamId, ParamKind, Scalar};
use oxysycl_codegen::source::Constant;
use smallvec::SmallVec;

use super::argument::{Argument, Parameter, Role};
use super::array::{Array, Numbers};
use super::derive::{Dimension, Step, Symbol};
use super::size::{self, Sizes};
use super::{Operator, Refused, dtype_name, either};
use crate::kernel::Kernel;

/// A call whose arguments fit the kernel.
#[derive(Debug)]
pub struct Bound {
    pub(super) kernel: &'static Kernel,
    pub(super) dtypes: SmallVec<[DType; 4]>,
    pub(super) consts: SmallVec<[i64; 4]>,
    /// By parameter; `None` for buffers.
    pub(super) scalars: SmallVec<[Option<Constant>; 24]>,
    /// By parameter; `None` for scalars and absent buffers.
    pub(super) arrays: SmallVec<[Option<Placed>; 24]>,
}

/// An array as a kernel sees it: with as many dimensions as the kernel's.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) address: usize,
    pub(super) dtype: DType,
    pub(super) shape: Numbers,
    pub(super) strides: Numbers,
}

/// A result that is not given.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Which of the operator's parameters it is.
    pub parameter: usize,
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape; its elements lie one after the other.
    pub shape: Vec<i64>,
}

/// A call as it takes shape.
struct Binding<'a> {
    operator: &'a Operator,
    ir: &'a Ir,
    sizes: Sizes,
    dtypes: SmallVec<[Option<DType>; 4]>,
    scalars: SmallVec<[Option<Constant>; 24]>,
    arrays: SmallVec<[Option<Placed>; 24]>,
    /// Outermost dimensions of the first array of each batched extent.
    batches: SmallVec<[(&'a Expr, ParamId, Numbers); 2]>,
}

impl Operator {
    /// Fits `arguments`, one for each of [`parameters`](Self::parameters), to the kernel. Results that are not given are made
    /// by `make`, which is called when everything else has been found right, and whose array is as [`Missing`] says.
    ///
    /// # Errors
    /// If an argument is of a wrong type or element type, if shapes do not go together, if a dimension is spaced as the kernel
    /// cannot take it, if what is written is read-only, or if `make` fails.
    pub fn bind<E: From<Refused> + From<crate::LaunchError>>(
        &self,
        arguments: &[Argument],
        mut make: impl FnMut(&Missing) -> Result<Array, E>,
    ) -> Result<Bound, E> {
        let ir = self.kernel.ir().map_err(crate::LaunchError::from)?;
        let mut binding = Binding::new(self, &ir);
        let given = || self.parameters.iter().zip(arguments);
        // What is said of results' elements comes after the results that tell it.
        let (said, told): (Vec<_>, Vec<_>) = given().partition(|(parameter, _)| parameter.is_dtype());
        for (parameter, argument) in told.into_iter().chain(said) {
            binding.take(parameter, argument)?;
        }
        binding.derive()?;
        binding.choose_dtypes()?;
        for (at, (parameter, argument)) in given().enumerate() {
            if let (
                Role::Array {
                    param, result: true, ..
                },
                Argument::Absent,
            ) = (parameter.role, argument)
            {
                let missing = binding.missing(at, param)?;
                let made = make(&missing)?;
                binding.place(parameter, param, &made)?;
            }
        }
        binding.derive()?;
        Ok(binding.finish()?)
    }
}

impl<'a> Binding<'a> {
    fn new(operator: &'a Operator, ir: &'a Ir) -> Self {
        Self {
            operator,
            ir,
            sizes: Sizes::new(ir),
            dtypes: SmallVec::from_elem(None, ir.types.len()),
            scalars: SmallVec::from_elem(None, ir.params.len()),
            arrays: SmallVec::from_elem(None, ir.params.len()),
            batches: SmallVec::new(),
        }
    }

    fn take(&mut self, parameter: &Parameter, argument: &Argument) -> Result<(), Refused> {
        let default = parameter.default.map(Argument::from);
        let value = match (argument, &default) {
            (Argument::Absent, Some(default)) => default,
            (argument, _) => argument,
        };
        match (parameter.role, value) {
            (Role::Array { param, .. }, Argument::Array(array)) => self.place(parameter, param, array),
            (Role::Array { .. }, Argument::Absent) if default.is_some() => Ok(()),
            (Role::DType(at), value) => self.take_dtype(parameter, at, argument, value),
            (Role::Scalar { param, ty }, value) => {
                let constant = self.number(parameter, ty, value)?;
                match constant {
                    Constant::Integer(_, value) => self.sizes.params[param] = i64::try_from(value).ok(),
                    Constant::Bool(value) => self.sizes.params[param] = Some(value.into()),
                    Constant::F32(_) => {}
                }
                self.scalars[param] = Some(constant);
                Ok(())
            }
            (Role::Const { at, ty }, value) => {
                self.sizes.consts[at] = match self.number(parameter, ty, value)? {
                    Constant::Integer(_, value) => i64::try_from(value).ok(),
                    Constant::Bool(value) => Some(value.into()),
                    Constant::F32(_) => None,
                };
                Ok(())
            }
            _ => Err(self.type_error(format!("`{}` is needed", parameter.name))),
        }
    }

    /// Notes the element type of a result: that of the one that is given, or what is said.
    fn take_dtype(
        &mut self,
        parameter: &Parameter,
        at: usize,
        argument: &Argument,
        value: &Argument,
    ) -> Result<(), Refused> {
        let name = &parameter.name;
        match (self.dtypes[at], argument, value) {
            (Some(known), Argument::DType(said), _) if *said != known => Err(self.type_error(format!(
                "`{name}` is {}, but the result that is given holds {}",
                dtype_name(*said),
                dtype_name(known)
            ))),
            (Some(_), ..) => Ok(()),
            (None, _, Argument::DType(dtype)) => {
                self.dtypes[at] = Some(*dtype);
                Ok(())
            }
            _ => Err(self.type_error(format!("`{name}` is needed where no result is given"))),
        }
    }

    fn number(&self, parameter: &Parameter, ty: Scalar, value: &Argument) -> Result<Constant, Refused> {
        let name = &parameter.name;
        let number = match (ty, value) {
            (Scalar::Bool, Argument::Bool(value)) => Constant::Bool(*value),
            (Scalar::F32, Argument::F32(value)) => Constant::F32(*value),
            (Scalar::F32, Argument::Integer(value)) => Constant::F32(*value as f32),
            (ty, Argument::Integer(value)) if ty.is_integer() => self.integer(name, ty, *value)?,
            _ => {
                let wanted = match ty {
                    Scalar::Bool => "a bool",
                    Scalar::F32 => "a float",
                    _ => "an integer",
                };
                return Err(self.type_error(format!("`{name}` must be {wanted}")));
            }
        };
        if let (Role::Scalar { param, .. }, Constant::Integer(_, value)) = (parameter.role, number) {
            let known = &self.ir.params[param].values;
            if !known.is_empty() && !known.iter().any(|known| i128::from(*known) == value) {
                let known: Vec<String> = known.iter().map(i64::to_string).collect();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                return Err(self.value_error(format!("`{name}` is {value}; it must be {}", either(&known))));
            }
        }
        Ok(number)
    }

    fn integer(&self, name: &str, ty: Scalar, value: i64) -> Result<Constant, Refused> {
        let (least, most) = ty.range().expect("an integer type has a range");
        if !(least..=most).contains(&value.into()) {
            return Err(self.value_error(format!("`{name}` is {value}; it must be from {least} to {most}")));
        }
        Ok(Constant::Integer(ty, value.into()))
    }

    /// Notes an array's elements, and its dimensions as the kernel counts them.
    fn place(&mut self, parameter: &Parameter, param: ParamId, array: &Array) -> Result<(), Refused> {
        let buffer = self.ir.buffer(param);
        let name = &parameter.name;
        if buffer.mutable && !array.writable {
            return Err(self.value_error(format!("`{name}` is read-only, but it is written")));
        }
        self.expect_dtype(name, buffer.element, array.dtype)?;
        if !array.address.is_multiple_of(array.dtype.size()) {
            return Err(self.value_error(format!("`{name}` does not begin at a whole element: make a copy")));
        }
        let rank = buffer.shape.len();
        let batched = self.operator.derived.is_batched(param);
        let fits = array.shape.len() == rank || batched && array.shape.len() + 1 >= rank;
        if !fits {
            return Err(self.value_error(format!(
                "`{name}` must have the shape {}; it has {}",
                size::shape(self.ir, param, batched),
                list(&array.shape)
            )));
        }
        let mut shape = array.shape.clone();
        let mut strides = array.strides.clone();
        if batched {
            let outer = array.shape.len() + 1 - rank;
            let extent = &buffer.shape[0].extent;
            let batch = &array.shape[..outer];
            match self.batches.iter().find(|(known, ..)| *known == extent) {
                Some((_, first, known)) if **known != *batch => {
                    return Err(self.value_error(format!(
                        "`{name}` has the shape {}, whose first dimensions must be {}, as those of `{}` are",
                        list(&array.shape),
                        list(known),
                        self.ir.params[*first].name
                    )));
                }
                Some(_) => {}
                None => self.batches.push((extent, param, Numbers::from_slice(batch))),
            }
            let (count, stride) = merged(&array.shape[..outer], &array.strides[..outer]).ok_or_else(|| {
                self.value_error(format!(
                    "`{name}` with the shape {} and the strides {} has first dimensions that do not lie one after the other: \
                     make a copy",
                    list(&array.shape),
                    list(&array.strides)
                ))
            })?;
            shape = std::iter::once(count)
                .chain(array.shape[outer..].iter().copied())
                .collect();
            strides = std::iter::once(stride)
                .chain(array.strides[outer..].iter().copied())
                .collect();
        }
        let mut inner = 1i64;
        for at in (0..rank).rev() {
            if shape[at] <= 1 || shape.contains(&0) {
                // There is no second position.
                strides[at] = inner;
            }
            let found = strides[at];
            if buffer.shape[at].stride.is_none() && found != inner {
                return Err(self.value_error(format!(
                    "`{name}` has the strides {}; dimension {} must have {inner}, that of elements without gaps: make a copy",
                    list(&array.strides),
                    at as i64 - rank as i64,
                )));
            }
            if found < 0 {
                return Err(self.value_error(format!(
                    "`{name}` has the strides {}, which must not be negative: make a copy",
                    list(&array.strides)
                )));
            }
            let next = shape[at].checked_mul(found);
            inner = next.ok_or_else(|| self.value_error(format!("`{name}` is larger than any memory")))?;
        }
        self.arrays[param] = Some(Placed {
            address: array.address,
            dtype: array.dtype,
            shape,
            strides,
        });
        Ok(())
    }

    fn expect_dtype(&mut self, name: &str, element: Element, found: DType) -> Result<(), Refused> {
        let known = match element {
            Element::DType(dtype) => Some(dtype),
            Element::Param(at) => self.dtypes[at],
        };
        let fits = match (known, element) {
            (None, Element::Param(at)) => self.ir.types[at].dtypes.contains(&found),
            (known, _) => known == Some(found),
        };
        if !fits {
            let choices = known.map_or_else(|| dtypes(self.ir, element), |known| vec![known]);
            let choices: Vec<&str> = choices.into_iter().map(dtype_name).collect();
            let like = match element {
                Element::Param(at) if known.is_some() => self.like(at),
                _ => String::new(),
            };
            return Err(self.type_error(format!(
                "`{name}` must hold {}{like}; it holds {}",
                either(&choices),
                dtype_name(found)
            )));
        }
        if let Element::Param(at) = element {
            self.dtypes[at] = Some(found);
        }
        Ok(())
    }

    /// Which array has told the type parameter.
    fn like(&self, at: usize) -> String {
        let mut buffers = self.ir.buffers();
        let first =
            buffers.find(|(id, buffer)| buffer.element == Element::Param(at) && self.arrays[*id].is_some());
        first.map_or(String::new(), |(id, _)| format!(", as `{}` does", self.name(id)))
    }

    /// Works out what the arrays that are there tell, and compares what they tell twice.
    fn derive(&mut self) -> Result<(), Refused> {
        for step in &self.operator.derived.steps {
            match step {
                Step::Extent(symbol, dimension) => self.solve(*symbol, *dimension)?,
                Step::Stride(symbol, places) => self.stride(*symbol, places),
            }
        }
        for (param, _) in self.ir.buffers() {
            if let Some(placed) = &self.arrays[param] {
                self.compare(param, placed)?;
            }
        }
        Ok(())
    }

    /// The number that makes the extent of a dimension what the array has there: extents are linear in it.
    fn solve(&mut self, symbol: Symbol, dimension: Dimension) -> Result<(), Refused> {
        let extent = &self.ir.buffer(dimension.buffer).shape[dimension.at].extent;
        let Some(found) = self.arrays[dimension.buffer]
            .as_ref()
            .map(|placed| placed.shape[dimension.at])
        else {
            return Ok(());
        };
        let mut at = |value: i64| {
            self.sizes.set(symbol, Some(value));
            eval::integer(extent, &self.sizes)
        };
        let solution = at(0).zip(at(1)).and_then(|(zero, one)| {
            let slope = one.checked_sub(zero).filter(|slope| *slope != 0)?;
            Some(found.checked_sub(zero)? / slope)
        });
        match solution.filter(|value| at(*value) == Some(found)) {
            Some(_) => Ok(()),
            None => {
                self.sizes.set(symbol, None);
                Err(self.shape_error(dimension.buffer))
            }
        }
    }

    fn stride(&mut self, symbol: Symbol, places: &[Dimension]) {
        let of = |place: &Dimension| {
            let placed = self.arrays[place.buffer].as_ref()?;
            Some((placed.shape[place.at], placed.strides[place.at]))
        };
        let known = || places.iter().filter_map(of);
        // One that no position follows is as good as any other.
        let told = known().find(|(count, _)| *count > 1).or_else(|| known().next());
        self.sizes.set(symbol, told.map(|(_, stride)| stride));
    }

    /// Refuses an array whose dimensions are not what the kernel's numbers say, as far as these are known.
    fn compare(&self, param: ParamId, placed: &Placed) -> Result<(), Refused> {
        for (at, dim) in self.ir.buffer(param).shape.iter().enumerate() {
            let extent = eval::integer(&dim.extent, &self.sizes);
            if extent.is_some_and(|extent| extent != placed.shape[at]) {
                return Err(self.shape_error(param));
            }
            let stride = dim.stride.as_ref().and_then(|e| eval::integer(e, &self.sizes));
            if let Some(stride) =
                stride.filter(|stride| placed.shape[at] > 1 && *stride != placed.strides[at])
            {
                return Err(self.value_error(format!(
                    "`{}` has the stride {} in dimension {at}; it must be {stride}",
                    self.name(param),
                    placed.strides[at],
                )));
            }
        }
        Ok(())
    }

    /// Gives type parameters that nothing told their first possible types, and refuses combinations that there are not.
    fn choose_dtypes(&mut self) -> Result<(), Refused> {
        let fits = |row: &Vec<DType>| {
            row.iter()
                .zip(&self.dtypes)
                .all(|(dtype, known)| known.is_none_or(|known| known == *dtype))
        };
        let combinations = self.ir.combinations();
        match combinations.iter().find(|row| fits(row)) {
            Some(row) => {
                self.dtypes = row.iter().copied().map(Some).collect();
                Ok(())
            }
            None => {
                let words = |row: &[DType]| {
                    row.iter()
                        .map(|dtype| dtype_name(*dtype))
                        .collect::<Vec<_>>()
                        .join(" with ")
                };
                let found: Vec<DType> = self.dtypes.iter().copied().flatten().collect();
                let known: Vec<String> = combinations.iter().map(|row| words(row)).collect();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                Err(self.type_error(format!(
                    "there is no {}; there is {}",
                    words(&found),
                    either(&known)
                )))
            }
        }
    }

    fn missing(&self, parameter: usize, param: ParamId) -> Result<Missing, Refused> {
        let buffer = self.ir.buffer(param);
        let mut shape = Vec::with_capacity(buffer.shape.len());
        for dim in &buffer.shape {
            let extent = eval::integer(&dim.extent, &self.sizes).filter(|extent| *extent >= 0);
            shape.push(extent.ok_or_else(|| self.shape_error(param))?);
        }
        if self.operator.derived.is_batched(param)
            && let Some((.., batch)) = self
                .batches
                .iter()
                .find(|(extent, ..)| *extent == &buffer.shape[0].extent)
        {
            shape.splice(..1, batch.iter().copied());
        }
        let dtype = match buffer.element {
            Element::DType(dtype) => dtype,
            Element::Param(at) => self.dtypes[at].expect("all types are chosen"),
        };
        Ok(Missing {
            parameter,
            dtype,
            shape,
        })
    }

    /// The whole call, if the kernel's own assertions hold.
    fn finish(mut self) -> Result<Bound, Refused> {
        for (id, param) in self.ir.params.iter().enumerate() {
            if let (ParamKind::Scalar(ty), None) = (&param.kind, self.scalars[id]) {
                let value = self.sizes.params[id].expect("what is not asked for is derived");
                self.scalars[id] = Some(self.integer(&param.name, *ty, value)?);
            }
        }
        let consts: SmallVec<[i64; 4]> = self.sizes.consts.iter().copied().flatten().collect();
        self.expect_asserted(&consts)?;
        Ok(Bound {
            kernel: self.operator.kernel,
            dtypes: self.dtypes.into_iter().flatten().collect(),
            consts,
            scalars: self.scalars,
            arrays: self.arrays,
        })
    }

    fn expect_asserted(&self, consts: &[i64]) -> Result<(), Refused> {
        if self.ir.host.is_empty() {
            return Ok(());
        }
        let mut values = Values {
            consts: consts.to_vec(),
            ..Values::default()
        };
        for (id, scalar) in self.scalars.iter().enumerate() {
            match scalar {
                Some(Constant::F32(value)) => _ = values.float_params.insert(id, *value),
                _ => values
                    .params
                    .extend(self.sizes.params[id].map(|value| (id, value))),
            }
        }
        match eval::broken(self.ir, &values) {
            None => Ok(()),
            Some(assertion) => {
                let reason = assertion.reason.as_ref();
                let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
                Err(self.value_error(format!("{} must hold{reason}", assertion.condition)))
            }
        }
    }

    fn shape_error(&self, param: ParamId) -> Refused {
        let dims = self.ir.buffer(param).shape.iter();
        let wanted: Vec<String> = dims
            .map(|dim| {
                let text = size::text(self.ir, &dim.extent);
                match eval::integer(&dim.extent, &self.sizes) {
                    Some(value) if text != value.to_string() => format!("{text} = {value}"),
                    _ => text,
                }
            })
            .collect();
        let found = self.arrays[param].as_ref().map_or(String::new(), |placed| {
            format!("; it has {}", list(&placed.shape))
        });
        self.value_error(format!(
            "`{}` must have the shape [{}]{found}",
            self.name(param),
            wanted.join(", ")
        ))
    }

    /// The name under which a buffer is passed.
    fn name(&self, param: ParamId) -> &str {
        let is =
            |parameter: &&Parameter| matches!(parameter.role, Role::Array { param: id, .. } if id == param);
        let parameter = self.operator.parameters.iter().find(is);
        parameter.map_or("", |parameter| &parameter.name)
    }

    fn type_error(&self, what: String) -> Refused {
        Refused::Type(format!("{}: {what}", self.operator.name))
    }

    fn value_error(&self, what: String) -> Refused {
        Refused::Value(format!("{}: {what}", self.operator.name))
    }
}

/// The element types that a buffer may have.
pub(super) fn dtypes(ir: &Ir, element: Element) -> Vec<DType> {
    match element {
        Element::DType(dtype) => vec![dtype],
        Element::Param(at) => ir.types[at].dtypes.clone(),
    }
}

/// Neighbouring dimensions counted as one, with its stride; `None` if their positions are not equally far apart.
fn merged(shape: &[i64], strides: &[i64]) -> Option<(i64, i64)> {
    let count = shape
        .iter()
        .try_fold(1i64, |count, extent| count.checked_mul(*extent))?;
    let mut steps = shape
        .iter()
        .zip(strides)
        .rev()
        .filter(|(extent, _)| **extent != 1);
    let Some((extent, stride)) = steps.next().filter(|_| count > 0) else {
        return Some((count, 1));
    };
    let mut next = extent.checked_mul(*stride)?;
    for (extent, stride) in steps {
        if *stride != next {
            return None;
        }
        next = extent.checked_mul(*stride)?;
    }
    Some((count, *stride))
}

fn list(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    format!("[{}]", numbers.join(", "))
}
