"""What a call of a cached kernel costs in Python, beside a wrapper by ctypes as sgl-kernel-xpu's tutorial has one written.

Needs the package, dpctl and numpy. Both call the same kernel, on arrays without rows, so that nothing is submitted, and on one
row; alternating, in one process; medians.
"""

import ctypes
import statistics
import time

import dpctl
import numpy

import oxysycl
import oxysycl.usm

HIDDEN_SIZE = 256
ROUNDS, CALLS = 30, 500
QUEUE = dpctl.SyclQueue("cpu", property="in_order")
LIBRARY = ctypes.CDLL(oxysycl.build("rmsnorm", dtype="fp32", defines={"HIDDEN_SIZE": HIDDEN_SIZE}).path)
TYPES = {numpy.dtype("float32"): "fp32", numpy.dtype("float16"): "fp16"}
FUNCTIONS = {}


def function(dtype, hidden_size):
    key = (dtype, hidden_size)
    if key not in FUNCTIONS:
        found = getattr(LIBRARY, f"rmsnorm_forward_{TYPES[dtype]}_{hidden_size}")
        found.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 3 + [ctypes.c_float]
        found.restype = ctypes.c_int32
        FUNCTIONS[key] = found
    return FUNCTIONS[key]


def pointer(array):
    return ctypes.c_void_p(array.__sycl_usm_array_interface__["data"][0])


def by_hand(input, weight, out, eps=1e-6):
    if len(input.shape) != 2 or input.shape[1] != weight.shape[0]:
        raise ValueError("shape")
    if input.dtype != weight.dtype or input.dtype != out.dtype or input.dtype not in TYPES:
        raise TypeError("dtype")
    if out.shape != input.shape:
        raise ValueError("shape of out")
    input_stride = input.__sycl_usm_array_interface__["strides"]
    output_stride = out.__sycl_usm_array_interface__["strides"]
    if input_stride[1] != 1 or output_stride[1] != 1:
        raise ValueError("last dimension")
    tokens, hidden_size = input.shape
    status = function(input.dtype, hidden_size)(
        ctypes.c_void_p(input.sycl_queue.addressof_ref()),
        pointer(input),
        pointer(weight),
        pointer(out),
        tokens,
        input_stride[0],
        output_stride[0],
        eps,
    )
    if status != 0:
        raise RuntimeError(status)
    return out


def seconds(call):
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    QUEUE.wait()
    return (time.perf_counter() - start) / CALLS


for rows in [0, 1]:
    x = oxysycl.usm.asarray(numpy.ones((rows, HIDDEN_SIZE), "float32"), QUEUE)
    weight = oxysycl.usm.asarray(numpy.ones(HIDDEN_SIZE, "float32"), QUEUE)
    out = oxysycl.usm.empty(x.shape, x.dtype, QUEUE)
    calls = [lambda: oxysycl.ops.rmsnorm(x, weight, out=out), lambda: by_hand(x, weight, out)]
    times = [[seconds(call) for call in calls] for _ in range(ROUNDS)][1:]
    ours, theirs = (statistics.median(column) * 1e6 for column in zip(*times))
    ratio = statistics.median(a / b for a, b in times)
    print(f"{rows} rows: oxysycl {ours:.1f} µs, ctypes {theirs:.1f} µs, ratio {ratio:.2f}")
