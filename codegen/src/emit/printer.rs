//! Expressions in C++, with no more parentheses than it takes, and all that keep the order of float arithmetic.

use std::collections::BTreeSet;

use super::helper::{Helper, Helpers};
use super::literal;
use crate::ir::{
    Binary, Expr, ExprKind, Kernel, LocalId, Math, Place, Scalar, Stmt, StmtKind, Type, Unary, walk,
};

/// How tightly C++ binds; higher binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Ternary,
    Or,
    And,
    Bits,
    Compare,
    Shift,
    Add,
    Mul,
    Unary,
    Primary,
}

/// C++ for an expression.
#[derive(Clone, Debug)]
pub(super) struct Cpp {
    pub(super) text: String,
    pub(super) level: Level,
}

impl Cpp {
    pub(super) fn primary(text: impl Into<String>) -> Cpp {
        Cpp {
            text: text.into(),
            level: Level::Primary,
        }
    }

    /// As an operand of something that binds at `level`.
    fn within(self, level: Level) -> String {
        if self.level < level {
            format!("({})", self.text)
        } else {
            self.text
        }
    }
}

/// C++ names of what expressions speak of.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling {
    pub(super) params: Vec<String>,
    pub(super) consts: Vec<String>,
    pub(super) types: Vec<String>,
    pub(super) locals: Vec<String>,
    pub(super) rows: Vec<String>,
    /// What tells whether a closed range goes on, by its index; empty for others.
    pub(super) more: Vec<String>,
    /// Whether optional buffers are given, by parameter; empty for others.
    pub(super) given: Vec<String>,
    /// Functions by path.
    pub(super) functions: Vec<(String, String)>,
}

/// What a printer asks of its surroundings.
pub(super) trait Surroundings {
    /// A loop index that is written in another way here, such as `i + v`.
    fn index(&self, id: LocalId) -> Option<Cpp>;
    /// The element at `index`, unconverted, and whether it is already the loaded value.
    fn load(&self, printer: &Printer<'_>, place: Place, index: &Expr) -> Loaded;
    /// The value of a reduction, which was computed before the statement.
    fn reduction(&self, e: &Expr) -> String;
    /// Whether an expression is known when the code around is compiled.
    fn is_constant(&self, e: &Expr) -> bool;
    /// Whether nothing comes before the statement that it needs, so that an `if` may follow an `else` at once.
    fn stands_alone(&self, stmt: &Stmt) -> bool;
}

/// What a load is written as.
pub(super) enum Loaded {
    /// A name that holds the value.
    Value(String),
    /// An element of the buffer's type.
    Element(String),
}

/// Prints expressions of one function.
pub(super) struct Printer<'a> {
    pub(super) spelling: &'a Spelling,
    pub(super) helpers: &'a Helpers,
    pub(super) kernel: Option<&'a Kernel>,
    pub(super) surroundings: &'a dyn Surroundings,
    /// Locals whose value comes from data, so that arithmetic on them may overflow.
    pub(super) data: &'a BTreeSet<LocalId>,
    /// Whether an index is printed. One that overflows is that of no element, so the arithmetic is plain.
    pub(super) indexing: bool,
}

