"""What every script here starts with: a queue, memory, and functions declared as sgl-kernel-xpu declares them."""

import ctypes

import dpctl
import dpctl.memory
import numpy

HIDDEN_SIZE = 4096

# queue, input, weight, output, num_tokens, input_stride, output_stride, eps
NORM = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 3 + [ctypes.c_float]
# queue, input, output, factor, numel
SCALE = [ctypes.c_void_p] * 3 + [ctypes.c_float, ctypes.c_int64]

device_queue = dpctl.SyclQueue("cpu", property="in_order")
queue = device_queue.addressof_ref()


class Array:
    """A numpy array's contents in device memory, behind a number of elements to be left alone."""

    def __init__(self, contents, offset=0):
        self.dtype, self.offset = contents.dtype, offset
        self.before = numpy.full(offset + contents.size, 77, contents.dtype)
        self.before[offset:] = contents.ravel()
        self.memory = dpctl.memory.MemoryUSMDevice(max(self.before.nbytes, 1), queue=device_queue)
        if self.before.size:
            self.memory.copy_from_host(self.before.view(numpy.uint8))
        self.address = self.memory._pointer + offset * contents.itemsize

    def numpy(self):
        """What is there once everything submitted has run."""
        device_queue.wait()
        host = numpy.empty_like(self.before)
        if host.size:
            self.memory.copy_to_host(host.view(numpy.uint8))
        assert (host[: self.offset] == 77).all(), "the elements in front were written to"
        return host[self.offset :]

    def is_untouched(self):
        return (self.numpy().view(numpy.uint8) == self.before[self.offset :].view(numpy.uint8)).all()


def function(library, name, argtypes, restype=ctypes.c_int32):
    found = getattr(library, name)
    found.argtypes, found.restype = argtypes, restype
    return found


def last_error(library, kernel):
    """A function that gives the reason for this thread's last refusal."""
    found = function(library, f"{kernel}_last_error", [], ctypes.c_char_p)
    return lambda: found().decode()


def halves(*shape):
    return numpy.random.default_rng(7).uniform(-4, 4, shape).astype(numpy.float16)
