//! Rotary position embedding.

use fastrand::Rng;
use oxysycl::ops::fused_qk_norm_rope::fused_qk_norm_rope;
use oxysycl::ops::fused_rope::fused_rope;
use oxysycl::ops::fused_rope_store::fused_rope_store;
use oxysycl::ops::mrope::mrope;
use oxysycl::prelude::*;
use proptest::prelude::{Strategy, any};

use crate::norm::{inverse_root, sequential};
use crate::support::*;

/// Positions in a cache's table.
pub(crate) const POSITIONS: usize = 5;

/// An index type by its conversion.
pub(crate) trait Number: Index {
    fn of(value: i64) -> Self;
}

impl Number for i32 {
    fn of(value: i64) -> Self {
        value.try_into().expect("it fits")
    }
}

impl Number for i64 {
    fn of(value: i64) -> Self {
        value
    }
}

/// The two elements of pair `i`.
pub(crate) fn pair(i: usize, half: usize, neox: bool) -> (usize, usize) {
    if neox { (i, i + half) } else { (2 * i, 2 * i + 1) }
}

/// The pair (u, v) turned: products and their sum each rounded to f32, then stored. Nothing is contracted, so every bit is known.
fn turned<T: Format>((u, v): (f64, f64), (cos, sin): (f32, f32)) -> (T, T) {
    let product = |x: f64, y: f32| rounded::<f32>(x * y.wide());
    (
        stored(product(u, cos) - product(v, sin)),
        stored(product(u, sin) + product(v, cos)),
    )
}

/// One head with its first `dim` elements turned, pair `i` by `angles(i)`; `None` leaves a pair alone.
pub(crate) fn rotated<T: Format>(
    head: &[T],
    dim: usize,
    neox: bool,
    angles: impl Fn(usize) -> Option<(f32, f32)>,
) -> Vec<T> {
    let mut out = head.to_vec();
    for i in 0..dim / 2 {
        let (a, b) = pair(i, dim / 2, neox);
        if let Some(angle) = angles(i) {
            (out[a], out[b]) = turned((head[a].wide(), head[b].wide()), angle);
        }
    }
    out
}

/// The angle of pair `i` at a position, if the table has it.
pub(crate) fn angle(table: &[f32], dim: usize, position: i64, i: usize) -> Option<(f32, f32)> {
    let row = usize::try_from(position)
        .ok()
        .filter(|row| *row < table.len() / dim.max(1))?;
    Some((table[row * dim + i], table[row * dim + dim / 2 + i]))
}

/// Cosines and sines of any angles.
pub(crate) fn table(rng: &mut Rng, dim: usize) -> Vec<f32> {
    let rows = (0..POSITIONS).flat_map(|_| {
        let angles: Vec<f64> = (0..dim / 2).map(|_| rng.f64() * 6.3).collect();
        let sines = angles.clone();
        let last = (dim % 2 == 1).then_some(f64::NAN);
        angles
            .into_iter()
            .map(f64::cos)
            .chain(sines.into_iter().map(f64::sin))
            .chain(last)
    });
    rows.map(|x| x as f32).collect()
}

/// Positions inside the table, some just outside.
fn positions(rng: &mut Rng, count: usize) -> Vec<i64> {
    (0..count).map(|_| rng.i64(-1..=POSITIONS as i64)).collect()
}

fn numbers<I: Number>(values: &[i64]) -> Vec<I> {
    values.iter().copied().map(I::of).collect()
}

#[derive(Clone, Debug)]
struct Shape {
    tokens: usize,
    heads: [usize; 2],
    /// Beyond each head, and beyond all heads of each token.
    gaps: [[usize; 2]; 2],
    offsets: [usize; 3],
    seed: u64,
}

impl Shape {
    /// Head stride and token stride of queries (0) or keys (1).
    fn strides(&self, of: usize, width: usize) -> [usize; 2] {
        let head = width + self.gaps[of][0];
        [head, self.heads[of] * head + self.gaps[of][1]]
    }