impl Printer<'_> {
    /// A value: integer arithmetic on data wraps instead of being undefined.
    pub(super) fn value(&self, e: &Expr) -> String {
        self.expr(e).text
    }

    /// A value as an operand.
    pub(super) fn operand(&self, e: &Expr, level: Level) -> String {
        self.expr(e).within(level)
    }

    /// A value in parts that may each have a line: the first condition, then what is chosen, one after the other.
    pub(super) fn choices(&self, e: &Expr) -> Vec<String> {
        let ExprKind::Select(cond, a, b) = &e.kind else {
            return vec![self.value(e)];
        };
        let mut parts = vec![
            self.operand(cond, Level::Or),
            format!("? {}", self.operand(a, Level::Or)),
        ];
        let mut rest = self.choices(b);
        rest[0].insert_str(0, ": ");
        parts.append(&mut rest);
        parts
    }

    /// An index, or the offset of a row.
    pub(super) fn index(&self, e: &Expr, level: Level) -> String {
        let printer = Printer {
            indexing: true,
            ..*self
        };
        printer.operand(e, level)
    }

    fn expr(&self, e: &Expr) -> Cpp {
        match &e.kind {
            ExprKind::Int(value) => literal::integer(*value, scalar(e.ty)),
            ExprKind::Float(value) => literal::float(*value),
            ExprKind::Bool(value) => Cpp::primary(value.to_string()),
            ExprKind::Local(id) => self
                .surroundings
                .index(*id)
                .unwrap_or_else(|| Cpp::primary(&self.spelling.locals[*id])),
            ExprKind::Param(id) => Cpp::primary(&self.spelling.params[*id]),
            ExprKind::Const(id) => Cpp::primary(&self.spelling.consts[*id]),
            ExprKind::Unary(op, a) => self.unary(*op, a, e.ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e),
            ExprKind::Cast(a) => self.cast(a, scalar(e.ty)),
            ExprKind::Math(math, args) => self.math(*math, args, e.ty),
            ExprKind::Call(path, args) => {
                let (_, name) = self
                    .spelling
                    .functions
                    .iter()
                    .find(|(p, _)| p == path)
                    .expect("functions are collected");
                Cpp::primary(format!("{name}({})", self.list(args)))
            }
            ExprKind::Select(cond, a, b) => {
                let (cond, a, b) = (
                    self.operand(cond, Level::Or),
                    self.operand(a, Level::Or),
                    self.operand(b, Level::Ternary),
                );
                Cpp {
                    text: format!("{cond} ? {a} : {b}"),
                    level: Level::Ternary,
                }
            }
            ExprKind::IsEmpty(id) => Cpp {
                text: format!("!{}", self.spelling.given[*id]),
                level: Level::Unary,
            },
            ExprKind::Load(place, index) => self.load(*place, index),
            ExprKind::Reduce(..) => Cpp::primary(self.surroundings.reduction(e)),
            ExprKind::Item(_) | ExprKind::Invalid => unreachable!("only lowered kernels are emitted"),
        }
    }

    fn list(&self, args: &[Expr]) -> String {
        args.iter()
            .map(|arg| self.value(arg))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn load(&self, place: Place, index: &Expr) -> Cpp {
        let kernel = self.kernel.expect("only kernels load");
        match self.surroundings.load(self, place, index) {
            Loaded::Value(name) => Cpp::primary(name),
            Loaded::Element(element) => {
                let element_type = &kernel.buffer_like(place).element;
                let (spelled, value) = self.element(element_type);
                if spelled == value.cpp() {
                    return Cpp::primary(element);
                }
                Cpp::primary(format!("static_cast<{}>({element})", value.cpp()))
            }
        }
    }

    /// C++ name of an element type, and the type of its values.
    pub(super) fn element(&self, element: &crate::ir::Element) -> (String, Scalar) {
        let kernel = self.kernel.expect("only kernels have buffers");
        match element {
            crate::ir::Element::Param(id) => (
                self.spelling.types[*id].clone(),
                kernel.types[*id].dtypes[0].value(),
            ),
            crate::ir::Element::DType(dtype) => (dtype.cpp().to_owned(), dtype.value()),
        }
    }

    /// A value as an element of a buffer: floats are rounded, integers saturate.
    pub(super) fn narrowed(&self, element: &crate::ir::Element, value: &Expr) -> String {
        let (spelled, scalar) = self.element(element);
        if spelled == scalar.cpp() {
            return self.value(value);
        }
        if scalar == Scalar::F32 {
            return format!("static_cast<{spelled}>({})", self.value(value));
        }
        self.helpers.uses(Helper::Saturate);
        format!("detail::saturate<{spelled}>({})", self.value(value))
    }

    fn unary(&self, op: Unary, a: &Expr, ty: Type) -> Cpp {
        let scalar = scalar(ty);
        if let ExprKind::IsEmpty(id) = a.kind {
            return Cpp::primary(&self.spelling.given[id]);
        }
        if op == Unary::Neg && scalar.is_signed() && self.is_data(a) {
            return self.helper_call(
                Helper::Wrapping,
                "wrapping_sub",
                scalar,
                &["0".into(), self.value(a)],
            );
        }
        let token = match op {
            Unary::Neg => "-",
            Unary::Not if scalar == Scalar::Bool => "!",
            Unary::Not => "~",
        };
        // A second minus would make a decrement.
        let operand = self.operand(a, Level::Unary);
        let operand = if operand.starts_with('-') && token == "-" {
            format!("({operand})")
        } else {
            operand
        };
        narrow(
            Cpp {
                text: format!("{token}{operand}"),
                level: Level::Unary,
            },
            scalar,
        )
    }

    fn binary(&self, op: Binary, a: &Expr, b: &Expr, e: &Expr) -> Cpp {
        let ty = scalar(a.ty);
        if ty.is_integer()
            && let Some(call) = self.guarded(op, a, b, ty)
        {
            return call;
        }
        if op == Binary::Rem && ty == Scalar::F32 {
            return Cpp::primary(format!("::sycl::fmod({}, {})", self.value(a), self.value(b)));
        }
        let level = level(op);
        // Both sides of what compilers warn about without parentheses get them; so does every right operand of equal rank,
        // since float arithmetic is not associative.
        let strict = matches!(level, Level::Bits | Level::Shift | Level::Compare);
        let mut left = if strict {
            self.operand(a, Level::Add)
        } else {
            self.operand(a, level)
        };
        let right = match level {
            Level::Or => self.operand(b, Level::Bits),
            Level::And => self.operand(b, Level::Bits),
            Level::Add => self.operand(b, Level::Mul),
            Level::Mul => self.operand(b, Level::Unary),
            _ => self.operand(b, Level::Add),
        };
        if level == Level::Or {
            left = self.or_operand(a);
        }
        if ty.is_integer()
            && !op.is_comparison()
            && is_weak(a)
            && (is_weak(b) || level == Level::Shift)
            && ty.bits() != 32
        {
            left = format!("{}{{{}}}", ty.cpp(), self.value(a));
        }
        let cpp = Cpp {
            text: format!("{left} {} {right}", op.token()),
            level,
        };
        if op.is_comparison() || op.is_lazy() {
            cpp
        } else {
            narrow(cpp, scalar(e.ty))
        }
    }

    /// An operand of `||`: an `&&` in it gets the parentheses that compilers ask for.
    fn or_operand(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Binary(Binary::Or, ..) => self.value(e),
            _ => self.operand(e, Level::Bits),
        }
    }

    /// Integer operations that C++ leaves undefined for some operands that may come up here.
    fn guarded(&self, op: Binary, a: &Expr, b: &Expr, ty: Scalar) -> Option<Cpp> {
        let nonzero = matches!(b.kind, ExprKind::Int(value) if value != 0);
        let in_range = matches!(b.kind, ExprKind::Int(value) if (0..i128::from(ty.bits())).contains(&value));
        let wraps = ty.is_signed() && ty.bits() >= 32 && (self.is_data(a) || self.is_data(b));
        let (helper, name) = match op {
            Binary::Add if wraps => (Helper::Wrapping, "wrapping_add"),
            Binary::Sub if wraps => (Helper::Wrapping, "wrapping_sub"),
            Binary::Mul if wraps => (Helper::Wrapping, "wrapping_mul"),
            // Two `uint16_t` are multiplied as `int`, which overflows.
            Binary::Mul if ty == Scalar::U16 => (Helper::Wrapping, "wrapping_mul"),
            Binary::Div if !nonzero => (Helper::Division, "quotient"),
            Binary::Rem if !nonzero => (Helper::Division, "remainder"),
            Binary::Shl if !in_range => (Helper::Shift, "shift_left"),
            Binary::Shr if !in_range => (Helper::Shift, "shift_right"),
            _ => return None,
        };
        Some(self.helper_call(helper, name, ty, &[self.value(a), self.value(b)]))
    }

    fn helper_call(&self, helper: Helper, name: &str, ty: Scalar, args: &[String]) -> Cpp {
        self.helpers.uses(helper);
        Cpp::primary(format!("detail::{name}<{}>({})", ty.cpp(), args.join(", ")))
    }

    fn cast(&self, a: &Expr, to: Scalar) -> Cpp {
        let from = scalar(a.ty);
        if from == to {
            return self.expr(a);
        }
        if from == Scalar::F32 && to.is_integer() {
            self.helpers.uses(Helper::ToInteger);
            return Cpp::primary(format!("detail::to_integer<{}>({})", to.cpp(), self.value(a)));
        }
        Cpp::primary(format!("static_cast<{}>({})", to.cpp(), self.value(a)))
    }

    fn math(&self, math: Math, args: &[Expr], ty: Type) -> Cpp {
        let operand = scalar(args[0].ty);
        let name = match math {
            Math::Recip => {
                return Cpp {
                    text: format!("1.0f / {}", self.operand(&args[0], Level::Unary)),
                    level: Level::Mul,
                };
            }
            Math::WrappingAdd => return self.wrapping("wrapping_add", args, ty),
            Math::WrappingSub => return self.wrapping("wrapping_sub", args, ty),
            Math::WrappingMul => return self.wrapping("wrapping_mul", args, ty),
            Math::WrappingNeg => {
                let negated = ["0".into(), self.value(&args[0])];
                return self.helper_call(Helper::Wrapping, "wrapping_sub", scalar(ty), &negated);
            }
            Math::Abs if operand == Scalar::F32 => "::sycl::fabs".into(),
            Math::Abs => {
                let a = self.operand(&args[0], Level::Unary);
                let negated = self.helper_call(
                    Helper::Wrapping,
                    "wrapping_sub",
                    operand,
                    &["0".into(), a.clone()],
                );
                return Cpp {
                    text: format!("{a} < 0 ? {} : {a}", negated.text),
                    level: Level::Ternary,
                };
            }
            Math::Max if operand == Scalar::F32 => "::sycl::fmax".into(),
            Math::Min if operand == Scalar::F32 => "::sycl::fmin".into(),
            Math::Max => format!("std::max<{}>", operand.cpp()),
            Math::Min => format!("std::min<{}>", operand.cpp()),
            Math::Clamp => {
                self.helpers.uses(Helper::Clamp);
                format!("detail::clamp<{}>", operand.cpp())
            }
            Math::SaturatingAdd | Math::SaturatingSub => {
                self.helpers.uses(Helper::Saturating);
                format!("detail::{}<{}>", math.name(), operand.cpp())
            }
            Math::Signum => {
                self.helpers.uses(Helper::Sign);
                "detail::signum".into()
            }
            Math::Fract => {
                self.helpers.uses(Helper::Fraction);
                "detail::fract".into()
            }
            Math::Powi => {
                self.helpers.uses(Helper::Power);
                "detail::powi".into()
            }
            other => {
                let name = other.row().sycl.expect("what SYCL lacks is written above");
                format!("::sycl::{name}")
            }
        };
        Cpp::primary(format!("{name}({})", self.list(args)))
    }

    fn wrapping(&self, name: &str, args: &[Expr], ty: Type) -> Cpp {
        let args: Vec<String> = args.iter().map(|arg| self.value(arg)).collect();
        self.helper_call(Helper::Wrapping, name, scalar(ty), &args)
    }

    fn is_data(&self, e: &Expr) -> bool {
        !self.indexing && is_data(e, self.data)
    }
}

