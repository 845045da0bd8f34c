"""Wrong calls give a code and a reason, and change nothing; good ones work afterwards."""

import ctypes
import resource
import sys
import threading

import numpy

from caller import HIDDEN_SIZE, NORM, SCALE, Array, function, halves, last_error, queue

NULL, SIZE, MISALIGNED, OVERLAP = 1, 2, 3, 4

norms, scales = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
norm, norm_error = function(norms, "rmsnorm_forward_fp16_4096", NORM), last_error(norms, "rmsnorm")
scale, scale_error = function(scales, "scale_forward_fp16", SCALE), last_error(scales, "scale")

x, factors = Array(halves(4, HIDDEN_SIZE)), Array(halves(HIDDEN_SIZE))
y = Array(numpy.full((4, HIDDEN_SIZE), 9, numpy.float16))
good = {
    "queue": queue,
    "input": x.address,
    "weight": factors.address,
    "output": y.address,
    "num_tokens": 4,
    "input_stride": HIDDEN_SIZE,
    "output_stride": HIDDEN_SIZE,
    "eps": 1e-6,
}

for wrong, code, reason in [
    ({"queue": None}, NULL, "queue is null"),
    ({"input": None}, NULL, "input is null"),
    ({"weight": None}, NULL, "weight is null"),
    ({"output": None}, NULL, "output is null"),
    ({"num_tokens": -1}, SIZE, "num_tokens is -1, but"),
    ({"input_stride": -4096}, SIZE, "input_stride is -4096, but"),
    ({"output_stride": -(2**63)}, SIZE, "output_stride is -9223372036854775808, but"),
    ({"num_tokens": 2**62}, SIZE, "larger than any memory"),
    ({"input": x.address + 1}, MISALIGNED, "input is not aligned"),
    ({"output": y.address + 1}, MISALIGNED, "output is not aligned"),
    ({"output_stride": HIDDEN_SIZE - 1}, OVERLAP, "output has rows that overlap"),
    ({"output_stride": 0}, OVERLAP, "output has rows that overlap"),
    ({"input": y.address + 2}, OVERLAP, "output overlaps input"),
    ({"weight": y.address + 2 * HIDDEN_SIZE}, OVERLAP, "output overlaps weight"),
]:
    found = norm(*{**good, **wrong}.values())
    assert found == code, (wrong, found)
    assert norm_error() == f"rmsnorm: {norm_error()[9:]}" and reason in norm_error(), (wrong, norm_error())
    assert y.is_untouched() and x.is_untouched() and factors.is_untouched(), wrong

assert scale(queue, x.address, y.address, 2.0, -5) == SIZE and "scale: numel is -5" in scale_error()
assert scale(queue, x.address, x.address + 2, 2.0, 100) == OVERLAP and "output overlaps input" in scale_error()
assert "output overlaps weight" in norm_error(), "one library's reason took another one's place"

# A reason belongs to the thread that was refused.
other = threading.Thread(target=lambda: norm(*{**good, "input": None}.values()))
other.start()
other.join()
assert "output overlaps weight" in norm_error()

# One after the other, without growing.
for number in range(11_000):
    if number == 1_000:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert norm(*{**good, "num_tokens": -1 - number}.values()) == SIZE
    assert f"is {-1 - number}," in norm_error()
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
assert grown < 1024, f"{grown} KiB more"

# What Python itself refuses.
for arguments in [list(good.values())[:-1], [*list(good.values())[:-1], "text"], [1.5, *list(good.values())[1:]]]:
    try:
        norm(*arguments)
    except (TypeError, ctypes.ArgumentError):
        continue
    raise AssertionError(arguments)

assert y.is_untouched()
assert norm(*good.values()) == 0
assert not y.is_untouched() and not numpy.isnan(y.numpy()).any()