    fn rows(&self, of: usize, width: usize) -> Rows {
        let [head, token] = self.strides(of, width);
        Rows::heads((self.tokens, token), (self.heads[of], head), width)
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let gap = || {
        proptest::prop_oneof![
            proptest::strategy::Just(0usize),
            proptest::strategy::Just(8),
            0usize..20
        ]
    };
    let offsets = [0usize..9, 0usize..9, 0usize..9];
    let gaps = [[gap(), gap()], [gap(), gap()]];
    (0usize..5, [0usize..4, 0usize..3], gaps, offsets, any::<u64>()).prop_map(
        |(tokens, heads, gaps, offsets, seed)| Shape {
            tokens,
            heads,
            gaps,
            offsets,
            seed,
        },
    )
}

/// All heads of all tokens, turned.
fn heads<T: Format>(
    values: &[T],
    per_token: usize,
    width: usize,
    turn: impl Fn(usize, &[T]) -> Vec<T>,
) -> Vec<T> {
    let heads = values.chunks(width).enumerate();
    heads.flat_map(|(at, head)| turn(at / per_token, head)).collect()
}

fn fused_rope_is_its_formula<T: Format, I: Number, const DIM: i64, const NEOX: bool>() {
    let dim = DIM as usize;
    property(16, shapes(), |shape| {
        let rng = &mut Rng::with_seed(shape.seed);
        let [q, k]: [Vec<T>; 2] = shape.heads.map(|heads| anything(rng, shape.tokens * heads * dim));
        let (table, at) = (table(rng, dim), positions(rng, shape.tokens));
        let queries = Strided::new(shape.rows(0, dim), &q, shape.offsets[0]);
        let keys = Strided::new(shape.rows(1, dim), &k, shape.offsets[1]);
        let cache = Guarded::new(&table, shape.offsets[2]);
        let indices = Guarded::new(&numbers::<I>(&at), 0);
        let [q_head, q_token] = shape.strides(0, dim).map(|stride| stride as i64);
        let [k_head, k_token] = shape.strides(1, dim).map(|stride| stride as i64);
        let ([qo, kv], n) = (shape.heads.map(|heads| heads as u32), shape.tokens as u32);
        fused_rope::launch::<T, I, DIM, NEOX>(
            queue(),
            queries.view(),
            keys.view(),
            cache.view(),
            indices.view(),
            q_token,
            k_token,
            q_head,
            k_head,
            qo,
            kv,
            n,
            POSITIONS as i64,
        )
        .unwrap();
        let turn = |token: usize, head: &[T]| rotated(head, dim, NEOX, |i| angle(&table, dim, at[token], i));
        let [q, k] =
            [(q, shape.heads[0]), (k, shape.heads[1])].map(|(x, per_token)| heads(&x, per_token, dim, turn));
        expect_same("queries on the device", &queries.after(), &q);
        expect_same("keys on the device", &keys.after(), &k);
        cache.expect_untouched();
        indices.expect_untouched();
        let (mut a, mut b) = (queries.memory.before().to_vec(), keys.memory.before().to_vec());
        fused_rope::<T, I, DIM, NEOX>(
            &mut a,
            &mut b,
            &table,
            indices.before(),
            q_token,
            k_token,
            q_head,
            k_head,
            qo,
            kv,
            n,
            POSITIONS as i64,
        );
        expect_same("queries natively", &queries.rows.gather(&a), &q);
        expect_same("keys natively", &keys.rows.gather(&b), &k);
    });
}

#[test]
fn fused_rope_is_its_formula_for_halves() {
    fused_rope_is_its_formula::<f16, i32, 64, true>();
}

#[test]
fn fused_rope_is_its_formula_for_neighbours() {
    fused_rope_is_its_formula::<bf16, i64, 64, false>();
}

/// Slots of a cache, each for one token at most; some of none.
fn slots(rng: &mut Rng, tokens: usize) -> (Vec<i64>, usize) {
    let count = tokens + 2;
    let mut free: Vec<i64> = (0..count as i64).collect();
    rng.shuffle(&mut free);
    let slots = (0..tokens).map(|token| match rng.u8(..6) {
        0 => -1,
        1 => count as i64,
        _ => free[token],
    });
    (slots.collect(), count)
}

fn fused_rope_store_is_its_formula<T: Format, I: Number, const DIM: i64, const NEOX: bool>() {
    let dim = DIM as usize;
    let tails = proptest::prop_oneof![
        proptest::strategy::Just(0usize),
        proptest::strategy::Just(64),
        0usize..20
    ];
    property(16, (shapes(), tails), |(shape, tail)| {
        let rng = &mut Rng::with_seed(shape.seed);
        let width = dim + tail;
        let [q, k, v]: [Vec<T>; 3] =
            [0, 1, 1].map(|of| anything(rng, shape.tokens * shape.heads[of] * width));
        let (table, at) = (table(rng, dim), positions(rng, shape.tokens));
        let (slot, count) = slots(rng, shape.tokens);
        let queries = Strided::new(shape.rows(0, width), &q, shape.offsets[0]);
        let keys = Strided::new(shape.rows(1, width), &k, shape.offsets[1]);
        // Values and caches have strides of their own.
        let kv_heads = shape.heads[1];
        let strides = [4, 12, 0].map(|gap| {
            let head = width + gap;
            [head, kv_heads * head + rng.usize(..9)]
        });
        let rows = |of: usize, outer| Rows::heads((outer, strides[of][1]), (kv_heads, strides[of][0]), width);
        let values = Strided::new(rows(0, shape.tokens), &v, shape.offsets[2]);
        let empty: Vec<T> = moderate(rng, count * kv_heads * width);
        let key_cache = Strided::new(rows(1, count), &empty, shape.offsets[1]);
        let value_cache = Strided::new(rows(2, count), &empty, shape.offsets[0]);
        let cache = Guarded::new(&table, shape.offsets[2]);
        let (indices, locations) = (
            Guarded::new(&numbers::<I>(&at), 0),
            Guarded::new(&numbers::<I>(&slot), 0),
        );
        let [q_head, q_token] = shape.strides(0, width).map(|stride| stride as i64);
        let [k_head, k_token] = shape.strides(1, width).map(|stride| stride as i64);
        let [[v_head, v_token], [kc_head, kc_slot], [vc_head, vc_slot]] =
            strides.map(|strides| strides.map(|stride| stride as i64));
        let ([qo, kv], n) = (shape.heads.map(|heads| heads as u32), shape.tokens as u32);
        fused_rope_store::launch::<T, I, DIM, NEOX>(
            queue(),
            queries.view(),
            keys.view(),
            values.view(),
            key_cache.view(),
            value_cache.view(),
            cache.view(),
            indices.view(),
            locations.view(),
            q_token,
            k_token,
            v_token,
            kc_slot,
            vc_slot,
            q_head,
            k_head,
            v_head,
            kc_head,
            vc_head,
            width as i64,
            POSITIONS as i64,
            count as i64,
            qo,
            kv,
            n,
        )
        .unwrap();
        let turn = |token: usize, head: &[T]| rotated(head, dim, NEOX, |i| angle(&table, dim, at[token], i));
        let [q, k] =
            [(q, shape.heads[0]), (k, kv_heads)].map(|(x, per_token)| heads(&x, per_token, width, turn));
        let (mut stored_k, mut stored_v) = (empty.clone(), empty);
        let token_len = kv_heads * width;
        for token in 0..shape.tokens {
            let known =
                (0..POSITIONS as i64).contains(&at[token]) && (0..count as i64).contains(&slot[token]);
            if known {
                let (to, from) = (slot[token] as usize * token_len, token * token_len);
                stored_k[to..][..token_len].copy_from_slice(&k[from..][..token_len]);
                stored_v[to..][..token_len].copy_from_slice(&v[from..][..token_len]);
            }
        }
        expect_same("queries on the device", &queries.after(), &q);
        expect_same("keys on the device", &keys.after(), &k);
        expect_same("cached keys on the device", &key_cache.after(), &stored_k);
        expect_same("cached values on the device", &value_cache.after(), &stored_v);
        values.memory.expect_untouched();
        cache.expect_untouched();
        let before = [&queries, &keys, &key_cache, &value_cache].map(|x| x.memory.before().to_vec());
        let [mut a, mut b, mut c, mut d] = before;
        fused_rope_store::<T, I, DIM, NEOX>(
            &mut a,
            &mut b,
            values.memory.before(),
            &mut c,
            &mut d,
            &table,
            indices.before(),
            locations.before(),
            q_token,
            k_token,
            v_token,
            kc_slot,
            vc_slot,
            q_head,
            k_head,
            v_head,
            kc_head,
            vc_head,
            width as i64,
            POSITIONS as i64,
            count as i64,
            qo,
            kv,
            n,
        );
        expect_same("queries natively", &queries.rows.gather(&a), &q);
        expect_same("keys natively", &keys.rows.gather(&b), &k);
        expect_same("cached keys natively", &key_cache.rows.gather(&c), &stored_k);
        expect_same("cached values natively", &value_cache.rows.gather(&d), &stored_v);
    });
}

#[test]
fn fused_rope_store_is_its_formula_for_halves() {
    fused_rope_store_is_its_formula::<f16, i64, 64, true>();
}

#[test]
fn fused_rope_store_is_its_formula_for_neighbours() {
    fused_rope_store_is_its_formula::<bf16, i32, 46, false>();
}

/// The axis of pair `i`: 0 for time, 1 for height, 2 for width.
pub(crate) fn axis(i: usize, [t, h, w]: [usize; 3], interleaved: bool) -> usize {
    match (interleaved, i % 3) {
        (true, 1) if i < 3 * h => 1,
        (true, 2) if i < 3 * w => 2,
        (true, _) => 0,
        (false, _) => usize::from(i >= t) + usize::from(i >= t + h),
    }
}

fn mrope_is_its_formula<T: Format, I: Number, const NEOX: bool, const INTERLEAVED: bool>() {
    let sections = [0usize..12, 0usize..12, 0usize..12];
    property(16, (shapes(), sections), |(shape, sections)| {
        let rng = &mut Rng::with_seed(shape.seed);
        let half: usize = sections.iter().sum();
        let dim = 2 * half;
        let [t, h, w] = sections;
        let sections = match INTERLEAVED {
            true => [
                half - h.min((half + 1) / 3) - w.min(half / 3),
                h.min((half + 1) / 3),
                w.min(half / 3),
            ],
            false => [t, h, w],
        };
        let [q, k]: [Vec<T>; 2] = shape.heads.map(|heads| anything(rng, shape.tokens * heads * dim));
        let table = table(rng, dim);
        let axes = [(); 3].map(|()| positions(rng, shape.tokens));
        let queries = Strided::new(shape.rows(0, dim), &q, shape.offsets[0]);
        let keys = Strided::new(shape.rows(1, dim), &k, shape.offsets[1]);
        let cache = Guarded::new(&table, shape.offsets[2]);
        let stride = shape.tokens + shape.gaps[0][0];
        let indices = Strided::new(
            Rows::new(3, stride, shape.tokens),
            &numbers::<I>(&axes.concat()),
            0,
        );
        let [q_head, q_token] = shape.strides(0, dim).map(|stride| stride as i64);
        let [k_head, k_token] = shape.strides(1, dim).map(|stride| stride as i64);
        let ([qo, kv], n) = (shape.heads.map(|heads| heads as u32), shape.tokens as u32);
        let [t, h, w] = sections.map(|section| section as i64);
        mrope::launch::<T, I, NEOX, INTERLEAVED>(
            queue(),
            queries.view(),
            keys.view(),
            cache.view(),
            indices.view(),
            q_token,
            k_token,
            q_head,
            k_head,
            stride as i64,
            dim as i64,
            t,
            h,
            w,
            POSITIONS as i64,
            qo,
            kv,
            n,
        )
        .unwrap();
        let turn = |token: usize, head: &[T]| {
            rotated(head, dim, NEOX, |i| {
                angle(&table, dim, axes[axis(i, sections, INTERLEAVED)][token], i)
            })
        };
        let [q, k] = [(q, shape.heads[0]), (k, shape.heads[1])]
            .map(|(x, per_token)| heads(&x, per_token, dim.max(1), turn));
        expect_same("queries on the device", &queries.after(), &q);
        expect_same("keys on the device", &keys.after(), &k);
        cache.expect_untouched();
        indices.memory.expect_untouched();
        let (mut a, mut b) = (queries.memory.before().to_vec(), keys.memory.before().to_vec());
        mrope::<T, I, NEOX, INTERLEAVED>(
            &mut a,
            &mut b,
            &table,
            indices.memory.before(),
            q_token,
            k_token,
            q_head,
            k_head,
            stride as i64,
            dim as i64,
            t,
            h,
            w,
            POSITIONS as i64,
            qo,
            kv,
            n,
        );
        expect_same("queries natively", &queries.rows.gather(&a), &q);
        expect_same("keys natively", &keys.rows.gather(&b), &k);
    });
}

#[test]
fn mrope_is_its_formula_in_blocks() {
    mrope_is_its_formula::<f16, i32, true, false>();
}

#[test]
fn mrope_is_its_formula_interleaved() {
    mrope_is_its_formula::<f16, i32, true, true>();
}

#[test]
fn mrope_is_its_formula_for_neighbours() {
    mrope_is_its_formula::<bf16, i64, false, true>();
}

/// One head, normalised and turned without a rounding in between. A sum of two products loses half an ULP of each product,
/// of what they are off by already, and of itself. `further` half ULPs are lost in the root.
fn normalised<T: Format>(
    head: &[T],
    weight: &[T],
    eps: f32,
    dim: usize,
    neox: bool,
    further: f64,
    angles: impl Fn(usize) -> Option<(f32, f32)>,
) -> Vec<Within> {
    let wide = wide(head);
    let (scale, halves) = inverse_root(&wide, wide.len() as f64, eps);
    let halves = halves + further;
    let normal: Vec<f64> = wide
        .iter()
        .zip(weight)
        .map(|(x, w)| x * scale * w.wide())
        .collect();
    let mut out: Vec<Within> = normal
        .iter()
        .zip(weight)
        .map(|(x, w)| Within::relative(*x, halves + 2.0, w.wide().abs()))
        .collect();
    for i in 0..dim / 2 {
        let (a, b) = pair(i, dim / 2, neox);
        let (u, v) = (normal[a], normal[b]);
        let (cos, sin) = angles(i).unwrap_or((1.0, 0.0));
        let sum = |x: f64, y: f64| {
            let magnified = weight[a].wide().abs() + weight[b].wide().abs();
            let magnitude = Within::relative(x.abs() + y.abs(), halves + 2.0 + 1.0 + 1.0, magnified);
            Within {
                value: x + y,
                error: magnitude.error,
            }
        };
        out[a] = sum(u * cos.wide(), -v * sin.wide());
        out[b] = sum(u * sin.wide(), v * cos.wide());
    }
    out
}

fn fused_qk_norm_rope_is_its_formula<T: Format, I: Number, const DIM: i64, const NEOX: bool>() {
    let width = DIM as usize;
    property(16, (shapes(), 0..=width / 2), |(shape, pairs)| {
        let dim = 2 * pairs;
        let rng = &mut Rng::with_seed(shape.seed);
        let [qo, kv] = shape.heads;
        let per_token = qo + 2 * kv;
        let [packed, q_weight, k_weight]: [Vec<T>; 3] =
            [shape.tokens * per_token * width, width, width].map(|count| moderate(rng, count));
        let (table, at) = (table(rng, dim), positions(rng, shape.tokens));
        let stride = per_token * width + shape.gaps[0][1];
        let rows = Rows::heads((shape.tokens, stride), (per_token, width), width);
        let qkv = Strided::new(rows, &packed, shape.offsets[0]);
        let weights = [
            Guarded::new(&q_weight, shape.offsets[1]),
            Guarded::new(&k_weight, shape.offsets[2]),
        ];
        let (cache, indices) = (
            Guarded::new(&table, shape.offsets[2]),
            Guarded::new(&numbers::<I>(&at), 0),
        );
        fused_qk_norm_rope::launch::<T, I, DIM, NEOX>(
            queue(),
            qkv.view(),
            weights[0].view(),
            weights[1].view(),
            cache.view(),
            indices.view(),
            stride as i64,
            dim as i64,
            POSITIONS as i64,
            qo as u32,
            kv as u32,
            shape.tokens as u32,
            1e-6,
        )
        .unwrap();
        let mut native = qkv.memory.before().to_vec();
        fused_qk_norm_rope::<T, I, DIM, NEOX>(
            &mut native,
            &q_weight,
            &k_weight,
            &table,
            indices.before(),
            stride as i64,
            dim as i64,
            POSITIONS as i64,
            qo as u32,
            kv as u32,
            shape.tokens as u32,
            1e-6,
        );
        let (after, native) = (qkv.after(), qkv.rows.gather(&native));
        for (row, x) in packed.chunks(width).enumerate() {
            let (token, head) = (row / per_token, row % per_token);
            let (after, native) = (&after[row * width..][..width], &native[row * width..][..width]);
            if head >= qo + kv {
                expect_same("a value on the device", after, x);
                expect_same("a value natively", native, x);
                continue;
            }
            let weight = if head < qo { &q_weight } else { &k_weight };
            let expected = |further| {
                normalised(x, weight, 1e-6, dim, NEOX, further, |i| {
                    angle(&table, dim, at[token], i)
                })
            };
            expect_within(
                &format!("head {head} of token {token} on the device"),
                after,
                &expected(0.0),
            );
            let expected = expected(sequential(width));
            expect_within(
                &format!("head {head} of token {token} natively"),
                native,
                &expected,
            );
        }
        cache.expect_untouched();
    });
}

#[test]
fn fused_qk_norm_rope_is_its_formula_for_halves() {
    fused_qk_norm_rope_is_its_formula::<f16, i32, 64, true>();
}

#[test]
fn fused_qk_norm_rope_is_its_formula_for_neighbours() {
    fused_qk_norm_rope_is_its_formula::<bf16, i64, 64, false>();
}
