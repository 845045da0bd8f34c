"""Every operator, natively and on a device, against formulas of numpy in double precision."""

import numpy
import pytest
from support import (
    ACTIVATIONS,
    FLOATS,
    HALVES,
    assert_near,
    draw,
    ops,
    place,
    rms,
    rotated,
    silu,
    table,
    wide,
)


def elementwise(call, formula, count):
    def case(at, dtype):
        arrays = [draw((3, 5, 7), dtype, seed) for seed in range(count)]
        found = at.get(call(*map(at.put, arrays)))
        assert found.dtype == dtype
        assert_near(found, formula(*map(wide, arrays)))

    return case


def rows(call, formula, width=256, tokens=(2, 5), single=2.0**-19):
    def case(at, dtype):
        x = draw((*tokens, width), dtype)
        put = at.put(x)
        wanted = formula(wide(x))
        assert_near(at.get(call(put)), wanted, single=single)
        out = at.put(numpy.zeros(wanted.shape, dtype))
        assert call(put, out=out) is out
        assert_near(at.get(out), wanted, single=single)

    return case


def rmsnorm(at, dtype):
    x, weight = draw((2, 5, 256), dtype), draw(256, dtype, 8)
    put, factors = at.put(x), at.put(weight)
    wanted = rms(wide(x), wide(weight), 1e-6)
    assert_near(at.get(ops.rmsnorm(put, factors)), wanted)
    assert_near(at.get(ops.rmsnorm(put, factors, eps=0.5)), rms(wide(x), wide(weight), 0.5))
    in_place = at.put(x.copy())
    assert ops.rmsnorm(in_place, factors, out=in_place) is in_place
    assert_near(at.get(in_place), wanted)


def gemma_rmsnorm(at, dtype):
    x, weight = draw((7, 128), dtype), draw(128, numpy.dtype("float32"), 8)
    found = at.get(ops.gemma_rmsnorm(at.put(x), at.put(weight)))
    assert_near(found, rms(wide(x), 1 + wide(weight), 1e-6))


def fused(call, offset):
    def case(at, dtype):
        x, residual, weight = draw((3, 128), dtype), draw((3, 128), dtype, 8), draw(128, dtype, 9)
        a, b = at.put(x.copy()), at.put(residual.copy())
        assert call(a, b, at.put(weight)) is None
        stored = at.get(b)
        assert_near(stored, wide(x) + wide(residual))
        assert_near(at.get(a), rms(wide(stored), offset + wide(weight), 1e-6))

    return case


def layernorm(at, dtype):
    x, weight, bias = draw((4, 96), dtype) + dtype.type(2), draw(96, dtype, 8), draw(96, dtype, 9)
    centred = wide(x) - wide(x).mean(axis=-1, keepdims=True)
    plain = centred / numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-6)
    put, factors, offsets = at.put(x), at.put(weight), at.put(bias)
    size = numpy.abs(plain * wide(weight)) + numpy.abs(wide(bias)) + numpy.abs(wide(weight))
    assert_near(at.get(ops.layernorm(put, factors, offsets)), plain * wide(weight) + wide(bias), size)
    assert_near(at.get(ops.layernorm(put, factors)), plain * wide(weight), size)
    assert_near(at.get(ops.layernorm(put)), plain, numpy.abs(plain) + 1)


def act_and_mul(at, dtype):
    x = draw((3, 2 * 50), dtype)
    gate, up = wide(x[:, :50]), wide(x[:, 50:])
    put = at.put(x)
    for kind, act in enumerate(ACTIVATIONS):
        assert_near(at.get(ops.act_and_mul(put, kind)), act(gate) * up, numpy.abs(gate * up))


def clamped(x):
    gate, up = numpy.split(x, 2, axis=-1)
    return silu(numpy.minimum(gate, 2)) * numpy.clip(up, -2, 2)


def interleaved(x):
    g, u = numpy.minimum(x[..., 0::2], 2), numpy.clip(x[..., 1::2], -2, 2)
    return g / (1 + numpy.exp(-1.5 * g)) * (u + 1)


def softmax(x):
    powers = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def cumsum(at, dtype):
    x = draw((3, 70), dtype)
    wanted = numpy.cumsum(wide(x), axis=-1)
    assert_near(at.get(ops.cumsum(at.put(x))), wanted, numpy.cumsum(numpy.abs(wide(x)), axis=-1))


