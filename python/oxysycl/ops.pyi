# Written by tests/suite.rs with UPDATE=1 from the kernels' own descriptions.
from typing import Any, TypeVar

# An array of numpy or dpctl, or a tensor of PyTorch.
_Array = TypeVar("_Array")

__all__: list[str]

def act_and_mul(input: _Array, act_kind: int, *, out: _Array | None = None) -> _Array:
    """out = act(gate) · up, where each row of the input is `gate | up`.

    `act_kind` is 0 for `silu`, 1 for `gelu` and 2 for `gelu_tanh`; any other is refused. Computed in `f32`, rounded
    once.

    Args:
        input: [num_tokens..., 2 * dim] of float32, float16 or bfloat16.
        act_kind: A whole number that an i32 holds.
        out: [num_tokens..., dim] of float32, float16 or bfloat16.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def add(a: _Array, b: _Array, *, out: _Array | None = None) -> _Array:
    """out = a + b, element by element, rounded once.

    Args:
        a: [numel...] of float32, float16 or bfloat16.
        b: [numel...] of float32, float16 or bfloat16.
        out: [numel...] of float32, float16 or bfloat16.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def argmax(input: _Array, dtype: Any = None, *, out: _Array | None = None) -> _Array:
    """The place of the largest element of each row, the first of several that are equally large.

    As in PyTorch NaN is larger than any number, so that a row with NaNs gives the first of them. -0.0 and 0.0 are equal. A
    place beyond what `I` holds becomes the largest that it does. A row without elements has no largest one, and is refused.

    Args:
        input: [num_rows..., width] of float32, float16 or bfloat16; rows may lie apart.
        dtype: The type of the result's elements, int32 or int64; int64 where nothing says so.
        out: [num_rows...] of int32 or int64.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def cast(input: _Array, dtype: Any = None, *, out: _Array | None = None) -> _Array:
    """out = in in another type: the nearest number, of two equally near ones the even one; beyond the largest, infinity.

    Args:
        input: [numel...] of float32, float16 or bfloat16.
        dtype: The type of the result's elements, float32, float16 or bfloat16; needed where no result is given.
        out: [numel...] of float32, float16 or bfloat16.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def cumsum(input: _Array, *, out: _Array | None = None) -> _Array:
    """yᵢ = x₀ + x₁ + … + xᵢ, row by row.

    Sums are `f32`, and each is rounded once, in place too. They are added in no fixed order, so that a sum may be off by half
    an ULP of Σ|x| for each addition in it. A NaN or infinity spoils the sums from there on.

    Args:
        input: [num_rows..., width] of float32, float16 or bfloat16; rows may lie apart.
        out: [num_rows..., width] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def dequant_int8_per_group(codes: _Array, scales: _Array, dtype: Any = None, *, out: _Array | None = None) -> _Array:
    """out = code · scale, with one scale for each group of `GROUP_SIZE` neighbours: what
    `per_token_group_quant_int8` has taken apart.

    Products are `f32`, and rounded once more where the output is narrower.

    Args:
        codes: [num_tokens..., num_groups, GROUP_SIZE] of int8; rows may lie apart.
        scales: [num_tokens..., num_groups] of float32; rows may lie apart.
        dtype: The type of the result's elements, float32, float16 or bfloat16; needed where no result is given.
        out: [num_tokens..., num_groups, GROUP_SIZE] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def fused_add_rmsnorm(input: _Array, residual: _Array, weight: _Array, eps: float = 1e-6) -> None:
    """residual = residual + input; input = residual / sqrt(mean(residual²) + eps) · weight, row by row.

    What is normalised is the residual as it was stored, so that the result is that of
    `rmsnorm` on it.

    Args:
        input: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart; written in place.
        residual: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart; written in place.
        weight: [HIDDEN_SIZE] of float32, float16 or bfloat16.
        eps: A number, rounded to float32.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def fused_qk_norm_rope(qkv: _Array, q_weight: _Array, k_weight: _Array, cos_sin_cache: _Array, positions: _Array, num_qo_heads: int, num_kv_heads: int, neox: bool = True, eps: float = 1e-6) -> None:
    """Normalises every query and key head of a packed `q | k | v` as `qknorm` does, and rotates the
    first `rope_dim` elements as `fused_rope` does, in place; values stay as they are.

    `rope_dim` is even and no more than `HEAD_DIM`. Between the two nothing is rounded. A token whose position is that of no row of the table is normalised and not rotated.

    Args:
        qkv: [num_tokens..., num_qo_heads + num_kv_heads + num_kv_heads, HEAD_DIM] of float16 or bfloat16; rows may lie apart; written in place.
        q_weight: [HEAD_DIM] of float16 or bfloat16.
        k_weight: [HEAD_DIM] of float16 or bfloat16.
        cos_sin_cache: [num_positions, rope_dim] of float32.
        positions: [num_tokens...] of int32 or int64.
        num_qo_heads: A whole number that a u32 holds.
        num_kv_heads: A whole number that a u32 holds.
        neox: A truth value.
        eps: A number, rounded to float32.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def fused_rope(q: _Array, k: _Array, cos_sin_cache: _Array, positions: _Array, neox: bool = True) -> None:
    """Rotates the first `ROPE_DIM` elements of every query and key head by the angles of the token's position.

    With `h = ROPE_DIM / 2`, of an even `ROPE_DIM`, and the table's row `cos[0..h], sin[0..h]` of the position, each pair becomes
    `(u · cos − v · sin, u · sin + v · cos)`: pairs are `(i, i + h)` if `NEOX`, else `(2i, 2i + 1)`. Products and sums are
    `f32`, results are rounded once. A token whose position is that of no row of the table is left alone.

    The drop-in knows one stride of heads, and no length of the table: there negative positions are skipped, and the caller
    vouches for the others.

    Args:
        q: [num_tokens..., num_qo_heads, ROPE_DIM] of float16 or bfloat16; rows may lie apart; written in place.
        k: [num_tokens..., num_kv_heads, ROPE_DIM] of float16 or bfloat16; rows may lie apart; written in place.
        cos_sin_cache: [num_positions, ROPE_DIM] of float32.
        positions: [num_tokens...] of int32 or int64.
        neox: A truth value.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def fused_rope_store(q: _Array, k: _Array, v: _Array, k_cache: _Array, v_cache: _Array, cos_sin_cache: _Array, positions: _Array, out_loc: _Array, neox: bool = True) -> None:
    """Rotates the first `ROPE_DIM` elements of every query and key head as `fused_rope`
    does, and stores the rotated keys, unrotated tail included, and the values in the token's slot of the cache.

    A token whose position is that of no row of the table is left alone and not stored; one whose slot is that of no row of
    the cache is rotated and not stored. No two tokens may have one slot.

    The drop-in knows one stride of heads, which is their length too, one stride of slots, and no length of the table or of
    the cache: there negative positions and slots are skipped, and the caller vouches for the others.

    Args:
        q: [num_tokens..., num_qo_heads, head_dim] of float16 or bfloat16; rows may lie apart; written in place.
        k: [num_tokens..., num_kv_heads, head_dim] of float16 or bfloat16; rows may lie apart; written in place.
        v: [num_tokens..., num_kv_heads, head_dim] of float16 or bfloat16; rows may lie apart.
        k_cache: [num_slots, num_kv_heads, head_dim] of float16 or bfloat16; rows may lie apart; written in place.
        v_cache: [num_slots, num_kv_heads, head_dim] of float16 or bfloat16; rows may lie apart; written in place.
        cos_sin_cache: [num_positions, ROPE_DIM] of float32.
        positions: [num_tokens...] of int32 or int64.
        out_loc: [num_tokens...] of int32 or int64.
        neox: A truth value.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def gemma_fused_add_rmsnorm(input: _Array, residual: _Array, weight: _Array, eps: float = 1e-6) -> None:
    """residual = residual + input; input = residual / sqrt(mean(residual²) + eps) · (1 + weight), row by row.

    What is normalised is the residual as it was stored; `1 + weight` is formed in `f32`. Squares are as in `rmsnorm`.

    Args:
        input: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart; written in place.
        residual: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart; written in place.
        weight: [HIDDEN_SIZE] of float32, float16 or bfloat16.
        eps: A number, rounded to float32.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def gemma_rmsnorm(input: _Array, weight: _Array, eps: float = 1e-6, *, out: _Array | None = None) -> _Array:
    """y = x / sqrt(mean(x²) + eps) · (1 + weight), row by row; `1 + weight` is formed in `f32`.

    Squares are as in `rmsnorm`.

    Args:
        input: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart.
        weight: [HIDDEN_SIZE] of float32, float16 or bfloat16.
        eps: A number, rounded to float32.
        out: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def l2norm(input: _Array, eps: float = 1e-6, *, out: _Array | None = None) -> _Array:
    """y = x / sqrt(sum(x²) + eps), row by row. A row of zeros stays one if `eps` is above 0.

    Squares are as in `rmsnorm`.

    Args:
        input: [num_tokens..., hidden_size] of float32, float16 or bfloat16; rows may lie apart.
        eps: A number, rounded to float32.
        out: [num_tokens..., hidden_size] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def layernorm(input: _Array, weight: _Array | None = None, bias: _Array | None = None, eps: float = 1e-6, *, out: _Array | None = None) -> _Array:
    """y = (x − mean(x)) / sqrt(var(x) + eps) · weight + bias, row by row; without `weight` or `bias` where they are null.

    The mean of a row is an `f32`, rounded, and so is what its additions lose; in a second pass the mean of what is left
    corrects it, so that a mean that is large beside the spread costs no digits. The result is rounded once.

    Args:
        input: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart.
        weight: [HIDDEN_SIZE] of float32, float16 or bfloat16.
        bias: [HIDDEN_SIZE] of float32, float16 or bfloat16.
        eps: A number, rounded to float32.
        out: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def mrope(q: _Array, k: _Array, cos_sin_cache: _Array, positions: _Array, section_t: int, section_h: int, section_w: int, neox: bool = True, interleaved: bool = False) -> None:
    """Rotates the first `rope_dim` elements of every query and key head, each pair by the token's time, height or width
    position.

    With `h = rope_dim / 2`, pair `i` of a head, from `(i, i + h)` if `NEOX`, else `(2i, 2i + 1)`, becomes
    `(u · cos − v · sin, u · sin + v · cos)`. Its angle is that of row `positions[axis]` of the table, whose rows are
    `cos[0..h], sin[0..h]`. Axes are blocks of `section_t`, then `section_h`, then `section_w` pairs; if `INTERLEAVED`, they take
    turns: pair `3j + 1` is height below `3 · section_h`, pair `3j + 2` is width below `3 · section_w`, all others are time.

    `rope_dim` is even, sections are not negative and add up to `h`; interleaved, no more than `(h + 1) / 3` can be height and
    `h / 3` width.

    A pair whose position is that of no row of the table is left alone.

    Args:
        q: [num_tokens..., num_qo_heads, rope_dim] of float16 or bfloat16; rows may lie apart; written in place.
        k: [num_tokens..., num_kv_heads, rope_dim] of float16 or bfloat16; rows may lie apart; written in place.
        cos_sin_cache: [num_positions, rope_dim] of float32.
        positions: [3, num_tokens] of int32 or int64; rows may lie apart.
        section_t: A whole number that an i64 holds.
        section_h: A whole number that an i64 holds.
        section_w: A whole number that an i64 holds.
        neox: A truth value.
        interleaved: A truth value.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def mul(a: _Array, b: _Array, *, out: _Array | None = None) -> _Array:
    """out = a · b, element by element, rounded once.

    Args:
        a: [numel...] of float32, float16 or bfloat16.
        b: [numel...] of float32, float16 or bfloat16.
        out: [numel...] of float32, float16 or bfloat16.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def per_token_group_quant_int8(input: _Array, eps: float = 1e-6, *, codes: _Array | None = None, scales: _Array | None = None) -> tuple[_Array, _Array]:
    """For each group of `GROUP_SIZE` neighbours: scale = max(eps, max|x|) / 127 and codes = x / scale, rounded to nearest, of
    two equally near integers to the even one.

    Codes are from −127 to 127; a group of zeros has codes 0 and the scale eps / 127. `eps` is at least 1.5e-36, so that no scale
    is subnormal. NaN has the code 0 and does not count
    for the scale; in a group with an infinite element the scale is infinite and all codes are 0.

    Args:
        input: [num_tokens..., num_groups, GROUP_SIZE] of float32, float16 or bfloat16; rows may lie apart.
        eps: A number, rounded to float32.
        codes: [num_tokens..., num_groups, GROUP_SIZE] of int8; rows may lie apart.
        scales: [num_tokens..., num_groups] of float32; rows may lie apart.

    Returns:
        `codes` and `scales`, new arrays unless they are given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def qknorm(q: _Array, k: _Array, q_weight: _Array, k_weight: _Array, eps: float = 1e-6) -> None:
    """x = x / sqrt(mean(x²) + eps) · weight for every query and key head, in place and in one launch.

    Heads of a token follow each other without a gap; tokens are `q_stride` and `k_stride` elements apart. Sums are `f32`,
    results are rounded once. Squares are as in `rmsnorm`.

    Args:
        q: [num_tokens..., num_qo_heads, HEAD_DIM] of float16 or bfloat16; rows may lie apart; written in place.
        k: [num_tokens..., num_kv_heads, HEAD_DIM] of float16 or bfloat16; rows may lie apart; written in place.
        q_weight: [HEAD_DIM] of float16 or bfloat16.
        k_weight: [HEAD_DIM] of float16 or bfloat16.
        eps: A number, rounded to float32.

    Returns:
        Nothing: it works in place.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def rmsnorm(input: _Array, weight: _Array, eps: float = 1e-6, *, out: _Array | None = None) -> _Array:
    """y = x / sqrt(mean(x²) + eps) · weight, row by row.

    Squares are not scaled: where those of a row add up to more than 3.4e38, the row becomes zeros; below 1e-45 they vanish.

    Args:
        input: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart.
        weight: [HIDDEN_SIZE] of float32, float16 or bfloat16.
        eps: A number, rounded to float32.
        out: [num_tokens..., HIDDEN_SIZE] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def scale(input: _Array, factor: float, *, out: _Array | None = None) -> _Array:
    """out = in · factor

    Args:
        input: [numel...] of float32, float16 or bfloat16.
        factor: A number, rounded to float32.
        out: [numel...] of float32, float16 or bfloat16.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def silu_and_mul_clamp(input: _Array, limit: float, *, out: _Array | None = None) -> _Array:
    """out = silu(min(gate, limit)) · clamp(up, −limit, limit), where each row of the input is `gate | up`.

    The limit is an `f32` of at least 0; NaN stays NaN. The result is rounded once.

    Args:
        input: [num_tokens..., 2 * dim] of float32, float16 or bfloat16; rows may lie apart.
        limit: A number, rounded to float32.
        out: [num_tokens..., dim] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def softmax(input: _Array, *, out: _Array | None = None) -> _Array:
    """y = exp(x − max(x)) / Σ exp(x − max(x)), row by row.

    Exponents and their sum are `f32`, and the result is rounded once, in place too. A row with a NaN or ∞, or of −∞ alone,
    becomes NaN.

    Args:
        input: [num_rows..., width] of float32, float16 or bfloat16; rows may lie apart.
        out: [num_rows..., width] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def swiglu_alpha_limit(input: _Array, alpha: float, limit: float, *, out: _Array | None = None) -> _Array:
    """out = g · sigmoid(alpha · g) · (u + 1) with g = min(gate, limit) and u = clamp(up, −limit, limit), where each row of the
    input interleaves gate and up: `gate[i] = x[2i]`, `up[i] = x[2i + 1]`.

    The limit is at least 0; NaN stays NaN. The result is rounded once.

    Args:
        input: [num_tokens..., 2 * dim] of float32, float16 or bfloat16; rows may lie apart.
        alpha: A number, rounded to float32.
        limit: A number, rounded to float32.
        out: [num_tokens..., dim] of float32, float16 or bfloat16; rows may lie apart.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """

def timestep_embedding(t: _Array, dim: int, flip_sin_to_cos: bool = False, downscale_freq_shift: float = 1.0, scale: float = 1.0, max_period: int = 10000, *, out: _Array | None = None) -> _Array:
    """Row `b` of the output is `sin(a₀), sin(a₁), … | cos(a₀), cos(a₁), …` with
    `aᵢ = scale · t[b] · max_period^(−i / (h − downscale_freq_shift))` and `h = ⌊dim / 2⌋`; cosines come first
    if `flip_sin_to_cos`. The last element of an odd row is 0.

    `max_period` is above 0, and the shift is not `h`. The output is `f32` whatever `t` is.

    Args:
        t: [batch_size...] of float32, float16 or bfloat16.
        dim: A whole number that an i32 holds.
        flip_sin_to_cos: A truth value.
        downscale_freq_shift: A number, rounded to float32.
        scale: A number, rounded to float32.
        max_period: A whole number that an i32 holds.
        out: [batch_size..., dim] of float32.

    Returns:
        `out`, a new array unless it is given.

    Raises:
        TypeError: an argument is no array, or one of other elements.
        ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.
        RuntimeError: the kernel could not be compiled or launched.
    """
