//! Family B: rotary position embedding, and the cache behind it.
//!
//! Not here:
//! * 30, in part: positions and slots are of one type, signed, which rustc sees to.
//! * 31, in part: the table is `f32`, which rustc sees to.
//! * 42: operators work in place; what the Python wrappers return is theirs to check.

use fastrand::Rng;
use oxysycl::View;
use oxysycl::ops::fused_rope::fused_rope;
use oxysycl::ops::fused_rope_store::fused_rope_store;
use oxysycl::ops::mrope::mrope;
use oxysycl::prelude::*;

use crate::rope::{Number, POSITIONS, angle, axis, pair, rotated, table};
use crate::support::*;

/// Heads of queries or keys, and how they lie.
struct Heads<'a, T: Memory> {
    view: View<'a, T>,
    token: i64,
    head: i64,
    count: u32,
}

fn rope<T: Format, I: Number, const DIM: i64, const NEOX: bool>(
    q: &Heads<'_, T>,
    k: &Heads<'_, T>,
    table: &[f32],
    positions: &[I],
) {
    let (cache, at) = (Guarded::new(table, 0), Guarded::new(positions, 0));
    let (rows, tokens) = (table.len() as i64 / DIM, positions.len() as u32);
    let launch = fused_rope::launch::<T, I, DIM, NEOX>;
    let (c, at_view) = (cache.view(), at.view());
    launch(
        queue(),
        q.view,
        k.view,
        c,
        at_view,
        q.token,
        k.token,
        q.head,
        k.head,
        q.count,
        k.count,
        tokens,
        rows,
    )
    .unwrap();
    cache.expect_untouched();
    at.expect_untouched();
}

/// Rotates tokens of one head each, packed.
fn rope_heads<T: Format, I: Number, const DIM: i64, const NEOX: bool>(
    x: &[T],
    width: usize,
    table: &[f32],
    positions: &[I],
) -> Vec<T> {
    let memory = Guarded::new(x, 0);
    let empty = queue().alloc::<T>(0).unwrap();
    let q = Heads {
        view: memory.view(),
        token: width as i64,
        head: 0,
        count: 1,
    };
    let k = Heads {
        view: empty.view(),
        token: 0,
        head: 0,
        count: 0,
    };
    rope::<T, I, DIM, NEOX>(&q, &k, table, positions);
    memory.after()
}

/// cos = 0, sin = 1 in row 1 of three; the others are NaN.
fn quarter_turn(dim: usize) -> Vec<f32> {
    let row = (0..dim).map(|i| if i < dim / 2 { 0.0 } else { 1.0 });
    let nan = || std::iter::repeat_n(f32::NAN, dim);
    nan().chain(row).chain(nan()).collect()
}

const TURNED_HALVES: [f64; 8] = [-3.0, -4.0, 1.0, 2.0, 5.0, 6.0, 7.0, 8.0];
const TURNED_NEIGHBOURS: [f64; 8] = [-2.0, 1.0, -4.0, 3.0, 5.0, 6.0, 7.0, 8.0];

/// B24.
#[test]
fn the_tail_of_a_head_is_not_rotated() {
    let x: Vec<f16> = of((1..=8).map(f64::from));
    let halves = rope_heads::<f16, i32, 4, true>(&x, 8, &quarter_turn(4), &[1]);
    expect_same("halves", &halves, &of::<f16>(TURNED_HALVES));
    let neighbours = rope_heads::<f16, i32, 4, false>(&x, 8, &quarter_turn(4), &[1]);
    expect_same("neighbours", &neighbours, &of::<f16>(TURNED_NEIGHBOURS));
}

