"""Callers that declare no result, as those of sgl-kernel-xpu do."""

import ctypes
import sys

import numpy

from caller import HIDDEN_SIZE, NORM, Array, function, halves, queue

norm = function(ctypes.CDLL(sys.argv[1]), "rmsnorm_forward_fp16_4096", NORM, restype=None)
x, factors = Array(halves(2, HIDDEN_SIZE)), Array(halves(HIDDEN_SIZE))
y = Array(numpy.full((2, HIDDEN_SIZE), 9, numpy.float16))
for _ in range(3):
    norm(queue, x.address, factors.address, y.address, -1, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6)
    norm(queue, None, factors.address, y.address, 2, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6)
assert y.is_untouched()
norm(queue, x.address, factors.address, y.address, 2, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6)
assert not y.is_untouched()