/// Locals whose value comes from memory, from a float or from a function, rather than from sizes and indices alone.
pub(super) fn data_locals<'s>(blocks: impl IntoIterator<Item = &'s [Stmt]> + Clone) -> BTreeSet<LocalId> {
    let mut data = BTreeSet::new();
    loop {
        let before = data.len();
        for block in blocks.clone() {
            walk(block, &mut |stmt| match &stmt.kind {
                StmtKind::Let(id, Some(value))
                | StmtKind::Assign(id, value)
                | StmtKind::Update(id, _, value)
                    if is_data(value, &data) =>
                {
                    data.insert(*id);
                }
                _ => {}
            });
        }
        if data.len() == before {
            return data;
        }
    }
}

fn is_data(e: &Expr, data: &BTreeSet<LocalId>) -> bool {
    e.any(&mut |e| match &e.kind {
        ExprKind::Load(..) | ExprKind::Call(..) => true,
        ExprKind::Cast(a) => a.ty == Type::Scalar(Scalar::F32),
        ExprKind::Local(id) => data.contains(id),
        _ => false,
    })
}

/// The scalar type of a lowered expression.
pub(super) fn scalar(ty: Type) -> Scalar {
    ty.scalar().expect("lowered kernels have only known types")
}

/// A result that C++ computed as `int`, back in its narrower type.
fn narrow(cpp: Cpp, ty: Scalar) -> Cpp {
    if ty.is_integer() && ty.bits() < 32 {
        return Cpp::primary(format!("static_cast<{}>({})", ty.cpp(), cpp.text));
    }
    cpp
}

/// Whether C++ gives the expression the type `int` whatever its Rust type, since only literals are in it.
fn is_weak(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(value) => i32::try_from(*value).is_ok(),
        ExprKind::Unary(_, a) => is_weak(a),
        ExprKind::Binary(_, a, b) => is_weak(a) && is_weak(b),
        _ => false,
    }
}

fn level(op: Binary) -> Level {
    match op {
        Binary::Mul | Binary::Div | Binary::Rem => Level::Mul,
        Binary::Add | Binary::Sub => Level::Add,
        Binary::Shl | Binary::Shr => Level::Shift,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => Level::Compare,
        Binary::BitAnd | Binary::BitOr | Binary::BitXor => Level::Bits,
        Binary::And => Level::And,
        Binary::Or => Level::Or,
    }
}