/// B26.
#[test]
fn heads_with_the_same_data_come_out_identical() {
    let rng = &mut Rng::with_seed(26);
    let (head, table): (Vec<f16>, _) = (moderate(rng, 128), table(rng, 64));
    for tokens in [1, 4096] {
        let positions: Vec<i32> = (0..tokens).map(|token| token % POSITIONS as i32).collect();
        let [queries, keys] = [16, 4].map(|heads| Guarded::new(&head.repeat(heads * tokens as usize), 0));
        let q = Heads {
            view: queries.view(),
            token: 16 * 128,
            head: 128,
            count: 16,
        };
        let k = Heads {
            view: keys.view(),
            token: 4 * 128,
            head: 128,
            count: 4,
        };
        rope::<f16, i32, 64, true>(&q, &k, &table, &positions);
        let expected = [0, 1, 2, 3, 4].map(|at| rotated(&head, 64, true, |i| angle(&table, 64, at, i)));
        for (after, heads) in [(queries.after(), 16), (keys.after(), 4)] {
            for (at, row) in after.chunks(128).enumerate() {
                let token = at / heads;
                assert!(
                    row == expected[token % POSITIONS],
                    "head {} of token {token}",
                    at % heads
                );
            }
        }
    }
}

fn quarter<const DIM: i64>() {
    let dim = DIM as usize;
    let mut table = quarter_turn(dim);
    table[2 * dim..].fill(99.0);
    let x: Vec<f16> = of((0..dim).map(|i| (i + 1) as f64));
    let swapped = (0..dim).map(|i| {
        if i < dim / 2 {
            -x[i + dim / 2].wide()
        } else {
            x[i - dim / 2].wide()
        }
    });
    let expected: Vec<f16> = of(swapped);
    expect_same(
        &format!("{dim}"),
        &rope_heads::<f16, i32, DIM, true>(&x, dim, &table, &[1]),
        &expected,
    );
}

/// B27.
#[test]
fn sines_begin_behind_half_a_row_of_any_size() {
    quarter::<80>();
    quarter::<96>();
    quarter::<112>();
}

/// A unit vector along the first and along the last pair: what it is turned to, with zeros elsewhere.
fn unit_vectors<const DIM: i64, const NEOX: bool>() {
    let (dim, half) = (DIM as usize, DIM as usize / 2);
    let t = |i: usize| 0.3 + i as f64 / 100.0;
    let cos = (0..half).map(|i| t(i).cos() as f32);
    let table: Vec<f32> = cos.chain((0..half).map(|i| t(i).sin() as f32)).collect();
    for i in [0, half - 1] {
        let (a, b) = pair(i, half, NEOX);
        let mut x = vec![f16::ZERO; dim];
        x[a] = f16::ONE;
        let found = rope_heads::<f16, i32, DIM, NEOX>(&x, dim, &table, &[0]);
        for (at, found) in found.iter().enumerate() {
            let expected = match at {
                _ if at == a => f16::nearest(table[i].wide()),
                _ if at == b => f16::nearest(table[half + i].wide()),
                _ => f16::ZERO,
            };
            assert_eq!(found, &expected, "element {at} of {dim}, turned along pair {i}");
        }
    }
}

/// B28.
#[test]
fn unit_vectors_turn_in_heads_of_any_size_by_halves() {
    unit_vectors::<48, true>();
    unit_vectors::<80, true>();
    unit_vectors::<96, true>();
    unit_vectors::<112, true>();
    unit_vectors::<192, true>();
}

/// B28.
#[test]
fn unit_vectors_turn_in_heads_of_any_size_by_neighbours() {
    unit_vectors::<48, false>();
    unit_vectors::<80, false>();
    unit_vectors::<96, false>();
    unit_vectors::<112, false>();
    unit_vectors::<192, false>();
}

/// B30.
#[test]
fn positions_of_either_width_give_equal_bits() {
    let rng = &mut Rng::with_seed(30);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 3 * 64), table(rng, 64));
    let narrow = rope_heads::<f16, i32, 64, true>(&x, 64, &table, &[4, 0, 3]);
    let wide = rope_heads::<f16, i64, 64, true>(&x, 64, &table, &[4, 0, 3]);
    expect_same("wide", &wide, &narrow);
    let turn = |(head, at)| rotated(head, 64, true, |i| angle(&table, 64, at, i));
    expect_same(
        "narrow",
        &narrow,
        &x.chunks(64).zip([4, 0, 3]).flat_map(turn).collect::<Vec<_>>(),
    );
}

