"""What SYCL throws arrives as a code and SYCL's own words, however often; nothing of it reaches Python otherwise."""

import ctypes
import os
import sys

import numpy

# The device's compiler refuses every kernel.
os.environ["SYCL_PROGRAM_COMPILE_OPTIONS"] = "-no-such-option"

from caller import HIDDEN_SIZE, NORM, Array, function, halves, last_error, queue

EXCEPTION = 6

library = ctypes.CDLL(sys.argv[1])
norm, reason = function(library, "rmsnorm_forward_fp16_4096", NORM), last_error(library, "rmsnorm")
x, factors = Array(halves(2, HIDDEN_SIZE)), Array(halves(HIDDEN_SIZE))
y = Array(numpy.full((2, HIDDEN_SIZE), 9, numpy.float16))
for _ in range(100):
    code = norm(queue, x.address, factors.address, y.address, 2, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6)
    assert code == EXCEPTION, code
    assert reason().startswith("rmsnorm: SYCL says: ") and "-no-such-option" in reason(), reason()
assert y.is_untouched()
assert norm(queue, x.address, factors.address, y.address, 0, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6) == 0
