"""The operators, one function for each kernel, written from the kernels' own descriptions."""

from . import _native

_operators = {operator.name: operator for operator in _native.operators()}
__all__ = sorted(_operators)

exec(compile(_native.source(), "<oxysycl.ops>", "exec"))
