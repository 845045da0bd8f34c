"""A library that is only loaded does nothing: no device is looked for, no thread started, nothing written."""

import ctypes
import os
import sys

tasks, before = os.listdir("/proc/self/task"), set(os.listdir("."))
libraries = [ctypes.CDLL(path) for path in sys.argv[1:]]
assert os.listdir("/proc/self/task") == tasks
assert set(os.listdir(".")) == before
mapped = open("/proc/self/maps").read()
assert "libsycl.so" in mapped
for device in ["libur_adapter", "libOpenCL", "libintelocl"]:
    assert device not in mapped, device
