"""Right numbers, whatever the strides and addresses."""

import ctypes
import sys

import numpy

from caller import HIDDEN_SIZE, NORM, SCALE, Array, device_queue, dpctl, function, halves, queue

norm = function(ctypes.CDLL(sys.argv[1]), "rmsnorm_forward_fp16_4096", NORM)
scale = function(ctypes.CDLL(sys.argv[2]), "scale_forward_fp16", SCALE)


def rows(flat, count, stride):
    """The rows of `count` that lie `stride` apart, and what lies between them."""
    padded = numpy.pad(flat, (0, count * stride - flat.size), constant_values=77).reshape(count, stride)
    return padded[:, :HIDDEN_SIZE], padded[:, HIDDEN_SIZE:]


def strided(contents, stride):
    """Rows that lie `stride` apart, with 77 between them, and nothing behind the last one."""
    padded = numpy.full((len(contents), stride), 77, numpy.float16)
    padded[:, :HIDDEN_SIZE] = contents
    return padded.ravel()[: (len(contents) - 1) * stride + HIDDEN_SIZE]


def expected(x, weight):
    x = x.astype(numpy.float64)
    return x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * weight.astype(numpy.float64)


def is_near(found, wanted):
    # Half a unit in the last place from rounding, and a little from the sum in single precision.
    return (numpy.abs(found - wanted) <= numpy.abs(wanted) * 2.0**-10.9 + 2.0**-24).all()


def check_norm(count, input_stride, output_stride, offset):
    x, weight = halves(count, HIDDEN_SIZE), halves(HIDDEN_SIZE)
    source = Array(strided(x, input_stride), offset)
    factors = Array(weight)
    target = Array(strided(numpy.zeros_like(x), output_stride), offset)
    code = norm(queue, source.address, factors.address, target.address, count, input_stride, output_stride, 1e-6)
    assert code == 0, code
    found, between = rows(target.numpy(), count, output_stride)
    assert is_near(found, expected(x, weight)), (count, input_stride, output_stride, offset)
    assert (between == 77).all() and source.is_untouched() and factors.is_untouched()


for count in [1, 2, 33]:
    for input_stride, output_stride in [(0, 0), (8, 16), (3, 0), (0, 1)]:
        for offset in [0, 1, 8]:
            check_norm(count, HIDDEN_SIZE + input_stride, HIDDEN_SIZE + output_stride, offset)

# In place.
x, weight = halves(5, HIDDEN_SIZE), halves(HIDDEN_SIZE)
both, factors = Array(x), Array(weight)
assert norm(queue, both.address, factors.address, both.address, 5, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6) == 0
assert is_near(both.numpy().reshape(5, HIDDEN_SIZE), expected(x, weight))

# No rows are none, wherever they are.
assert norm(queue, None, None, None, 0, HIDDEN_SIZE, HIDDEN_SIZE, 1e-6) == 0
assert scale(queue, None, None, 1.5, 0) == 0

for numel in [1, 7, 8, 1000, 4097]:
    for offset in [0, 1, 8]:
        x = halves(numel)
        source, target = Array(x, offset), Array(numpy.zeros_like(x), offset)
        assert scale(queue, source.address, target.address, 1.7, numel) == 0
        wanted = (x.astype(numpy.float32) * numpy.float32(1.7)).astype(numpy.float16)
        assert (target.numpy().view(numpy.uint16) == wanted.view(numpy.uint16)).all(), (numel, offset)

# Each of several devices is asked for itself.
for part in device_queue.sycl_device.create_sub_devices(partition=[1]):
    part_queue = dpctl.SyclQueue(part, property="in_order")
    x = halves(1000)
    device_queue.wait()
    memory = dpctl.memory.MemoryUSMShared(x.nbytes, queue=part_queue)
    memory.copy_from_host(x.view(numpy.uint8))
    assert scale(part_queue.addressof_ref(), memory._pointer, memory._pointer, 2.0, x.size) == 0
    part_queue.wait()
    assert (memory.copy_to_host().view(numpy.float16) == x * 2).all()
