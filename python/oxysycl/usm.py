"""Arrays in USM, for those who have dpctl and no library of arrays on top of it.

    >>> x = oxysycl.usm.asarray(numpy.ones((33, 4096), "float16"))
    >>> oxysycl.ops.softmax(x).numpy()

They know their shape, strides and queue, and compute nothing.
"""

import math
from collections.abc import Sequence
from typing import Any

import dpctl
import dpctl.memory
import numpy

__all__ = ["Array", "asarray", "empty"]


class Array:
    """An array in device memory. Slices are views of the same memory.

    Attributes:
        memory: The ``dpctl.memory`` object that it lies in.
        sycl_queue: The queue that it belongs to.
        shape: Number of positions in each dimension.
        dtype: The type of the elements, as numpy has it.
    """

    def __init__(self, memory: Any, layout: numpy.ndarray, origin: int) -> None:
        self.memory = memory
        self.sycl_queue = memory.sycl_queue
        self.shape = layout.shape
        self.dtype = layout.dtype
        # An array of numpy with the same shape and strides, whose elements nobody looks at, and the address of the first
        # element of its whole: slicing is numpy's.
        self._layout = layout
        self._origin = origin
        self._offset = layout.__array_interface__["data"][0] - origin
        self.__sycl_usm_array_interface__ = {
            "data": (memory._pointer + self._offset, False),
            "shape": layout.shape,
            "strides": tuple(stride // layout.itemsize for stride in layout.strides),
            "typestr": layout.dtype.str,
            "version": 1,
            "syclobj": self.sycl_queue,
        }

    def __getitem__(self, index: Any) -> "Array":
        """The part of it that integers, slices, ``...`` and ``None`` select.

        Raises:
            TypeError: the index selects single elements, which would be a copy.
        """
        parts = index if isinstance(index, tuple) else (index,)
        if not all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts):
            raise TypeError("an index must be made of integers, slices, ... and None")
        view = self._layout[(*parts, *([] if ... in parts else [...]))]
        return Array(self.memory, view, self._origin)

    def numpy(self) -> numpy.ndarray:
        """A copy on the host, once everything that was submitted to the queue has run."""
        self.sycl_queue.wait()
        if self._layout.size == 0:
            return numpy.empty(self.shape, self.dtype)
        host = self.memory.copy_to_host()
        return numpy.ndarray(self.shape, self.dtype, host, self._offset, self._layout.strides).copy()

    def __repr__(self) -> str:
        return f"oxysycl.usm.Array({self.numpy()!r}, on {self.sycl_queue.sycl_device.name})"


def empty(shape: Sequence[int], dtype: Any = "float32", queue: dpctl.SyclQueue | None = None) -> Array:
    """An array whose elements are whatever was there.

    Args:
        shape: Number of positions in each dimension.
        dtype: The type of the elements, as numpy has it.
        queue: A ``dpctl.SyclQueue``; without it, the one that dpctl keeps for its default device.
    """
    if queue is None:
        queue = dpctl.get_device_cached_queue(dpctl.select_default_device())
    dtype = numpy.dtype(dtype)
    element = numpy.empty(1, dtype)
    count = math.prod(shape)
    layout = numpy.lib.stride_tricks.as_strided(element, shape, _dense(shape, dtype.itemsize))
    memory = dpctl.memory.MemoryUSMDevice(max(count * dtype.itemsize, 1), queue=queue)
    return Array(memory, layout, element.__array_interface__["data"][0])


def asarray(array: Any, queue: dpctl.SyclQueue | None = None) -> Array:
    """A copy of an array of numpy.

    Args:
        array: Whatever ``numpy.asarray`` takes.
        queue: A ``dpctl.SyclQueue``; without it, the one that dpctl keeps for its default device.
    """
    array = numpy.asarray(array, order="C")
    copy = empty(array.shape, array.dtype, queue)
    if array.size:
        copy.memory.copy_from_host(array.reshape(-1).view(numpy.uint8))
    return copy


def _dense(shape: Sequence[int], size: int) -> tuple[int, ...]:
    strides = []
    for extent in reversed(shape):
        strides.append(size)
        size *= max(extent, 1)
    return tuple(reversed(strides))
