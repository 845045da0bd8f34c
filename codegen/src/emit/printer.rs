//! Expressions in C++, with no more parentheses than it takes, and all that keep the order of float arithmetic.
//!
//! Each is printed together with the type that C++ gives it, as [`arithmetic`](super::arithmetic) says. Its value is always that of
//! the program's expression. Its type may be a narrower one, since C++ makes a literal an `int` if it can.

use super::arithmetic::{chosen, common, promoted};
use super::helper::{Helper, Helpers};
use super::literal;
use crate::ir::{Binary, Element, Math, Scalar, Unary};
use crate::program::{Expr, ExprKind, Memory, Place, WorkItem};

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
    /// The type that C++ gives it.
    pub(super) ty: Scalar,
}

impl Cpp {
    pub(super) fn primary(text: impl Into<String>, ty: Scalar) -> Cpp {
        Cpp {
            text: text.into(),
            level: Level::Primary,
            ty,
        }
    }

    /// The same value such that C++ computes with it in the type in which a `ty` is computed with.
    fn computed_as(self, ty: Scalar) -> Cpp {
        if promoted(self.ty) == promoted(ty) {
            return self;
        }
        let widens = self.ty.is_signed() == ty.is_signed() && self.ty.bits() < ty.bits();
        let text = match widens {
            true => format!("{}{{{}}}", ty.cpp(), self.text),
            false => format!("static_cast<{}>({})", ty.cpp(), self.text),
        };
        Cpp::primary(text, ty)
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
    pub(super) registers: Vec<String>,
    /// The vector width.
    pub(super) width: String,
    /// The work-item.
    pub(super) item: String,
    /// The work-items that share a row.
    pub(super) row_group: String,
    /// Whether the grid has rows, beside the lanes of one.
    pub(super) has_rows: bool,
    /// Whether optional buffers are given, by parameter; empty for others.
    pub(super) given: Vec<String>,
    /// Functions by path.
    pub(super) functions: Vec<(String, String)>,
}

impl Spelling {
    /// Dimensions of the grid: rows, where there are any, and the lanes of one.
    pub(super) fn dimensions(&self) -> u32 {
        1 + u32::from(self.has_rows)
    }

    /// An element type.
    pub(super) fn element(&self, element: &Element) -> &str {
        match element {
            Element::Param(id) => &self.types[*id],
            Element::DType(dtype) => dtype.cpp(),
        }
    }

    /// Memory, or a register.
    pub(super) fn place(&self, place: Place) -> &str {
        match place {
            Place::Buffer(id) => &self.params[id],
            Place::Row(id) => &self.rows[id],
            Place::Register(id) => &self.registers[id],
        }
    }
}

/// Prints expressions of one function.
pub(super) struct Printer<'a> {
    pub(super) spelling: &'a Spelling,
    pub(super) helpers: &'a Helpers,
}

