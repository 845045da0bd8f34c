"""A library of a hand-written header, whose functions return nothing."""

import ctypes
import sys

import numpy

from caller import Array, function, halves, queue

library = ctypes.CDLL(sys.argv[1])
pointers = [ctypes.c_void_p] * 3
for name, dtype in [("scale_fp16", numpy.float16), ("scale_fp32", numpy.float32)]:
    scale = function(library, name, [*pointers, ctypes.c_int64], restype=None)
    x = halves(1000).astype(dtype)
    source, target = Array(x, 1), Array(numpy.zeros_like(x), 3)
    scale(queue, source.address, target.address, x.size)
    wanted = (x.astype(numpy.float32) * 3).astype(dtype)
    assert (target.numpy() == wanted).all(), name
