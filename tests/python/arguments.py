"""Arguments of every type arrive unchanged, however large: sizes beyond 2**31, addresses beyond 2**40."""

import ctypes
import sys

import numpy

from caller import HIDDEN_SIZE, NORM, Array, function, last_error, queue

echo_types = [ctypes.c_void_p] * 3
echo_types += [ctypes.c_int64, ctypes.c_float, ctypes.c_int32, ctypes.c_uint32, ctypes.c_bool]
echo_types += [ctypes.c_int64] * 2
echo = function(ctypes.CDLL(sys.argv[1]), "echo_forward", echo_types)

for wide, real, narrow, count, flag, last in [
    (2**31 + 5, 0.1, -1, 2**32 - 1, True, 2**40 + 3),
    (-(2**63), -1e30, -(2**31), 0, False, 2**63 - 1),
    (-(2**33) - 7, 1e-45, 2**31 - 1, 2**31, True, -(2**40) - 7),
]:
    integers, reals = Array(numpy.zeros(6, numpy.int64)), Array(numpy.zeros(6, numpy.float32))
    assert min(integers.address, reals.address) > 2**40
    assert echo(queue, integers.address, reals.address, wide, real, narrow, count, flag, last, 6) == 0
    assert list(integers.numpy()) == [wide, narrow, count, flag, last, last]
    assert (reals.numpy() == numpy.float32(real)).all()

norms = ctypes.CDLL(sys.argv[2])
norm, reason = function(norms, "rmsnorm_forward_fp16_4096", NORM), last_error(norms, "rmsnorm")
for name, at in [("num_tokens", 4), ("input_stride", 5), ("output_stride", 6)]:
    for value in [-(2**31) - 1, -(2**40) - 7, -(2**63)]:
        arguments = [queue, None, None, None, 1, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6]
        arguments[at] = value
        assert norm(*arguments) != 0
        assert f"{name} is {value}, but" in reason(), reason()