/// B31.
#[test]
fn the_table_is_not_rounded_to_the_type_of_heads() {
    let (cos, sin) = (10f64.cos() as f32, 10f64.sin() as f32);
    let table: Vec<f32> = [cos; 32].into_iter().chain([sin; 32]).collect();
    let x: Vec<bf16> = of([3.0, 5.0].into_iter().cycle().take(64));
    let found = rope_heads::<bf16, i64, 64, false>(&x, 64, &table, &[0]);
    assert_eq!(found[0].to_f32(), 0.203125);
}

/// Buffers of the storing operator, keys and values with the same numbers of heads.
struct Store<'a, T: Memory> {
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    k_cache: Heads<'a, T>,
    v_cache: Heads<'a, T>,
    head_dim: i64,
    slots: i64,
}

impl<T: Format> Store<'_, T> {
    fn launch<I: Number, const DIM: i64, const NEOX: bool>(
        &self,
        table: &[f32],
        positions: &[I],
        out_loc: &[I],
    ) {
        let (cache, at, to) = (
            Guarded::new(table, 0),
            Guarded::new(positions, 0),
            Guarded::new(out_loc, 0),
        );
        fused_rope_store::launch::<T, I, DIM, NEOX>(
            queue(),
            self.q.view,
            self.k.view,
            self.v.view,
            self.k_cache.view,
            self.v_cache.view,
            cache.view(),
            at.view(),
            to.view(),
            self.q.token,
            self.k.token,
            self.v.token,
            self.k_cache.token,
            self.v_cache.token,
            self.q.head,
            self.k.head,
            self.v.head,
            self.k_cache.head,
            self.v_cache.head,
            self.head_dim,
            table.len() as i64 / DIM,
            self.slots,
            self.q.count,
            self.k.count,
            positions.len() as u32,
        )
        .unwrap();
    }
}

fn stored_tail<const NEOX: bool>(expected: [f64; 8]) {
    let [x, v]: [Vec<f16>; 2] = [1, 11].map(|first| of((first..first + 8).map(f64::from)));
    let (keys, values) = (Guarded::new(&x, 0), Guarded::new(&v, 0));
    let [k_cache, v_cache] = [(); 2].map(|()| Guarded::new(&[f16::nearest(7.0); 3 * 8], 0));
    let empty = queue().alloc::<f16>(0).unwrap();
    let heads = |view| Heads {
        view,
        token: 8,
        head: 8,
        count: 1,
    };
    Store {
        q: Heads {
            view: empty.view(),
            token: 0,
            head: 0,
            count: 0,
        },
        k: heads(keys.view()),
        v: heads(values.view()),
        k_cache: heads(k_cache.view()),
        v_cache: heads(v_cache.view()),
        head_dim: 8,
        slots: 3,
    }
    .launch::<i32, 4, NEOX>(&quarter_turn(4), &[1], &[1]);
    let cache = |slot: &[f16]| [&[f16::nearest(7.0); 8], slot, &[f16::nearest(7.0); 8]].concat();
    expect_same("keys", &keys.after(), &of::<f16>(expected));
    expect_same("cached keys", &k_cache.after(), &cache(&of(expected)));
    expect_same("cached values", &v_cache.after(), &cache(&v));
}

/// B33.
#[test]
fn the_tail_of_a_key_is_in_the_cache() {
    stored_tail::<true>(TURNED_HALVES);
    stored_tail::<false>(TURNED_NEIGHBOURS);
}

