//! Exported functions, called without knowing their types when this program is compiled.
//!
//! A header is compiled with a function behind it that takes addresses of values and calls the header's own export. So the
//! compiler sees to the types, and foreign headers, whose exports return nothing, are called like generated ones.

use std::collections::BTreeMap;
use std::fmt::Write;

use oxysycl_codegen::Instance;
use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{DropIn, ExprKind, Given, Kernel as Ir, Param, ParamId, ParamKind};
use oxysycl_codegen::source::Constant;

use crate::check::case::Case;

/// What is compiled behind a header, before the functions that call its exports.
pub(crate) const PREAMBLE: &str = r#"
#include <exception>
#include <string>
#include <type_traits>

static thread_local std::string oxysycl_reason;

// What `call` returns, 0 if that is nothing, or -1 after an exception.
template <typename Call>
static int32_t oxysycl_status(Call&& call) {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return 0;
    } else {
      return call();
    }
  } catch (const std::exception& e) {
    oxysycl_reason = e.what();
    return -1;
  }
}

extern "C" [[gnu::visibility("default")]] const char* oxysycl_exception() {
  return oxysycl_reason.c_str();
}
"#;
/// Gives the words of the thread's last exception.
pub(crate) const EXCEPTION: &str = "oxysycl_exception";

/// An export of a kernel that other headers have too: the drop-in if there is one, else the kernel's own.
pub(crate) struct Export<'a> {
    ir: &'a Ir,
    drop_in: Option<&'a DropIn>,
    symbol: String,
}

/// What is passed for a parameter of an export.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passed {
    /// The address of the buffer that is this parameter of the kernel; null where it is not given.
    Buffer(ParamId),
    /// A number.
    Scalar(Constant),
}

/// An export cannot express what the kernel's own can.
#[derive(Debug, thiserror::Error)]
#[error(
    "{symbol} cannot be called with {arguments}: it has no parameter for `{param}`, which follows from others there"
)]
pub(crate) struct Inexpressible {
    symbol: String,
    arguments: String,
    param: String,
}

impl<'a> Export<'a> {
    /// That of `instance` of the kernel `ir`.
    pub(crate) fn of(ir: &'a Ir, instance: &Instance) -> Self {
        Self {
            ir,
            drop_in: ir.attributes.drop_in.as_ref(),
            symbol: instance.drop_in().unwrap_or(instance.symbol()).to_owned(),
        }
    }

    fn params(&self) -> &'a [Param] {
        self.drop_in
            .map_or(&self.ir.params[..], |drop_in| &drop_in.params[..])
    }

    /// What to pass for `case`, in order.
    pub(crate) fn arguments(&self, case: &Case) -> Result<Vec<Passed>, Inexpressible> {
        let Some(drop_in) = self.drop_in else {
            return Ok((0..self.ir.params.len()).map(|id| passed(case, id)).collect());
        };
        let from = |at: usize| drop_in.given.iter().position(|given| comes_from(given, at));
        let arguments = drop_in.params.iter().enumerate().map(|(at, param)| {
            from(at)
                .map(|id| passed(case, id))
                .unwrap_or_else(|| unread(param))
        });
        let arguments: Vec<Passed> = arguments.collect();
        match self.broken(drop_in, case, &arguments) {
            None => Ok(arguments),
            Some(param) => Err(Inexpressible {
                symbol: self.symbol.clone(),
                arguments: case.describe(self.ir),
                param,
            }),
        }
    }

    /// A parameter of the kernel that would be another one than that of `case`.
    fn broken(&self, drop_in: &DropIn, case: &Case, arguments: &[Passed]) -> Option<String> {
        let integers = arguments.iter().enumerate().filter_map(|(at, passed)| {
            let Passed::Scalar(Constant::Integer(_, value)) = passed else {
                return None;
            };
            Some((at, i64::try_from(*value).ok()?))
        });
        let given = Values {
            consts: case.consts.clone(),
            params: integers.collect::<BTreeMap<_, _>>(),
            ..Values::default()
        };
        let wanted = case.values();
        let differs = |(id, given_as): &(usize, &Given)| match given_as {
            Given::Value(value) => eval::integer(value, &given).as_ref() != wanted.params.get(id),
            Given::Passed(_) | Given::Unbounded(_) => false,
        };
        let (id, _) = drop_in.given.iter().enumerate().find(differs)?;
        Some(self.ir.params[id].name.clone())
    }

    /// Its declaration in C++, but for what it returns.
    pub(crate) fn declaration(&self) -> String {
        let params = self
            .params()
            .iter()
            .map(|param| format!(", {} {}", cpp(param), param.name));
        format!("{}(void* queue{})", self.symbol, params.collect::<String>())
    }

    /// The name of the function that calls it.
    pub(crate) fn caller(&self) -> String {
        format!("oxysycl_call_{}", self.symbol)
    }

    /// That function in C++, to stand behind [`PREAMBLE`].
    pub(crate) fn call(&self) -> String {
        let mut values = String::new();
        for (at, param) in self.params().iter().enumerate() {
            // A string takes everything.
            let _ = write!(
                values,
                ",\n        *static_cast<{} const*>(values[{at}])",
                cpp(param)
            );
        }
        format!(
            r#"
// Where exports of these headers are; those outside of it are found from here too.
namespace sgl::sycl_kernel {{

extern "C" [[gnu::visibility("default")]] int32_t {caller}(void* queue, uint64_t arguments) {{
  const auto values = reinterpret_cast<const void* const*>(arguments);
  return oxysycl_status([&] {{
    return {symbol}(
        queue{values});
  }});
}}

}}  // namespace sgl::sycl_kernel
"#,
            caller = self.caller(),
            symbol = self.symbol,
        )
    }
}

/// The type of a parameter in C++.
fn cpp(param: &Param) -> &'static str {
    match &param.kind {
        ParamKind::Scalar(ty) => ty.cpp(),
        ParamKind::Buffer(buffer) if buffer.mutable => "void*",
        ParamKind::Buffer(_) => "const void*",
    }
}

fn passed(case: &Case, id: ParamId) -> Passed {
    case.scalars[id].map_or(Passed::Buffer(id), Passed::Scalar)
}

/// A number for a parameter that the kernel does not read.
fn unread(param: &Param) -> Passed {
    match param.kind {
        ParamKind::Scalar(ty) => Passed::Scalar(Constant::Integer(ty, 0)),
        ParamKind::Buffer(_) => unreachable!("every buffer of a drop-in is one of the kernel's"),
    }
}

/// Whether a kernel's parameter is the one of its drop-in at position `at`.
fn comes_from(given: &Given, at: usize) -> bool {
    match given {
        Given::Passed(from) => *from == at,
        Given::Value(value) => matches!(value.kind, ExprKind::Param(from) if from == at),
        Given::Unbounded(_) => false,
    }
}
