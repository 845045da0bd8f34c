"""Arrays however they lie in memory: what kernels take gives the same bits as contiguous copies, the rest is refused."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import FLOATS, Usm, draw, ops, place

import oxysycl.usm

SETTINGS = settings(max_examples=60, deadline=None, database=None)


@st.composite
def matrices(draw_from):
    """An array with its memory, as slices, transpositions and reversals of a larger one leave it."""
    shape = draw_from(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    array = draw([extent + draw_from(st.integers(0, 2)) for extent in shape], numpy.dtype("float32"))
    steps = [draw_from(st.sampled_from([1, 1, 1, 2, -1])) for _ in shape]
    array = array[tuple(slice(None, None, step) for step in steps)]
    array = array[tuple(slice(0, extent) for extent in shape)]
    if draw_from(st.booleans()) and array.ndim > 1:
        array = array.transpose(draw_from(st.permutations(range(array.ndim))))
    return array


def fits(array):
    """Whether rows of a norm can lie like this."""
    if array.size == 0:
        return True
    if array.shape[-1] > 1 and array.strides[-1] != array.itemsize:
        return False
    outer = [(n, s) for n, s in zip(array.shape[:-1], array.strides[:-1]) if n > 1]
    return all(s == n2 * s2 for (_, s), (n2, s2) in zip(outer, outer[1:])) and all(s >= 0 for _, s in outer)


@SETTINGS
@given(matrices())
def test_rows_may_lie_apart_natively(array):
    if not fits(array):
        with pytest.raises(ValueError, match="make a copy"):
            ops.softmax(array)
        return
    found = ops.softmax(array)
    assert found.shape == array.shape and found.flags.c_contiguous
    assert (found == ops.softmax(array.copy())).all()


@SETTINGS
@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 5), st.integers(0, 9), st.booleans())
def test_rows_may_lie_apart_on_a_device(tokens, width, gap, offset, in_place):
    whole = draw((tokens + 1, width + gap + offset), numpy.dtype("float32"))
    on_device = oxysycl.usm.asarray(whole)
    part = on_device[1:, offset : offset + width]
    wanted = ops.softmax(whole[1:, offset : offset + width])
    if in_place:
        assert ops.softmax(part, out=part) is part
        found = on_device.numpy()
        numpy.testing.assert_allclose(found[1:, offset : offset + width], wanted, rtol=1e-5)
        # Whatever is around it stays.
        found[1:, offset : offset + width] = whole[1:, offset : offset + width]
        assert (found == whole).all()
    else:
        found = ops.softmax(part)
        assert found.shape == (tokens, width)
        numpy.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("where", ["numpy", "usm", "torch"])
def test_outer_dimensions_may_be_several_or_none(where):
    at = place(where)
    for dtype in FLOATS[:2]:
        x = draw((2, 3, 64), dtype)
        flat = at.get(ops.softmax(at.put(x.reshape(6, 64))))
        assert (at.get(ops.softmax(at.put(x))).reshape(6, 64) == flat).all()
        assert (at.get(ops.softmax(at.put(x[0, 0]))) == flat[0]).all()
    assert at.get(ops.scale(at.put(numpy.float32([[2, 3], [4, 5]])), 2)).tolist() == [[4, 6], [8, 10]]


@pytest.mark.parametrize("where", ["numpy", "usm"])
def test_heads_of_one_packed_array_lie_between_each_other(where):
    at = place(where)
    packed, weight = draw((5, 6, 64), FLOATS[1]), draw(64, FLOATS[1], 8)
    whole, factors = at.put(packed.copy()), at.put(weight)
    q, k = whole[:, :4], whole[:, 4:5]
    ops.qknorm(q, k, factors, factors)
    found = at.get(whole)
    a, b = packed[:, :4].copy(), packed[:, 4:5].copy()
    ops.qknorm(a, b, weight, weight)
    numpy.testing.assert_allclose(found[:, :4].astype("f4"), a.astype("f4"), rtol=2e-3)
    numpy.testing.assert_allclose(found[:, 4:5].astype("f4"), b.astype("f4"), rtol=2e-3)
    assert (found[:, 5] == packed[:, 5]).all()


@pytest.mark.parametrize("where", ["numpy", "usm", "torch"])
def test_nothing_is_a_good_array(where):
    at = place(where)
    x, weight = at.put(numpy.zeros((0, 64), "float32")), at.put(numpy.ones(64, "float32"))
    assert at.get(ops.rmsnorm(x, weight)).shape == (0, 64)
    assert at.get(ops.softmax(at.put(numpy.zeros((3, 0), "float32")))).shape == (3, 0)


def test_rows_read_may_be_one_row():
    row = draw(32, FLOATS[0])
    same = numpy.broadcast_to(row, (5, 32))
    assert (ops.softmax(same) == ops.softmax(row)).all()


def test_a_column_is_a_row_of_ones():
    column = draw((6, 4), FLOATS[0])[:, 1:2]
    assert (ops.softmax(column) == 1).all()


def test_slices_on_a_device_are_those_of_numpy():
    array = draw((4, 5, 6), FLOATS[0])
    on_device = Usm.put(array)
    for index in [..., 1, (1, 2), slice(1, 3), (..., 2), (slice(None), slice(4, 0, -2), None), (0, ..., slice(1, 2))]:
        assert (on_device[index].numpy() == array[index]).all()
    with pytest.raises(TypeError, match="integers, slices"):
        on_device[[1, 2]]
