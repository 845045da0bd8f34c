//! Types of literals, by unification: `0.5` is `f32` because of what it meets, as in Rust.

use crate::ir::{Scalar, Type};

/// What an unsuffixed literal may still become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Float,
    Any,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Free(Kind),
    Same(u32),
    Known(Type),
}

/// Two types that cannot be one.
#[derive(Debug)]
pub(super) struct Mismatch;

/// The unknown types of one function.
#[derive(Debug, Default)]
pub(super) struct Infer {
    nodes: Vec<Node>,
}

impl Infer {
    /// Type of an unsuffixed integer literal.
    pub(super) fn integer(&mut self) -> Type {
        self.fresh(Kind::Integer)
    }

    /// Type of an unsuffixed float literal.
    pub(super) fn float(&mut self) -> Type {
        self.fresh(Kind::Float)
    }

    /// Type of a variable declared without a value.
    pub(super) fn any(&mut self) -> Type {
        self.fresh(Kind::Any)
    }

    fn fresh(&mut self, kind: Kind) -> Type {
        self.nodes.push(Node::Free(kind));
        Type::Infer(self.nodes.len() as u32 - 1)
    }

    /// What is known of `ty` now.
    pub(super) fn shallow(&self, ty: Type) -> Type {
        let mut ty = ty;
        while let Type::Infer(id) = ty {
            match self.nodes[id as usize] {
                Node::Free(_) => return ty,
                Node::Same(next) => ty = Type::Infer(next),
                Node::Known(known) => return known,
            }
        }
        ty
    }

    /// Makes `a` and `b` one type. An opaque type goes with everything: rustc has the last word on those.
    pub(super) fn unify(&mut self, a: Type, b: Type) -> Result<Type, Mismatch> {
        match (self.shallow(a), self.shallow(b)) {
            (Type::Infer(a), Type::Infer(b)) if a == b => Ok(Type::Infer(a)),
            (Type::Infer(a), Type::Infer(b)) => {
                let kind = match (self.kind(a), self.kind(b)) {
                    (Kind::Any, k) | (k, Kind::Any) => k,
                    (x, y) if x == y => x,
                    _ => return Err(Mismatch),
                };
                self.nodes[b as usize] = Node::Free(kind);
                self.nodes[a as usize] = Node::Same(b);
                Ok(Type::Infer(b))
            }
            (Type::Infer(var), known) | (known, Type::Infer(var)) => {
                let fits = match (self.kind(var), known) {
                    (Kind::Any, _) | (_, Type::Opaque) => true,
                    (Kind::Integer, Type::Scalar(s)) => s.is_integer(),
                    (Kind::Float, known) => known == Type::Scalar(Scalar::F32),
                    (Kind::Integer, Type::Infer(_)) => false,
                };
                if !fits {
                    return Err(Mismatch);
                }
                self.nodes[var as usize] = Node::Known(known);
                Ok(known)
            }
            (Type::Opaque, other) | (other, Type::Opaque) => Ok(other),
            (a, b) if a == b => Ok(a),
            _ => Err(Mismatch),
        }
    }

    /// Whether a type is that of a float literal that nothing has decided yet.
    pub(super) fn is_float(&self, ty: Type) -> bool {
        matches!(self.shallow(ty), Type::Infer(var) if self.kind(var) == Kind::Float)
    }

    fn kind(&self, var: u32) -> Kind {
        match self.nodes[var as usize] {
            Node::Free(kind) => kind,
            _ => Kind::Any,
        }
    }

    /// The final type: integers that nothing decides are `i32`, as in Rust; `None` for a float that nothing decides,
    /// which natively would be `f64`.
    pub(super) fn finish(&self, ty: Type) -> Option<Type> {
        match self.shallow(ty) {
            Type::Infer(var) => match self.kind(var) {
                Kind::Integer => Some(Type::Scalar(Scalar::I32)),
                Kind::Float => None,
                Kind::Any => Some(Type::Opaque),
            },
            known => Some(known),
        }
    }
}
