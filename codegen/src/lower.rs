//! From a kernel's kept source to checked IR, with everything that it names resolved.

use syn::ItemFn;

use crate::check;
use crate::diagnostics::Errors;
use crate::front::{self, Externals};
use crate::ir::{
    Binary, Expr, ExprKind, Function, Kernel, Math, Reduce, Scalar, StmtKind, Type, Update, walk,
    walk_exprs_mut,
};
use crate::source::{Callee, FunctionSource, KernelSource};

/// Lowers and checks a kernel.
///
/// # Errors
/// The problems that the macro could not see, since they depend on the types of other items; rustc has accepted those
/// types, so that only a kernel put together by hand meets an error here.
pub fn kernel(source: &KernelSource) -> syn::Result<Kernel> {
    let mut errors = Errors::default();
    let item: ItemFn = syn::parse_str(source.item.text)?;
    let attribute = source.attribute.parse()?;
    let (mut kernel, _) = front::kernel(attribute, &item, externals(&source.item), &mut errors);
    let mut callees = Callees {
        errors: &mut errors,
        functions: Vec::new(),
        sources: Vec::new(),
    };
    let names = callees.collect(&source.item)?;
    kernel.functions = callees.functions;
    kernel.walk_own_exprs_mut(&mut |e| rename(e, &names));
    kernel.barriers = check::check(&kernel, &mut errors);
    errors.finish(kernel)
}

fn externals(source: &FunctionSource) -> Externals<'static> {
    Externals::Known {
        calls: source.calls,
        constants: source.constants,
    }
}

/// The functions that a kernel calls.
struct Callees<'a> {
    errors: &'a mut Errors,
    functions: Vec<Function>,
    sources: Vec<&'static FunctionSource>,
}

impl Callees<'_> {
    /// Lowers the functions that `source` calls, each once, and each after those that it calls itself. Gives their names
    /// in the kernel by the paths that `source` calls them with.
    fn collect(&mut self, source: &FunctionSource) -> syn::Result<Vec<(&'static str, String)>> {
        let mut names = Vec::new();
        for (path, callee) in source.calls {
            let Callee::Function(source) = callee else {
                continue;
            };
            let called = source();
            let known = self.sources.iter().position(|s| std::ptr::eq(*s, called));
            let at = match known {
                Some(at) => at,
                None => self.add(path, called)?,
            };
            names.push((*path, self.functions[at].path.clone()));
        }
        Ok(names)
    }

    fn add(&mut self, path: &str, called: &'static FunctionSource) -> syn::Result<usize> {
        let names = self.collect(called)?;
        let item: ItemFn = syn::parse_str(called.text)?;
        let same = self.functions.iter().filter(|f| item.sig.ident == f.name).count();
        let unique = if same == 0 {
            path.to_owned()
        } else {
            format!("{path}#{same}")
        };
        let (mut function, _) = front::function(&unique, &item, externals(called), self.errors);
        walk_exprs_mut(&mut function.body.stmts, &mut |e| rename(e, &names));
        function.body.value.walk_mut(&mut |e| rename(e, &names));
        self.functions.push(function);
        self.sources.push(called);
        Ok(self.functions.len() - 1)
    }
}

/// Replaces the path of a call, which means something only where it was written, by the function's name in the kernel.
fn rename(e: &mut Expr, names: &[(&str, String)]) {
    if let ExprKind::Call(path, _) = &mut e.kind
        && let Some((_, name)) = names.iter().find(|(p, _)| p == path)
    {
        path.clone_from(name);
    }
}

impl Kernel {
    /// Whether the device gives the very bits of the native function, but for what [`has_extremum`](Self::has_extremum) leaves
    /// open: there is no sum over lanes, whose order is not fixed, and no function that is only accurate to some units in the
    /// last place.
    pub fn is_exact(&self) -> bool {
        !self.computes(&|e| match &e.kind {
            ExprKind::Reduce(reduce, part) => !reduce.is_exact(part.ty.scalar()),
            ExprKind::ScanSum(part) => !Reduce::Sum.is_exact(part.ty.scalar()),
            ExprKind::Math(math, _) => !math.is_exact(),
            _ => false,
        })
    }

    /// Whether there is a largest or smallest of floats: of zeros with unlike signs Rust leaves open which one that is.
    pub fn has_extremum(&self) -> bool {
        self.computes(&|e| match &e.kind {
            ExprKind::Reduce(Reduce::Max | Reduce::Min, _) | ExprKind::Math(Math::Max | Math::Min, _) => {
                e.ty == Type::Scalar(Scalar::F32)
            }
            _ => false,
        })
    }

    /// Whether floats are divided, so that the sign of a zero may become that of an infinity.
    pub fn divides(&self) -> bool {
        let mut divides = self.computes(&|e| match &e.kind {
            ExprKind::Binary(Binary::Div, ..) => e.ty == Type::Scalar(Scalar::F32),
            ExprKind::Math(math, _) => matches!(math, Math::Recip | Math::Powi),
            _ => false,
        });
        let bodies = self.functions.iter().map(|function| &function.body.stmts);
        for block in bodies.chain([&self.body]) {
            walk(block, &mut |stmt| {
                divides |= matches!(stmt.kind, StmtKind::Update(_, Update::Operator(Binary::Div), _));
            });
        }
        divides
    }

    /// Whether `test` holds for any expression.
    fn computes(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk_exprs(&mut |e| found |= test(e));
        found
    }
}
