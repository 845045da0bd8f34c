"""The calls that sgl-kernel-xpu's wrappers make: its symbols, its argument lists, and no result that anybody looks at."""

import ctypes
import sys

import numpy

from caller import Array, function, halves, queue

pointer, i32, u32, i64, real = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64, ctypes.c_float
rmsnorm, qknorm, rope, activation, embedding = (ctypes.CDLL(path) for path in sys.argv[1:])

# The lists of `_argtypes` in python/sgl_kernel/jit/{norm,rope,activation,timestep_embedding}.py.
RMSNORM = [pointer] * 4 + [i64] * 3 + [real]
QKNORM = [pointer] * 5 + [i64] * 2 + [u32] * 3 + [real]
ROPE = [pointer] * 5 + [i64] * 3 + [u32] * 3
ROPE_STORE = [pointer] * 9 + [i64] * 5 + [u32] * 3
ACTIVATION = [pointer] * 3 + [i64] * 2 + [i32]
EMBEDDING = [pointer] * 3 + [ctypes.c_int, ctypes.c_bool, real, real, ctypes.c_int, ctypes.c_int]


def declared(library, name, argtypes):
    return function(library, name, argtypes, restype=None)


def wide(x):
    return x.astype(numpy.float64)


def near(found, wanted, spare=2.0**-18):
    """Half a unit in the last place of fp16 from rounding, and a little from single precision."""
    return (numpy.abs(wide(found) - wanted) <= numpy.abs(wanted) * 2.0**-10.9 + spare).all()


def normalised(x, weight, eps):
    x = wide(x)
    return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * wide(weight)


def check_rmsnorm():
    call = declared(rmsnorm, "rmsnorm_forward_fp16_1536", RMSNORM)
    x, weight = halves(7, 1536), halves(1536)
    source, factors, target = Array(x), Array(weight), Array(numpy.zeros_like(x))
    call(queue, source.address, factors.address, target.address, 7, 1536, 1536, 1e-6)
    assert near(target.numpy().reshape(7, 1536), normalised(x, weight, 1e-6))


def check_qknorm():
    call = declared(qknorm, "qknorm_forward_fp16_128", QKNORM)
    for q_heads, kv_heads in [(4, 2), (8, 1), (3, 0)]:
        q, k = halves(5, q_heads, 128), halves(5, kv_heads, 128) + numpy.float16(1)
        weights = halves(128), halves(128) + numpy.float16(0.5)
        a, b, w, u = Array(q), Array(k), Array(weights[0]), Array(weights[1])
        call(queue, a.address, b.address, w.address, u.address, q_heads * 128, kv_heads * 128, q_heads, kv_heads, 5, 1e-5)
        assert near(a.numpy().reshape(q.shape), normalised(q, weights[0], 1e-5)), (q_heads, kv_heads)
        assert near(b.numpy().reshape(k.shape), normalised(k, weights[1], 1e-5)), (q_heads, kv_heads)


ROPE_DIM = 80


