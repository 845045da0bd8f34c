"""Where arrays are put, and operators as formulas of numpy in double precision."""

import math

import dpctl
import ml_dtypes
import numpy

import oxysycl
import oxysycl.usm

ops = oxysycl.ops
BF16 = numpy.dtype(ml_dtypes.bfloat16)
FLOATS = [numpy.dtype("float32"), numpy.dtype("float16"), BF16]
HALVES = FLOATS[1:]
QUEUE = dpctl.SyclQueue("cpu")


class Numpy:
    """Arrays of numpy: the native function."""

    put = staticmethod(lambda array: array)
    get = staticmethod(lambda array: array)


class Usm:
    """Arrays on the CPU device."""

    put = staticmethod(lambda array: oxysycl.usm.asarray(array, QUEUE))
    get = staticmethod(lambda array: array.numpy())


def torch():
    """Tensors on the host, where there is PyTorch."""
    import pytest

    module = pytest.importorskip("torch", reason="PyTorch is not installed")

    class Torch:
        @staticmethod
        def put(array):
            if array.dtype == BF16:
                return module.from_numpy(array.view(numpy.int16)).view(module.bfloat16)
            return module.from_numpy(array)

        @staticmethod
        def get(tensor):
            if tensor.dtype == module.bfloat16:
                return tensor.view(module.int16).numpy().view(BF16)
            return tensor.numpy()

    return Torch


def place(name):
    return torch() if name == "torch" else {"numpy": Numpy, "usm": Usm}[name]


def draw(shape, dtype, seed=7, low=-4, high=4):
    return numpy.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def wide(array):
    return array.astype(numpy.float64)


def unit(dtype):
    """Half the distance of neighbours, relative to the number."""
    return {4: 2.0**-24, 2: 2.0**-11 if dtype == numpy.float16 else 2.0**-8}[dtype.itemsize]


def assert_near(found, wanted, scale=None, single=2.0**-19):
    """`found` is `wanted` rounded to its type, and off by a few units of single precision of `scale` beside."""
    scale = numpy.abs(wanted) if scale is None else scale
    bound = numpy.abs(wanted) * unit(found.dtype) * 1.001 + scale * single + 2.0**-25 * (found.dtype == numpy.float16)
    error = numpy.abs(wide(found) - wanted)
    assert found.shape == wanted.shape
    assert (error <= bound).all(), f"off by {(error / numpy.maximum(bound, 1e-300)).max()} bounds"


def rms(x, weight, eps):
    return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * weight


def silu(x):
    return x / (1 + numpy.exp(-x))


ACTIVATIONS = [
    silu,
    lambda x: x * 0.5 * numpy.vectorize(math.erfc)(-x * math.sqrt(0.5)),
    lambda x: 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
]


def table(positions, dim):
    angles = numpy.random.default_rng(3).uniform(-9, 9, (positions, dim // 2))
    return numpy.concatenate([numpy.cos(angles), numpy.sin(angles)], axis=1).astype(numpy.float32)


def rotated(x, cos_sin, positions, neox, dim=None):
    """`x` of shape [tokens, heads, head_dim] in double precision, with its first `dim` elements rotated."""
    dim = cos_sin.shape[1] if dim is None else dim
    half, result = dim // 2, x.copy()
    first, second = (slice(0, half), slice(half, dim)) if neox else (slice(0, dim, 2), slice(1, dim, 2))
    for token, position in enumerate(positions):
        if 0 <= position < len(cos_sin):
            cos, sin = wide(cos_sin[position, :half]), wide(cos_sin[position, half:])
            u, v = x[token, :, first], x[token, :, second]
            result[token, :, first], result[token, :, second] = u * cos - v * sin, u * sin + v * cos
    return result