def argmax(at, dtype):
    x = draw((2, 3, 70), dtype)
    x[1, 2, 5] = x[1, 2, 40] = 9
    put, wanted = at.put(x), numpy.argmax(x.astype("float32"), axis=-1)
    found = at.get(ops.argmax(put))
    assert found.dtype == numpy.int64 and (found == wanted).all()
    out = at.put(numpy.zeros((2, 3), numpy.int32))
    assert ops.argmax(put, out=out) is out and (at.get(out) == wanted).all()


def cast(at, dtype):
    x = draw((5, 9), numpy.dtype("float32"))
    put = at.put(x)
    found = at.get(ops.cast(put, dtype.name))
    assert found.dtype == dtype and (found == x.astype(dtype)).all()
    out = at.put(numpy.zeros((5, 9), dtype))
    assert (at.get(ops.cast(put, out=out)) == found).all()


def quantised(at, dtype):
    x = draw((2, 3, 4, 32), dtype)
    x[0, 1, 2] = 0
    codes, scales = ops.per_token_group_quant_int8(at.put(x), 1e-10)
    found, sizes = at.get(codes), at.get(scales)
    assert found.dtype == numpy.int8 and found.shape == x.shape
    wanted = numpy.maximum(numpy.abs(wide(x)).max(axis=-1), 1e-10) / 127
    assert_near(sizes, wanted)
    assert (numpy.abs(found - wide(x) / wanted[..., None]) <= 0.5 + 1e-4).all()
    return codes, scales, found, sizes


def per_token_group_quant_int8(at, dtype):
    quantised(at, dtype)


def dequant_int8_per_group(at, dtype):
    codes, scales, found, sizes = quantised(at, dtype)
    wanted = found.astype("float64") * wide(sizes)[..., None]
    assert_near(at.get(ops.dequant_int8_per_group(codes, scales, dtype.name)), wanted)


def qknorm(at, dtype):
    q, k, weights = draw((5, 4, 64), dtype), draw((5, 1, 64), dtype, 8), draw((2, 64), dtype, 9)
    a, b = at.put(q.copy()), at.put(k.copy())
    ops.qknorm(a, b, at.put(weights[0].copy()), at.put(weights[1].copy()), eps=1e-5)
    assert_near(at.get(a), rms(wide(q), wide(weights[0]), 1e-5))
    assert_near(at.get(b), rms(wide(k), wide(weights[1]), 1e-5))


POSITIONS = numpy.array([5, 0, 10, -1, 3])


def fused_rope(at, dtype):
    for neox, index in [(True, "int64"), (False, "int32")]:
        q, k, cos_sin = draw((5, 3, 64), dtype), draw((5, 2, 64), dtype, 8), table(11, 64)
        a, b = at.put(q.copy()), at.put(k.copy())
        ops.fused_rope(a, b, at.put(cos_sin), at.put(POSITIONS.astype(index)), neox=neox)
        assert_near(at.get(a), rotated(wide(q), cos_sin, POSITIONS, neox), 8)
        assert_near(at.get(b), rotated(wide(k), cos_sin, POSITIONS, neox), 8)


def fused_rope_store(at, dtype):
    q, k, v = draw((5, 3, 72), dtype), draw((5, 2, 72), dtype, 8), draw((5, 2, 72), dtype, 9)
    slots, cos_sin = numpy.array([6, 0, -1, 2, 1]), table(11, 64)
    a, b = at.put(q.copy()), at.put(k.copy())
    caches = [at.put(numpy.full((8, 2, 72), 77, dtype)) for _ in "kv"]
    ops.fused_rope_store(a, b, at.put(v), *caches, at.put(cos_sin), at.put(POSITIONS), at.put(slots))
    assert_near(at.get(a), rotated(wide(q), cos_sin, POSITIONS, True, 64), 8)
    keys, stored = at.get(b), numpy.full((2, 8, 2, 72), 77, dtype)
    assert_near(keys, rotated(wide(k), cos_sin, POSITIONS, True, 64), 8)
    for token, slot in enumerate(slots):
        if slot >= 0 and POSITIONS[token] >= 0:
            stored[0, slot], stored[1, slot] = keys[token], v[token]
    assert (at.get(caches[0]) == stored[0]).all() and (at.get(caches[1]) == stored[1]).all()