def table(rows):
    angles = numpy.random.default_rng(3).uniform(-9, 9, (rows, ROPE_DIM // 2))
    return numpy.concatenate([numpy.cos(angles), numpy.sin(angles)], axis=1).astype(numpy.float32)


def rotated(x, cos_sin, positions, neox):
    """Rotated heads [tokens, heads, head_dim]; tokens with a negative position stay as they are."""
    half, result = ROPE_DIM // 2, wide(x)
    first, second = (slice(0, half), slice(half, 2 * half)) if neox else (slice(0, 2 * half, 2), slice(1, 2 * half, 2))
    for token, position in enumerate(positions):
        if position >= 0:
            cos, sin = wide(cos_sin[position, :half]), wide(cos_sin[position, half:])
            u, v = wide(x[token, :, first]), wide(x[token, :, second])
            result[token, :, first], result[token, :, second] = u * cos - v * sin, u * sin + v * cos
    return result


def check_rope(neox, index):
    tag = "i32" if index is numpy.int32 else "i64"
    call = declared(rope, f"fused_rope_{str(neox).lower()}_{ROPE_DIM}_fp16_{tag}", ROPE)
    cos_sin, positions = table(11), numpy.array([5, 0, 10, -1, 3], index)
    for q_heads, kv_heads, head_dim in [(4, 2, ROPE_DIM), (3, 1, 96), (2, 0, ROPE_DIM)]:
        q, k = halves(5, q_heads, head_dim), -halves(5, kv_heads, head_dim)
        a, b, c, p = Array(q), Array(k), Array(cos_sin), Array(positions)
        call(
            queue, a.address, b.address, c.address, p.address,
            q_heads * head_dim, kv_heads * head_dim, head_dim, q_heads, kv_heads, 5,
        )  # fmt: skip
        assert near(a.numpy().reshape(q.shape), rotated(q, cos_sin, positions, neox)), (neox, tag, q_heads)
        assert near(b.numpy().reshape(k.shape), rotated(k, cos_sin, positions, neox)), (neox, tag, q_heads)


def check_rope_store(neox, index):
    tag = "i32" if index is numpy.int32 else "i64"
    call = declared(rope, f"fused_rope_store_{str(neox).lower()}_{ROPE_DIM}_fp16_{tag}", ROPE_STORE)
    cos_sin, positions = table(11), numpy.array([5, 0, 10, 2, 3], index)
    slots = numpy.array([6, 0, -1, 2, 1], index)
    for q_heads, kv_heads, head_dim in [(4, 2, ROPE_DIM), (3, 1, 96)]:
        q, k, v = halves(5, q_heads, head_dim), -halves(5, kv_heads, head_dim), 2 * halves(5, kv_heads, head_dim)
        caches = numpy.full((8, kv_heads, head_dim), 77, numpy.float16)
        a, b, c = Array(q), Array(k), Array(v)
        k_cache, v_cache = Array(caches), Array(caches)
        t, p, s = Array(cos_sin), Array(positions), Array(slots)
        call(
            queue, a.address, b.address, c.address, k_cache.address, v_cache.address, t.address, p.address, s.address,
            q_heads * head_dim, kv_heads * head_dim, kv_heads * head_dim, head_dim, kv_heads * head_dim,
            q_heads, kv_heads, 5,
        )  # fmt: skip
        keys = rotated(k, cos_sin, positions, neox)
        assert near(a.numpy().reshape(q.shape), rotated(q, cos_sin, positions, neox)), (neox, tag)
        assert near(b.numpy().reshape(k.shape), keys), (neox, tag)
        stored, wanted = b.numpy().reshape(k.shape), [caches.copy(), caches.copy()]
        for token, slot in enumerate(slots):
            if slot >= 0:
                wanted[0][slot], wanted[1][slot] = stored[token], v[token]
        assert (k_cache.numpy().reshape(caches.shape) == wanted[0]).all(), "keys, with their unrotated tails"
        assert (v_cache.numpy().reshape(caches.shape) == wanted[1]).all(), "values"


def check_activation():
    call = declared(activation, "act_and_mul_forward_fp16", ACTIVATION)
    erf = numpy.vectorize(__import__("math").erf)
    acts = [
        lambda x: x / (1 + numpy.exp(-x)),
        lambda x: x * 0.5 * (1 + erf(x * numpy.sqrt(0.5))),
        lambda x: 0.5 * x * (1 + numpy.tanh(numpy.sqrt(2 / numpy.pi) * (x + 0.044715 * x**3))),
    ]
    for dim in [1, 7, 128, 1000]:
        for kind, act in enumerate(acts):
            x = halves(3, 2 * dim)
            source, target = Array(x), Array(numpy.zeros((3, dim), numpy.float16))
            call(queue, source.address, target.address, 3, dim, kind)
            assert near(target.numpy().reshape(3, dim), act(wide(x[:, :dim])) * wide(x[:, dim:])), (dim, kind)
    source, target = Array(halves(3, 8)), Array(numpy.zeros((3, 4), numpy.float16))
    call(queue, source.address, target.address, 3, 4, 3)
    assert target.is_untouched(), "there is no fourth activation"


def check_embedding():
    call = declared(embedding, "timestep_embedding_forward_fp32", EMBEDDING)
    for dim, flip, shift in [(256, False, 0.0), (64, True, 1.0), (7, False, 0.0)]:
        t = numpy.array([0, 1, 2.5, 40], numpy.float32)
        source, target = Array(t), Array(numpy.full((4, dim), 77, numpy.float32))
        call(queue, source.address, target.address, dim, flip, shift, 1.5, 10000, 4)
        half = dim // 2
        angles = 1.5 * wide(t)[:, None] * 10000.0 ** (-numpy.arange(half) / (half - shift))
        parts = [numpy.cos(angles), numpy.sin(angles)] if flip else [numpy.sin(angles), numpy.cos(angles)]
        wanted = numpy.concatenate(parts + [numpy.zeros((4, dim % 2))], axis=1)
        # Angles of up to 60, each off by some units in the last place of single precision.
        assert numpy.abs(target.numpy().reshape(4, dim) - wanted).max() < 60 * 2.0**-20, (dim, flip, shift)


check_rmsnorm()
check_qknorm()
for neox in [True, False]:
    for index in [numpy.int32, numpy.int64]:
        check_rope(neox, index)
        check_rope_store(neox, index)
check_activation()
check_embedding()