/// B34.
#[test]
fn heads_of_every_buffer_have_a_stride_of_their_own() {
    let rng = &mut Rng::with_seed(34);
    let table = table(rng, 64);
    let [q, k, v]: [Vec<f16>; 3] = [6, 4, 4].map(|heads| moderate(rng, heads * 64));
    let strided = |rows: Rows, values: &[f16]| Strided::new(rows, values, 0);
    let queries = strided(Rows::heads((2, 3 * 256), (3, 256), 64), &q);
    let keys = strided(Rows::heads((2, 128), (2, 64), 64), &k);
    let values = strided(Rows::heads((2, 400), (2, 80), 64), &v);
    let zeros = [f16::ZERO; 2 * 2 * 64];
    let k_cache = strided(Rows::heads((2, 300), (2, 96), 64), &zeros);
    // One head after the other, and slots inside of heads.
    let v_cache = strided(Rows::heads((2, 64), (2, 128), 64), &zeros);
    let heads = |view, token, head, count| Heads {
        view,
        token,
        head,
        count,
    };
    Store {
        q: heads(queries.view(), 768, 256, 3),
        k: heads(keys.view(), 128, 64, 2),
        v: heads(values.view(), 400, 80, 2),
        k_cache: heads(k_cache.view(), 300, 96, 2),
        v_cache: heads(v_cache.view(), 64, 128, 2),
        head_dim: 64,
        slots: 2,
    }
    .launch::<i64, 64, true>(&table, &[2, 3], &[1, 0]);
    let turn = |x: &[f16], per_token: usize| -> Vec<f16> {
        let heads = x.chunks(64).enumerate();
        heads
            .flat_map(|(at, head)| rotated(head, 64, true, |i| angle(&table, 64, [2, 3][at / per_token], i)))
            .collect()
    };
    let swapped = |x: &[f16]| [&x[128..], &x[..128]].concat();
    expect_same("queries", &queries.after(), &turn(&q, 3));
    expect_same("keys", &keys.after(), &turn(&k, 2));
    expect_same("cached keys", &k_cache.after(), &swapped(&turn(&k, 2)));
    expect_same("cached values", &v_cache.after(), &swapped(&v));
    values.memory.expect_untouched();
}

/// B35.
#[test]
fn queries_of_zeros_stay_so_beside_a_single_key_head() {
    let rng = &mut Rng::with_seed(35);
    let table = table(rng, 64);
    let queries = Guarded::new(&[f16::ZERO; 2 * 4 * 64], 0);
    let keys = Guarded::new(&[f16::ONE; 2 * 64], 0);
    let q = Heads {
        view: queries.view(),
        token: 4 * 64,
        head: 64,
        count: 4,
    };
    let k = Heads {
        view: keys.view(),
        token: 64,
        head: 64,
        count: 1,
    };
    rope::<f16, i32, 64, true>(&q, &k, &table, &[1, 4]);
    assert!(queries.after().iter().all(|x| *x == f16::ZERO));
    let ones = [f16::ONE; 64];
    let turned = [1, 4]
        .map(|at| rotated(&ones, 64, true, |i| angle(&table, 64, at, i)))
        .concat();
    expect_same("keys", &keys.after(), &turned);
}

/// B35. A view of an empty buffer is a null pointer.
#[test]
fn queries_without_any_keys_are_rotated() {
    let rng = &mut Rng::with_seed(35);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 64), table(rng, 64));
    let found = rope_heads::<f16, i32, 64, true>(&x, 64, &table, &[2]);
    expect_same(
        "queries",
        &found,
        &rotated(&x, 64, true, |i| angle(&table, 64, 2, i)),
    );
}

/// B36.
#[test]
fn slices_of_a_fused_projection_are_rotated_where_they_lie() {
    let rng = &mut Rng::with_seed(36);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 5 * 8 * 64), table(rng, 64));
    let positions = [4, 3, 2, 1, 0];
    let memory = Guarded::new(&x, 0);
    let slice = |first: usize, count: usize| Heads {
        view: memory.part(first * 64, 4 * 512 + count * 64),
        token: 512,
        head: 64,
        count: count as u32,
    };
    rope::<f16, i32, 64, true>(&slice(0, 4), &slice(4, 2), &table, &positions);
    let heads = x.chunks(64).enumerate().flat_map(|(at, head)| match at % 8 {
        6.. => head.to_vec(),
        _ => rotated(head, 64, true, |i| angle(&table, 64, positions[at / 8].into(), i)),
    });
    expect_same("the projection", &memory.after(), &heads.collect::<Vec<_>>());
}

/// B37. The canaries around the table are NaN.
#[test]
fn positions_beyond_the_table_leave_their_rows_alone() {
    let rng = &mut Rng::with_seed(37);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 6 * 64), table(rng, 64));
    let positions = [0, 3, 4, -1, i32::MAX, i32::MIN];
    let found = rope_heads::<f16, i32, 64, true>(&x, 64, &table[..4 * 64], &positions);
    let heads = x.chunks(64).zip(positions);
    let expected =
        heads.flat_map(|(head, at)| rotated(head, 64, true, |i| angle(&table[..4 * 64], 64, at.into(), i)));
    expect_same("rows", &found, &expected.collect::<Vec<_>>());
    assert!(found.iter().all(|x| !x.is_nan()));
    let wide = positions.map(|at| if at > 4 { i64::MAX } else { at.into() });
    expect_same(
        "wide",
        &rope_heads::<f16, i64, 64, true>(&x, 64, &table[..4 * 64], &wide),
        &found,
    );
}

