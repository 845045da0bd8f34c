//! One instantiation of a kernel: element types and const parameters chosen.

use crate::ir::{ConstParam, DType, Kernel, Scalar, TypeParam};

/// A kernel with its element types and const parameters chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    symbol: String,
    drop_in: Option<String>,
    defines: Vec<(String, String)>,
}

impl Instance {
    /// Chooses `dtypes` and `consts`, both in the order of the kernel's parameters; `bool` as 0 or 1.
    ///
    /// # Errors
    /// A sentence that names the parameter and the values it may have.
    pub fn new(kernel: &Kernel, dtypes: &[DType], consts: &[i64]) -> Result<Instance, String> {
        let name = &kernel.name;
        if dtypes.len() != kernel.types.len() || consts.len() != kernel.consts.len() {
            return Err(format!(
                "`{name}` has {} type and {} const parameters, not {} and {}",
                kernel.types.len(),
                kernel.consts.len(),
                dtypes.len(),
                consts.len()
            ));
        }
        let drop_in = kernel.attributes.drop_in.as_ref();
        let mut instance = Instance {
            symbol: kernel.attributes.symbol.clone(),
            drop_in: drop_in.map(|drop_in| drop_in.symbol.clone()),
            defines: Vec::new(),
        };
        for (param, dtype) in kernel.types.iter().zip(dtypes) {
            if !param.dtypes.contains(dtype) {
                let known: Vec<&str> = param.dtypes.iter().map(|d| d.tag()).collect();
                return Err(format!(
                    "`{name}` has no {dtype} for `{}`; there are {}",
                    param.name,
                    known.join(", ")
                ));
            }
            let placeholder = format!("{{{}}}", param.name);
            instance.replace(&placeholder, dtype.tag());
            let define = kernel.select(&param.name).replace(&placeholder, dtype.tag());
            instance.defines.push((define, String::new()));
        }
        if !kernel.combinations().iter().any(|known| known == dtypes) {
            let listed = |dtypes: &[DType]| dtypes.iter().map(|d| d.tag()).collect::<Vec<_>>().join(" ");
            let known: Vec<String> = kernel.combinations().iter().map(|d| listed(d)).collect();
            return Err(format!(
                "`{name}` has no {}; there are {}",
                listed(dtypes),
                known.join(", ")
            ));
        }
        for (param, value) in kernel.consts.iter().zip(consts) {
            let text = const_text(param.ty, *value).ok_or_else(|| {
                format!(
                    "`{name}` cannot have {} = {value}: it is from 0 to {}",
                    param.name,
                    largest(param.ty)
                )
            })?;
            instance.replace(&format!("{{{}}}", param.name), &text);
            instance
                .defines
                .push((kernel.select(&param.name).to_owned(), text));
        }
        Ok(instance)
    }

    fn replace(&mut self, placeholder: &str, text: &str) {
        for symbol in [Some(&mut self.symbol), self.drop_in.as_mut()]
            .into_iter()
            .flatten()
        {
            *symbol = symbol.replace(placeholder, text);
        }
    }

    /// The exported C name of the drop-in, if there is one.
    pub fn drop_in(&self) -> Option<&str> {
        self.drop_in.as_deref()
    }

    /// The exported C name.
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The `-D` macros that select this instance alone: name and value.
    pub fn defines(&self) -> &[(String, String)] {
        &self.defines
    }
}

/// A const parameter's value as C++ and symbols write it; `None` if it may not have that. Negative numbers have no symbol.
pub(crate) fn const_text(ty: Scalar, value: i64) -> Option<String> {
    let allowed = (0..=largest(ty)).contains(&value.into());
    allowed.then(|| match ty {
        Scalar::Bool => (value == 1).to_string(),
        _ => value.to_string(),
    })
}

/// The largest value of a const parameter; `bool` as 0 or 1.
fn largest(ty: Scalar) -> i128 {
    ty.range().map_or(1, |(_, high)| high)
}

/// A symbol with kinds in the place of its parameters' names: two with one pattern may be the same for some instances.
pub(crate) fn symbol_pattern(symbol: &str, types: &[TypeParam], consts: &[ConstParam]) -> String {
    let types = types.iter().map(|param| (&param.name, "{type}"));
    let consts = consts.iter().map(|param| match param.ty {
        Scalar::Bool => (&param.name, "{bool}"),
        _ => (&param.name, "{number}"),
    });
    types
        .chain(consts)
        .fold(symbol.to_owned(), |symbol, (name, kind)| {
            symbol.replace(&format!("{{{name}}}"), kind)
        })
}

impl Kernel {
    /// What the symbols of all instances look like, such as `scale_forward_{type}`: the kernel's, and its drop-in's.
    pub fn symbol_patterns(&self) -> Vec<String> {
        let drop_in = self.attributes.drop_in.iter().map(|drop_in| &drop_in.symbol);
        let symbols = [&self.attributes.symbol].into_iter().chain(drop_in);
        symbols
            .map(|symbol| symbol_pattern(symbol, &self.types, &self.consts))
            .collect()
    }

    /// The selection macro of a type or const parameter, with `{T}` for the element type's tag.
    pub fn select(&self, param: &str) -> &str {
        let entry = self.attributes.select.iter().find(|(name, _)| name == param);
        entry.map(|(_, define)| define.as_str()).unwrap_or_default()
    }
}