def fused_qk_norm_rope(at, dtype):
    qkv, weights, cos_sin = draw((5, 3 + 2 + 2, 64), dtype), draw((2, 64), dtype, 8), table(11, 48)
    packed = at.put(qkv.copy())
    q_weight, k_weight = (at.put(weight.copy()) for weight in weights)
    ops.fused_qk_norm_rope(packed, q_weight, k_weight, at.put(cos_sin), at.put(POSITIONS), 3, 2)
    q, k, v = numpy.split(wide(qkv), [3, 5], axis=1)
    q, k = rms(q, wide(weights[0]), 1e-6), rms(k, wide(weights[1]), 1e-6)
    wanted = [rotated(heads, cos_sin, POSITIONS, True, 48) for heads in (q, k)]
    assert_near(at.get(packed), numpy.concatenate([*wanted, v], axis=1), 16)


def mrope(at, dtype):
    q, k, cos_sin = draw((5, 3, 32), dtype), draw((5, 2, 32), dtype, 8), table(11, 32)
    positions = numpy.array([POSITIONS, [0, 1, 2, 3, 4], [10, 9, 8, 7, 6]])
    a, b = at.put(q.copy()), at.put(k.copy())
    ops.mrope(a, b, at.put(cos_sin), at.put(positions), 4, 6, 6)
    # Each axis by itself, and of each what is its own.
    axis = numpy.repeat([0, 1, 2], [4, 6, 6])
    for found, x in [(a, q), (b, k)]:
        turned = [rotated(wide(x), cos_sin, one, True) for one in positions]
        wanted = numpy.choose(numpy.concatenate([axis, axis]), turned)
        assert_near(at.get(found), wanted, 8)


def timestep_embedding(at, dtype):
    t = numpy.array([0, 1, 2.5, 40], dtype)
    for dim, flip, shift in [(64, False, 1.0), (7, True, 0.0)]:
        half = dim // 2
        angles = 1.5 * wide(t)[:, None] * 10000.0 ** (-numpy.arange(half) / (half - shift))
        parts = [numpy.cos(angles), numpy.sin(angles)] if flip else [numpy.sin(angles), numpy.cos(angles)]
        wanted = numpy.concatenate(parts + [numpy.zeros((4, dim % 2))], axis=1)
        found = at.get(ops.timestep_embedding(at.put(t), dim, flip, shift, scale=1.5))
        # Angles of up to 60, each off by some units in the last place of single precision.
        assert found.dtype == numpy.float32 and numpy.abs(found - wanted).max() < 60 * 2.0**-20


CASES = {
    "act_and_mul": act_and_mul,
    "add": elementwise(ops.add, lambda a, b: a + b, 2),
    "argmax": argmax,
    "cast": cast,
    "cumsum": cumsum,
    "dequant_int8_per_group": dequant_int8_per_group,
    "fused_add_rmsnorm": fused(ops.fused_add_rmsnorm, 0),
    "fused_qk_norm_rope": fused_qk_norm_rope,
    "fused_rope": fused_rope,
    "fused_rope_store": fused_rope_store,
    "gemma_fused_add_rmsnorm": fused(ops.gemma_fused_add_rmsnorm, 1),
    "gemma_rmsnorm": gemma_rmsnorm,
    "l2norm": rows(ops.l2norm, lambda x: x / numpy.sqrt((x * x).sum(axis=-1, keepdims=True) + 1e-6)),
    "layernorm": layernorm,
    "mrope": mrope,
    "mul": elementwise(ops.mul, lambda a, b: a * b, 2),
    "per_token_group_quant_int8": per_token_group_quant_int8,
    "qknorm": qknorm,
    "rmsnorm": rmsnorm,
    "scale": elementwise(lambda x: ops.scale(x, 0.75), lambda x: x * 0.75, 1),
    "silu_and_mul_clamp": rows(lambda x, **out: ops.silu_and_mul_clamp(x, 2, **out), clamped),
    "softmax": rows(ops.softmax, softmax, single=2.0**-17),
    "swiglu_alpha_limit": rows(lambda x, **out: ops.swiglu_alpha_limit(x, 1.5, 2, **out), interleaved),
    "timestep_embedding": timestep_embedding,
}
WITHOUT_SINGLE = {"fused_qk_norm_rope", "fused_rope", "fused_rope_store", "mrope", "qknorm"}


def dtypes(name):
    return HALVES if name in WITHOUT_SINGLE else FLOATS


def test_every_operator_has_a_case():
    assert sorted(CASES) == ops.__all__


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("where", ["numpy", "torch"])
def test_natively(name, where):
    for dtype in dtypes(name):
        CASES[name](place(where), dtype)


@pytest.mark.parametrize("name", sorted(CASES))
def test_on_a_device(name):
    # One type each, in turn: what differs between types is tested with the kernels, by `check`.
    choices = dtypes(name)
    CASES[name](place("usm"), choices[sorted(CASES).index(name) % len(choices)])
