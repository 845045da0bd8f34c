"""Kernels for Intel XPUs, written in Rust: every operator for arrays of numpy and dpctl, and for tensors of PyTorch.

    >>> import numpy, oxysycl
    >>> oxysycl.ops.scale(numpy.arange(3, dtype="float32"), 0.5)
    array([0. , 0.5, 1. ], dtype=float32)

Arrays on the host run the kernel's own Rust function, the reference. Arrays in USM run on their queue's device, compiled on
first use. Importing this touches no device, starts no thread and writes nothing.
"""

from . import ops
from .command import check, doctor
from .library import Library, build

__all__ = ["Library", "build", "check", "doctor", "ops"]