/// B38.
#[test]
fn batches_of_one_token_are_their_rows_one_by_one() {
    let rng = &mut Rng::with_seed(38);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 3 * 2 * 64), table(rng, 64));
    let empty = queue().alloc::<f16>(0).unwrap();
    let run = |x: &[f16], positions: &[i32]| {
        let memory = Guarded::new(x, 0);
        let q = Heads {
            view: memory.view(),
            token: 128,
            head: 64,
            count: 2,
        };
        let k = Heads {
            view: empty.view(),
            token: 0,
            head: 0,
            count: 0,
        };
        rope::<f16, i32, 64, true>(&q, &k, &table, positions);
        memory.after()
    };
    let rows = x.chunks(128).zip([3, 1, 4]).flat_map(|(row, at)| run(row, &[at]));
    expect_same("the batch", &run(&x, &[3, 1, 4]), &rows.collect::<Vec<_>>());
}

/// B39.
#[test]
fn rotating_a_part_of_a_head_gives_the_same_bits_every_time() {
    let rng = &mut Rng::with_seed(39);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 512 * 128), table(rng, 64));
    let positions: Vec<i32> = (0..512).map(|token| token % POSITIONS as i32).collect();
    let turn = |(head, at): (&[f16], &i32)| rotated(head, 64, true, |i| angle(&table, 64, (*at).into(), i));
    let expected: Vec<f16> = x.chunks(128).zip(&positions).flat_map(turn).collect();
    for repeat in 0..50 {
        assert!(
            rope_heads::<f16, i32, 64, true>(&x, 128, &table, &positions) == expected,
            "repeat {repeat}"
        );
    }
}

/// B39, where keys are copied as well: the cache has what the keys have, every time.
#[test]
fn storing_a_partly_rotated_head_gives_the_same_bits_every_time() {
    let rng = &mut Rng::with_seed(39);
    let (x, table): (Vec<f16>, _) = (moderate(rng, 512 * 128), table(rng, 64));
    let positions: Vec<i64> = (0..512).map(|token| token % POSITIONS as i64).collect();
    let slots: Vec<i64> = (0..512).rev().collect();
    let turn = |(head, at): (&[f16], &i64)| rotated(head, 64, true, |i| angle(&table, 64, *at, i));
    let expected: Vec<f16> = x.chunks(128).zip(&positions).rev().flat_map(turn).collect();
    let empty = queue().alloc::<f16>(0).unwrap();
    let values = Guarded::new(&x, 0);
    for repeat in 0..50 {
        let heads = |view| Heads {
            view,
            token: 128,
            head: 128,
            count: 1,
        };
        let keys = Guarded::new(&x, 0);
        let [k_cache, v_cache] = [(); 2].map(|()| Guarded::new(&vec![f16::ZERO; 512 * 128], 0));
        Store {
            q: Heads {
                view: empty.view(),
                token: 0,
                head: 0,
                count: 0,
            },
            k: heads(keys.view()),
            v: heads(values.view()),
            k_cache: heads(k_cache.view()),
            v_cache: heads(v_cache.view()),
            head_dim: 128,
            slots: 512,
        }
        .launch::<i64, 64, true>(&table, &positions, &slots);
        assert!(k_cache.after() == expected, "repeat {repeat}");
    }
}

