"""Bad input: the exception that Python has for it, a message with the name, what is expected and what was found, no change."""

import dpctl
import numpy
import pytest
from support import Usm, draw, ops, torch

import oxysycl.usm

F32, F16 = numpy.dtype("float32"), numpy.dtype("float16")
x, weight = draw((4, 32), F32), draw(32, F32, 8)
codes = numpy.zeros((2, 4, 32), "int8")


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def misaligned(count):
    return numpy.zeros(count * 4 + 1, "uint8")[1:].view(F32)


REFUSED = [
    (lambda: ops.softmax(None), TypeError, "softmax: `input` must be an array .* it is a NoneType"),
    (lambda: ops.softmax([1.0]), TypeError, "it is a list"),
    (lambda: ops.softmax(x.astype("float64")), TypeError, "`input` holds float64, which no kernel knows"),
    (lambda: ops.softmax(x.astype(">f4")), TypeError, "`input` holds >f4"),
    (lambda: ops.softmax(x.astype("int32")), TypeError, "must hold float32, float16 or bfloat16; it holds int32"),
    (lambda: ops.rmsnorm(x, weight.astype(F16)), TypeError, "`weight` must hold float32, as `input` does; it holds float16"),
    (lambda: ops.gemma_rmsnorm(x, weight.astype(F16)), TypeError, "there is no float32 with float16; there is float32 with float32"),
    (lambda: ops.rmsnorm(x, weight[:5]), ValueError, r"`weight` must have the shape \[HIDDEN_SIZE = 32\]; it has \[5\]"),
    (lambda: ops.rmsnorm(x, x), ValueError, r"`weight` must have the shape \[HIDDEN_SIZE\]; it has \[4, 32\]"),
    (lambda: ops.softmax(x.T), ValueError, r"`input` has the strides \[1, 32\]; dimension -1 must have 1"),
    (lambda: ops.softmax(x[::-1]), ValueError, r"`input` has the strides \[-32, 1\], which must not be negative"),
    (lambda: ops.softmax(misaligned(32)), ValueError, "`input` does not begin at a whole element"),
    (lambda: ops.scale(x[:, :7], 1), ValueError, "first dimensions that do not lie one after the other"),
    (lambda: ops.add(x, x[:2]), ValueError, r"`b` has the shape \[2, 32\], whose first dimensions must be \[4, 32\], as those of `a`"),
    (lambda: ops.softmax(x, out=x[:, :16]), ValueError, r"`out` must have the shape \[num_rows = 4, width = 32\]; it has \[4, 16\]"),
    (lambda: ops.softmax(x, out=x.astype(F16)), TypeError, "`out` must hold float32, as `input` does"),
    (lambda: ops.softmax(x, out=read_only(x)), ValueError, "`out` is read-only, but it is written"),
    (lambda: ops.softmax(x[1:], out=x[:-1]), ValueError, "`output` overlaps `input`"),
    (lambda: ops.softmax(x, out=numpy.broadcast_to(x[0], (4, 32))), ValueError, "read-only|overlap"),
    (lambda: ops.act_and_mul(x[:, :5].copy(), 0), ValueError, r"must have the shape \[num_tokens = 4, 2 \* dim\]; it has \[4, 5\]"),
    (lambda: ops.act_and_mul(x, 3), ValueError, "`act_kind` is 3; it must be 0, 1 or 2"),
    (lambda: ops.act_and_mul(x, 2**80), ValueError, f"`act_kind` is {2**80}, which no i32 holds"),
    (lambda: ops.act_and_mul(x, 0.5), TypeError, "`act_kind` must be an integer"),
    (lambda: ops.rmsnorm(x, weight, eps="1"), TypeError, "`eps` must be a float"),
    (lambda: ops.rmsnorm(x, weight, eps=None, out=3), TypeError, "`out` must be an array"),
    (lambda: ops.timestep_embedding(weight, -3), ValueError, "dim = -3"),
    (lambda: ops.timestep_embedding(weight, 8, 1), TypeError, "`flip_sin_to_cos` must be a bool"),
    (lambda: ops.argmax(x[:, :0]), ValueError, "width > 0 must hold: a row without elements has no largest one"),
    (lambda: ops.silu_and_mul_clamp(x, -1), ValueError, "limit >= 0.0 must hold"),
    (lambda: ops.cast(x), TypeError, "`dtype` is needed where no result is given"),
    (lambda: ops.cast(x, "float64"), TypeError, "`dtype` holds float64"),
    (lambda: ops.cast(x, F16, out=x.copy()), TypeError, "`dtype` is float16, but the result that is given holds float32"),
    (lambda: ops.dequant_int8_per_group(codes, x, "float16"), ValueError, "`scales` .* must be"),
    (lambda: ops.rmsnorm(x), TypeError, "missing 1 required positional argument: 'weight'"),
    (lambda: ops.softmax(x, x), TypeError, "takes 1 positional argument"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_on_the_host(number):
    call, error, text = REFUSED[number]
    before = x.copy(), weight.copy()
    with pytest.raises(error, match=text):
        call()
    assert (x == before[0]).all() and (weight == before[1]).all()


def test_on_a_device():
    a = Usm.put(x)
    for call, error, text in [
        (lambda: ops.softmax(a[1:], out=a[:-1]), ValueError, "softmax: output overlaps input"),
        (lambda: ops.softmax(a[:, ::2]), ValueError, "dimension -1 must have 1"),
        (lambda: ops.softmax(a, out=Usm.put(x[:, :16])), ValueError, "`out` must have the shape"),
        (lambda: ops.rmsnorm(a, weight), ValueError, "`weight` is on the host, but the first array is in memory of the queue"),
        (lambda: ops.softmax(a, out=oxysycl.usm.asarray(x, dpctl.SyclQueue("cpu"))), ValueError, "on one queue"),
    ]:
        with pytest.raises(error, match=text):
            call()
    assert (a.numpy() == x).all()


def test_memory_without_a_queue():
    class Nowhere:
        dtype = F32
        __sycl_usm_array_interface__ = {**Usm.put(x).__sycl_usm_array_interface__, "syclobj": "cpu"}

    with pytest.raises(TypeError, match="belongs to no queue"):
        ops.softmax(Nowhere())


def test_interfaces_that_lie():
    for wrong in [{}, {"data": None}, {"data": (0, False), "shape": (1,)}]:

        class Broken:
            dtype = F32
            __array_interface__ = wrong

        with pytest.raises((TypeError, ValueError)):
            ops.softmax(Broken())


def test_tensors():
    torch()
    import torch as module

    tensor = module.ones(4, 32, requires_grad=True)
    with pytest.raises(ValueError, match="`input` requires a gradient"):
        ops.softmax(tensor)
    with module.no_grad():
        assert ops.softmax(tensor).shape == (4, 32)
    with pytest.raises(ValueError, match="must be a dense tensor"):
        ops.softmax(module.eye(3).to_sparse())
    with pytest.raises(ValueError, match="is on meta"):
        ops.softmax(module.ones(3, device="meta"))
