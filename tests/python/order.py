"""Launches run in turn on a queue that keeps no order by itself, among themselves and with what else the queue is given."""

import ctypes
import sys
import threading

import numpy

from caller import SCALE, Array, dpctl, function

scale = function(ctypes.CDLL(sys.argv[1]), "scale_forward_fp32", SCALE)
numel = 1 << 20
unordered = dpctl.SyclQueue("cpu")
assert not unordered.is_in_order


def scaled(array, factor, times):
    for _ in range(times):
        assert scale(unordered.addressof_ref(), array.address, array.address, factor, numel) == 0


ones = numpy.ones(numel, numpy.float32)
for _ in range(5):
    x, before, after = Array(ones), Array(ones), Array(ones)
    scaled(x, 2.0, 50)
    unordered.memcpy_async(before.memory, x.memory, ones.nbytes)
    scaled(x, 2.0, 50)
    unordered.memcpy_async(after.memory, x.memory, ones.nbytes)
    scaled(x, 0.5, 100)
    unordered.wait()
    assert (x.numpy() == 1).all()
    assert (before.numpy() == 2.0**50).all() and (after.numpy() == 2.0**100).all()

# Threads that share a queue take turns. In whatever order they do, no product is too large.
x = Array(ones)
threads = [threading.Thread(target=scaled, args=(x, factor, 50)) for factor in [2.0, 0.5, 2.0]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
unordered.wait()
assert (x.numpy() == 2.0**50).all()