impl Printer<'_> {
    /// A value where C++ converts it to its type, as in an initialisation or a call.
    pub(super) fn value(&self, e: &Expr) -> String {
        self.expr(e).text
    }

    /// A value as an operand of something that only looks at the value: a comparison, an index, a choice.
    pub(super) fn operand(&self, e: &Expr, level: Level) -> String {
        self.expr(e).within(level)
    }

    /// A value as an operand of arithmetic, which C++ does in the value's type.
    pub(super) fn term(&self, e: &Expr, level: Level) -> String {
        self.expr(e).computed_as(e.ty).within(level)
    }

    /// The product of sizes.
    pub(super) fn product<'e>(&self, factors: impl IntoIterator<Item = &'e Expr>) -> String {
        let times = |a, b| Expr::arithmetic(Binary::Mul, a, b);
        let product = factors.into_iter().cloned().reduce(times);
        product.map_or_else(|| "1".to_owned(), |product| self.value(&product))
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

    fn expr(&self, e: &Expr) -> Cpp {
        match &e.kind {
            ExprKind::Int(value) => literal::integer(*value, e.ty),
            ExprKind::Float(value) => literal::float(*value),
            ExprKind::Bool(value) => Cpp::primary(value.to_string(), Scalar::Bool),
            ExprKind::Local(id) => Cpp::primary(&self.spelling.locals[*id], e.ty),
            ExprKind::Param(id) => Cpp::primary(&self.spelling.params[*id], e.ty),
            ExprKind::Const(id) => Cpp::primary(&self.spelling.consts[*id], e.ty),
            ExprKind::Width => Cpp::primary(&self.spelling.width, Scalar::I32),
            ExprKind::WorkItem(place) => {
                let item = &self.spelling.item;
                // A `size_t`.
                Cpp::primary(
                    format!("{item}.{}", work_item(*place, self.spelling)),
                    Scalar::U64,
                )
            }
            ExprKind::Unary(op, a) => self.unary(*op, a, e.ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e),
            ExprKind::Guarded(op, a, b) => self.guarded(*op, a, b),
            ExprKind::Cast(a) => self.cast(a, e.ty),
            ExprKind::Carried(a) => {
                self.helpers.uses(Helper::Carried);
                Cpp::primary(format!("detail::carried({})", self.value(a)), e.ty)
            }
            ExprKind::Math(math, args) => self.math(*math, args, e.ty),
            ExprKind::Call(path, args) => {
                let (_, name) = self
                    .spelling
                    .functions
                    .iter()
                    .find(|(p, _)| p == path)
                    .expect("functions are collected");
                Cpp::primary(format!("{name}({})", self.list(args)), e.ty)
            }
            ExprKind::Select(cond, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let ty = chosen(a.ty, b.ty);
                let (cond, a, b) = (
                    self.operand(cond, Level::Or),
                    a.within(Level::Or),
                    b.within(Level::Ternary),
                );
                Cpp {
                    text: format!("{cond} ? {a} : {b}"),
                    level: Level::Ternary,
                    ty,
                }
            }
            ExprKind::IsNull(id) => Cpp {
                text: format!("!{}", self.spelling.given[*id]),
                level: Level::Unary,
                ty: Scalar::Bool,
            },
            ExprKind::Load(memory, index) => self.load(memory, index, e.ty),
        }
    }

    fn list(&self, args: &[Expr]) -> String {
        args.iter()
            .map(|arg| self.value(arg))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn load(&self, memory: &Memory, index: &Expr, ty: Scalar) -> Cpp {
        let element = self.place(memory, index);
        if self.spelling.element(&memory.element) == ty.cpp() {
            return Cpp::primary(element, ty);
        }
        Cpp::primary(format!("static_cast<{}>({element})", ty.cpp()), ty)
    }

    /// An element of a place in memory, or of a register.
    pub(super) fn place(&self, memory: &Memory, index: &Expr) -> String {
        format!("{}[{}]", self.spelling.place(memory.place), self.value(index))
    }

    /// A value as an element of a buffer: floats are rounded, integers saturate.
    pub(super) fn narrowed(&self, element: &Element, value: &Expr) -> String {
        let spelled = self.spelling.element(element);
        if spelled == value.ty.cpp() {
            return self.value(value);
        }
        if matches!(value.ty, Scalar::F32 | Scalar::Bool) {
            return format!("static_cast<{spelled}>({})", self.value(value));
        }
        self.helpers.uses(Helper::Saturate);
        format!("detail::saturate<{spelled}>({})", self.value(value))
    }

    fn unary(&self, op: Unary, a: &Expr, scalar: Scalar) -> Cpp {
        if let ExprKind::IsNull(id) = a.kind {
            return Cpp::primary(&self.spelling.given[id], Scalar::Bool);
        }
        let token = match op {
            Unary::Neg => "-",
            Unary::Not if scalar == Scalar::Bool => "!",
            Unary::Not => "~",
        };
        // A second minus would make a decrement.
        let operand = self.term(a, Level::Unary);
        let operand = if operand.starts_with('-') && token == "-" {
            format!("({operand})")
        } else {
            operand
        };
        narrow(
            Cpp {
                text: format!("{token}{operand}"),
                level: Level::Unary,
                ty: scalar,
            },
            scalar,
        )
    }

    fn binary(&self, op: Binary, a: &Expr, b: &Expr, e: &Expr) -> Cpp {
        let ty = a.ty;
        if op == Binary::Rem && ty == Scalar::F32 {
            self.helpers.uses(Helper::FloatRemainder);
            let text = format!("detail::float_remainder({}, {})", self.value(a), self.value(b));
            return Cpp::primary(text, Scalar::F32);
        }
        let level = level(op);
        let (left, right) = self.operands(op, a, b, ty);
        // Both sides of what compilers warn about without parentheses get them; so does every right operand of equal rank,
        // since float arithmetic is not associative.
        let strict = matches!(level, Level::Bits | Level::Shift | Level::Compare);
        let left = match &a.kind {
            ExprKind::Binary(Binary::Or, ..) if op == Binary::Or => left.text,
            // An `&&` in it gets the parentheses that compilers ask for.
            _ if op == Binary::Or => left.within(Level::Bits),
            _ if strict => left.within(Level::Add),
            _ => left.within(level),
        };
        let right = right.within(match level {
            Level::Or | Level::And => Level::Bits,
            Level::Add => Level::Mul,
            Level::Mul => Level::Unary,
            _ => Level::Add,
        });
        let cpp = Cpp {
            text: format!("{left} {} {right}", op.token()),
            level,
            ty: e.ty,
        };
        narrow(cpp, e.ty)
    }

    /// Both sides of an operator, such that C++ computes in the type in which the program computes.
    fn operands(&self, op: Binary, a: &Expr, b: &Expr, ty: Scalar) -> (Cpp, Cpp) {
        let (left, right) = (self.expr(a), self.expr(b));
        if !ty.is_integer() || op.is_comparison() {
            return (left, right);
        }
        if matches!(op, Binary::Shl | Binary::Shr) {
            return (left.computed_as(ty), right);
        }
        if common(left.ty, right.ty) == promoted(ty) {
            return (left, right);
        }
        // One of them is enough. A literal looks best with its type.
        match (&a.kind, &b.kind) {
            (ExprKind::Int(_), _) => (left.computed_as(ty), right),
            (_, ExprKind::Int(_)) => (left, right.computed_as(ty)),
            _ => (left.computed_as(ty), right),
        }
    }

    fn guarded(&self, op: Binary, a: &Expr, b: &Expr) -> Cpp {
        let (helper, name) = match op {
            Binary::Add => (Helper::Wrapping, "wrapping_add"),
            Binary::Sub => (Helper::Wrapping, "wrapping_sub"),
            Binary::Mul => (Helper::Wrapping, "wrapping_mul"),
            Binary::Div => (Helper::Division, "quotient"),
            Binary::Rem => (Helper::Division, "remainder"),
            Binary::Shl => (Helper::Shift, "shift_left"),
            Binary::Shr => (Helper::Shift, "shift_right"),
            _ => unreachable!("other operators are defined for all operands"),
        };
        self.helper_call(helper, name, a.ty, &[self.value(a), self.value(b)])
    }

    fn helper_call(&self, helper: Helper, name: &str, ty: Scalar, args: &[String]) -> Cpp {
        self.helpers.uses(helper);
        Cpp::primary(format!("detail::{name}<{}>({})", ty.cpp(), args.join(", ")), ty)
    }

    fn cast(&self, a: &Expr, to: Scalar) -> Cpp {
        let from = a.ty;
        if from == to {
            return self.expr(a);
        }
        if from == Scalar::F32 && to.is_integer() {
            self.helpers.uses(Helper::ToInteger);
            return Cpp::primary(format!("detail::to_integer<{}>({})", to.cpp(), self.value(a)), to);
        }
        Cpp::primary(format!("static_cast<{}>({})", to.cpp(), self.value(a)), to)
    }

    fn math(&self, math: Math, args: &[Expr], ty: Scalar) -> Cpp {
        let operand = args[0].ty;
        let name = match math {
            Math::Recip => {
                return Cpp {
                    text: format!("1.0f / {}", self.operand(&args[0], Level::Unary)),
                    level: Level::Mul,
                    ty: Scalar::F32,
                };
            }
            Math::WrappingAdd => return self.wrapping("wrapping_add", args, ty),
            Math::WrappingSub => return self.wrapping("wrapping_sub", args, ty),
            Math::WrappingMul => return self.wrapping("wrapping_mul", args, ty),
            Math::WrappingNeg => {
                let negated = ["0".into(), self.value(&args[0])];
                return self.helper_call(Helper::Wrapping, "wrapping_sub", ty, &negated);
            }
            Math::Abs if operand == Scalar::F32 => "::sycl::fabs".into(),
            Math::Abs => {
                let positive = self.expr(&args[0]);
                let ty = chosen(positive.ty, operand);
                let a = positive.within(Level::Unary);
                let negated = self.helper_call(
                    Helper::Wrapping,
                    "wrapping_sub",
                    operand,
                    &["0".into(), a.clone()],
                );
                return Cpp {
                    text: format!("{a} < 0 ? {} : {a}", negated.text),
                    level: Level::Ternary,
                    ty,
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
            Math::CountOnes
            | Math::LeadingZeros
            | Math::RotateLeft
            | Math::RotateRight
            | Math::TrailingZeros => {
                self.helpers.uses(Helper::Bits);
                format!("detail::{}<{}>", math.name(), operand.cpp())
            }
            Math::ToBits => "::sycl::bit_cast<uint32_t>".into(),
            Math::FromBits => "::sycl::bit_cast<float>".into(),
            other => {
                let name = other.row().sycl.expect("what SYCL lacks is written above");
                format!("::sycl::{name}")
            }
        };
        Cpp::primary(format!("{name}({})", self.list(args)), ty)
    }

    fn wrapping(&self, name: &str, args: &[Expr], ty: Scalar) -> Cpp {
        let args: Vec<String> = args.iter().map(|arg| self.value(arg)).collect();
        self.helper_call(Helper::Wrapping, name, ty, &args)
    }
}

/// A result that C++ computed as `int`, back in its narrower type.
fn narrow(cpp: Cpp, ty: Scalar) -> Cpp {
    if ty.is_integer() && ty.bits() < 32 {
        return Cpp::primary(format!("static_cast<{}>({})", ty.cpp(), cpp.text), ty);
    }
    cpp
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

/// What a work-item asks for its place. The lanes of a row are along the last dimension.
fn work_item(place: WorkItem, spelling: &Spelling) -> String {
    let lane = spelling.dimensions() - 1;
    let (function, dimension) = match place {
        WorkItem::Lane => ("get_local_id", lane),
        WorkItem::Lanes => ("get_local_range", lane),
        WorkItem::Part => ("get_group", lane),
        WorkItem::Row => ("get_global_id", 0),
        WorkItem::Rows => ("get_global_range", 0),
    };
    format!("{function}({dimension})")
}