fn axes<const INTERLEAVED: bool>(expected: [f64; 6]) {
    let table: Vec<f32> = (0..3).flat_map(|p| [[p as f32; 6], [0.0; 6]].concat()).collect();
    let (cache, positions) = (Guarded::new(&table, 0), Guarded::new(&[0i32, 1, 2], 0));
    let memory = Guarded::new(&[f16::ONE; 12], 0);
    let empty = queue().alloc::<f16>(0).unwrap();
    let (q, k) = (memory.view(), empty.view());
    let (c, at) = (cache.view(), positions.view());
    let launch = mrope::launch::<f16, i32, true, INTERLEAVED>;
    launch(queue(), q, k, c, at, 12, 0, 12, 0, 1, 12, 2, 2, 2, 3, 1, 0, 1).unwrap();
    // With sin = 0 both elements of a pair are multiplied by the cosine.
    expect_same(
        "the head",
        &memory.after(),
        &of::<f16>([expected, expected].concat()),
    );
    for (i, expected) in expected.into_iter().enumerate() {
        assert_eq!(
            axis(i, [2, 2, 2], INTERLEAVED) as f64,
            expected,
            "the tests' own formula at {i}"
        );
    }
}

/// B41.
#[test]
fn axes_take_blocks_or_turns() {
    axes::<false>([0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
    axes::<true>([0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
}

/// cos = 1, sin = 0.
fn no_turn(dim: usize) -> Vec<f32> {
    (0..dim).map(|i| if i < dim / 2 { 1.0 } else { 0.0 }).collect()
}

/// Stores tokens of one key head and one value head without turning them: what is in the slots, the first of which is free.
fn copied(
    k: View<'_, bf16>,
    v: View<'_, bf16>,
    tokens: usize,
    width: usize,
    stride: usize,
    slot: usize,
) -> [Vec<bf16>; 2] {
    let zeros = vec![bf16::ZERO; (tokens + 1) * width];
    let [k_cache, v_cache] = [(); 2].map(|()| Strided::new(Rows::new(tokens + 1, slot, width), &zeros, 0));
    let empty = queue().alloc::<bf16>(0).unwrap();
    let heads = |view, token| Heads {
        view,
        token: token as i64,
        head: 0,
        count: 1,
    };
    Store {
        q: Heads {
            view: empty.view(),
            token: 0,
            head: 0,
            count: 0,
        },
        k: heads(k, stride),
        v: heads(v, stride),
        k_cache: heads(k_cache.view(), slot),
        v_cache: heads(v_cache.view(), slot),
        head_dim: width as i64,
        slots: tokens as i64 + 1,
    }
    .launch::<i32, 46, false>(
        &no_turn(46),
        &vec![0; tokens],
        &(1..=tokens as i32).collect::<Vec<_>>(),
    );
    [k_cache.after(), v_cache.after()]
}

/// Behind a free slot.
fn behind_zeros(rows: &[bf16], width: usize) -> Vec<bf16> {
    [vec![bf16::ZERO; width], rows.to_vec()].concat()
}

/// B43. Rows of 46 are not aligned, nor are the slots; between these there are canaries.
#[test]
fn rows_that_are_not_aligned_are_copied_exactly() {
    let rng = &mut Rng::with_seed(43);
    let [k, v]: [Vec<bf16>; 2] = [(); 2].map(|()| moderate(rng, 3 * 46));
    let (keys, values) = (Guarded::new(&k, 0), Guarded::new(&v, 0));
    for slot in [46, 48, 51] {
        let [cached_k, cached_v] = copied(keys.view(), values.view(), 3, 46, 46, slot);
        expect_same("keys", &cached_k, &behind_zeros(&k, 46));
        expect_same("values", &cached_v, &behind_zeros(&v, 46));
    }
}

/// B43.
#[test]
fn one_head_of_many_is_copied_exactly() {
    let rng = &mut Rng::with_seed(43);
    let [k, v]: [Vec<bf16>; 2] = [(); 2].map(|()| moderate(rng, 271 * 2560));
    let (keys, values) = (Guarded::new(&k, 0), Guarded::new(&v, 0));
    let head = Rows::new(271, 2560, 256).from(3 * 256);
    let [k_view, v_view] = [&keys, &values].map(|x| x.part(3 * 256, head.span() - 3 * 256));
    let [cached_k, cached_v] = copied(k_view, v_view, 271, 256, 2560, 256);
    expect_same("keys", &cached_k, &behind_zeros(&head.gather(&k), 256));
    expect_same("values", &cached_v, &behind_zeros(&head.gather(&v), 256));
    values.expect_untouched();
    keys.expect_untouched();
}
