//! Family A: normalisation.
//!
//! Not here:
//! * 11: the elements of a row follow each other; no argument could say otherwise.
//! * 18: there is no default for eps but in the Python wrappers.
//! * 19: input and weight are of one type, which rustc sees to.
//! * 23: the shape of a weight is the Python wrappers' to check.

use std::f32::consts::FRAC_1_SQRT_2;

use fastrand::Rng;
use oxysycl::ops::fused_add_rmsnorm::fused_add_rmsnorm;
use oxysycl::ops::fused_qk_norm_rope::fused_qk_norm_rope;
use oxysycl::ops::gemma_fused_add_rmsnorm::gemma_fused_add_rmsnorm;
use oxysycl::ops::gemma_rmsnorm::gemma_rmsnorm;
use oxysycl::ops::l2norm::l2norm;
use oxysycl::ops::layernorm::layernorm;
use oxysycl::ops::qknorm::qknorm;
use oxysycl::ops::rmsnorm::rmsnorm;
use oxysycl::prelude::*;

use crate::norm::{all, gemma, inverse_root, natively, rms, summed};
use crate::support::*;

/// rmsnorm of packed rows.
fn packed<T: Format, const N: i64>(x: &[T], weight: &[T], eps: f32) -> Vec<T> {
    let (input, weight) = (Guarded::new(x, 0), Guarded::new(weight, 0));
    let output = Guarded::new(&vec![T::nearest(7.0); x.len()], 0);
    let rows = (x.len() / N as usize) as i64;
    rmsnorm::launch::<T, N>(
        queue(),
        input.view(),
        weight.view(),
        output.view(),
        rows,
        N,
        N,
        eps,
    )
    .unwrap();
    input.expect_untouched();
    output.after()
}

fn ones<T: Format>(count: usize) -> Vec<T> {
    vec![T::nearest(1.0); count]
}

/// A1.
#[test]
fn a_column_slice_of_a_wider_tensor_is_normalised_by_itself() {
    let wide = Rows::new(5, 96, 96);
    let mut x: Vec<bf16> = moderate(&mut Rng::with_seed(1), 5 * 96);
    x.chunks_mut(96)
        .for_each(|row| row[64..].fill(bf16::nearest(1e4)));
    let columns: Vec<bf16> = Rows::new(5, 96, 64).gather(&x);
    let (input, weight) = (Strided::new(wide, &x, 0), Guarded::new(&ones::<bf16>(64), 0));
    let output = Guarded::new(&vec![canary(); 5 * 64], 0);
    rmsnorm::launch::<bf16, 64>(
        queue(),
        input.view(),
        weight.view(),
        output.view(),
        5,
        96,
        64,
        1e-6,
    )
    .unwrap();
    expect_within("rows", &output.after(), &all(&columns, &ones(64), 1e-6, rms));
    input.memory.expect_untouched();
}

/// A2.
#[test]
fn heads_of_a_packed_tensor_are_normalised_where_they_lie() {
    let x: Vec<f16> = moderate(&mut Rng::with_seed(2), 3 * 6 * 64);
    let heads = Rows::heads((3, 384), (2, 64), 64);
    let memory = Guarded::new(&x, 0);
    let weight = Guarded::new(&ones::<f16>(64), 0);
    let empty = queue().alloc::<f16>(0).unwrap();
    let w = weight.view();
    qknorm::launch::<f16, 64>(queue(), memory.view(), empty.view(), w, w, 384, 0, 2, 0, 3, 1e-6).unwrap();
    let after = memory.after();
    heads.expect_gaps(&x, &after);
    expect_within(
        "heads",
        &heads.gather(&after),
        &all(&heads.gather(&x), &ones(64), 1e-6, rms),
    );
}

fn small<const N: i64>() {
    for rows in [1, 33] {
        let x: Vec<f16> = moderate(&mut Rng::with_seed(4), rows * N as usize);
        let weight: Vec<f16> = moderate(&mut Rng::with_seed(44), N as usize);
        let found = packed::<f16, N>(&x, &weight, 1e-6);
        expect_within(
            &format!("{rows} rows of {N}"),
            &found,
            &all(&x, &weight, 1e-6, rms),
        );
    }
}

/// A4. A work-group is always whole sub-groups: others are not launched at all.
#[test]
fn rows_shorter_than_a_sub_group_are_normalised() {
    small::<8>();
    small::<16>();
    small::<24>();
    small::<40>();
    small::<64>();
}

/// A5.
#[test]
fn odd_rows_leave_the_next_row_alone_every_time() {
    let x: Vec<f16> = moderate(&mut Rng::with_seed(5), 7 * 769);
    let weight: Vec<f16> = moderate(&mut Rng::with_seed(55), 769);
    let first = packed::<f16, 769>(&x, &weight, 1e-6);
    expect_within("rows of 769", &first, &all(&x, &weight, 1e-6, rms));
    for repeat in 1..50 {
        expect_same(
            &format!("repeat {repeat}"),
            &packed::<f16, 769>(&x, &weight, 1e-6),
            &first,
        );
    }
}

/// A5.
#[test]
fn short_odd_rows_leave_the_next_row_alone() {
    small::<1>();
    small::<3>();
    small::<7>();
}

fn fused_rows<const N: i64>() {
    let width = N as usize;
    let rng = &mut Rng::with_seed(6);
    let [x, r, w]: [Vec<f16>; 3] = [3 * width, 3 * width, width].map(|count| moderate(rng, count));
    let (input, residual, weight) = (Guarded::new(&x, 0), Guarded::new(&r, 0), Guarded::new(&w, 0));
    fused_add_rmsnorm::launch::<f16, f16, N>(
        queue(),
        input.view(),
        residual.view(),
        weight.view(),
        3,
        N,
        N,
        1e-6,
    )
    .unwrap();
    let (sum, normal) = summed(&x, &r, &w, 1e-6, rms);
    expect_same("residual", &residual.after(), &sum);
    expect_within("rows", &input.after(), &normal);
}

/// A6.
#[test]
fn fused_rows_of_any_number_of_sub_groups_are_aligned() {
    fused_rows::<896>();
    fused_rows::<1792>();
    fused_rows::<3584>();
}

fn wide_row_of_twos<const N: i64>() {
    let (x, weight) = (vec![2f32; N as usize], vec![3f32; N as usize]);
    let expected = all(&x, &weight, 0.0, rms);
    assert!(expected.iter().all(|y| y.value == 3.0));
    expect_within("a row", &packed::<f32, N>(&x, &weight, 0.0), &expected);
}

/// A7.
#[test]
fn rows_beyond_local_memory_are_normalised() {
    wide_row_of_twos::<32768>();
    wide_row_of_twos::<65536>();
}

/// A8.
#[test]
fn very_wide_rows_are_normalised() {
    let x: Vec<bf16> = of((0..2 * 53248).map(|i| f64::from(i % 53248 % 7) - 3.0));
    let weight = ones(53248);
    expect_within(
        "rows",
        &packed::<bf16, 53248>(&x, &weight, 1e-6),
        &all(&x, &weight, 1e-6, rms),
    );
}

/// A9. Every size is supported; a size that is none is refused before there is a compiler.
#[test]
fn sizes_that_no_list_has_are_supported_and_others_are_refused() {
    small::<24>();
    let memory = queue().alloc::<f16>(8).unwrap();
    let [x, y] = [memory.view(), memory.view()];
    let error = refused(rmsnorm::launch::<f16, -1>(queue(), x, x, y, 1, 8, 8, 1e-6));
    assert!(error.contains("`HIDDEN_SIZE`") && error.contains("-1"), "{error}");
}

/// A12. The fused operator has two strides and rmsnorm has two more.
#[test]
fn every_buffer_has_a_stride_of_its_own() {
    let rng = &mut Rng::with_seed(12);
    let [x, r, w]: [Vec<f16>; 3] = [3 * 64, 3 * 64, 64].map(|count| moderate(rng, count));
    let input = Strided::new(Rows::new(3, 96, 64), &x, 0);
    let residual = Strided::new(Rows::new(3, 72, 64), &r, 0);
    let output = Strided::new(Rows::new(3, 80, 64), &vec![canary(); 3 * 64], 0);
    let weight = Guarded::new(&w, 0);
    let (i, r_view) = (input.view(), residual.view());
    fused_add_rmsnorm::launch::<f16, f16, 64>(queue(), i, r_view, weight.view(), 3, 96, 72, 1e-6).unwrap();
    let (sum, normal) = summed(&x, &r, &w, 1e-6, rms);
    expect_same("residual", &residual.after(), &sum);
    expect_within("rows", &input.after(), &normal);
    rmsnorm::launch::<f16, 64>(queue(), r_view, weight.view(), output.view(), 3, 72, 80, 1e-6).unwrap();
    expect_same(
        "the fused operator is rmsnorm of the residual",
        &output.after(),
        &input.after(),
    );
}

/// The same number in a row gives 1, whatever type its squares would be too large for.
fn a_row_of_300<T: Format, const N: i64>() {
    let (row, weight) = (vec![T::nearest(300.0); N as usize], ones(N as usize));
    let expected = all(&row, &weight, 0.0, rms);
    assert!(expected.iter().all(|y| y.value == 1.0));
    expect_within("a row", &packed::<T, N>(&row, &weight, 0.0), &expected);
}

/// A15.
#[test]
fn sums_of_squares_are_f32_in_rmsnorm() {
    a_row_of_300::<f16, 64>();
    a_row_of_300::<bf16, 64>();
    a_row_of_300::<f32, 512>();
}

/// A15.
#[test]
fn sums_of_squares_are_f32_in_fused_operators() {
    let [x, r] = [100.0, 200.0].map(|x| vec![f16::nearest(x); 64]);
    let weight = Guarded::new(&ones::<f16>(64), 0);
    let (input, residual) = (Guarded::new(&x, 0), Guarded::new(&r, 0));
    let w = weight.view();
    fused_add_rmsnorm::launch::<f16, f16, 64>(queue(), input.view(), residual.view(), w, 1, 64, 64, 1e-6)
        .unwrap();
    expect_same("rows", &input.after(), &ones::<f16>(64));
    let (input, residual) = (Guarded::new(&x, 0), Guarded::new(&r, 0));
    gemma_fused_add_rmsnorm::launch::<f16, f16, 64>(
        queue(),
        input.view(),
        residual.view(),
        w,
        1,
        64,
        64,
        1e-6,
    )
    .unwrap();
    expect_same("rows of Gemma", &input.after(), &[f16::nearest(2.0); 64]);
}

/// A15.
#[test]
fn sums_of_squares_are_f32_in_heads() {
    let x = vec![f16::nearest(300.0); 2 * 64];
    let (memory, weight) = (Guarded::new(&x, 0), Guarded::new(&ones::<f16>(64), 0));
    let (q, k) = (memory.part(0, 64), memory.part(64, 64));
    qknorm::launch::<f16, 64>(queue(), q, k, weight.view(), weight.view(), 64, 64, 1, 1, 1, 1e-6).unwrap();
    expect_same("heads", &memory.after(), &ones::<f16>(2 * 64));
    let (memory, table) = (Guarded::new(&x, 0), queue().alloc::<f32>(0).unwrap());
    let (w, position) = (weight.view(), Guarded::new(&[0i32], 0));
    fused_qk_norm_rope::launch::<f16, i32, 64, true>(
        queue(),
        memory.view(),
        w,
        w,
        table.view(),
        position.view(),
        128,
        64,
        0,
        2,
        0,
        1,
        1e-6,
    )
    .unwrap();
    expect_same("packed heads", &memory.after(), &ones::<f16>(2 * 64));
}

/// A15.
#[test]
fn sums_of_squares_are_f32_in_l2norm() {
    let input = Guarded::new(&[f16::nearest(300.0); 256], 0);
    l2norm::launch(queue(), input.view(), input.view(), 1, 256, 256, 256, 1e-6).unwrap();
    expect_same("rows", &input.after(), &[f16::nearest(1.0 / 16.0); 256]);
}

/// A15. Deviations are taken from the mean before they are squared: nothing cancels.
#[test]
fn sums_are_f32_in_layernorm() {
    let x: Vec<f16> = of((0..64).map(|i| if i % 2 == 0 { 300.0 } else { 300.25 }));
    let (input, null) = (Guarded::new(&x, 0), queue().alloc::<f16>(0).unwrap());
    let w = null.view();
    layernorm::launch::<f16, f16, 64>(queue(), input.view(), w, w, input.view(), 1, 64, 64, 0.0).unwrap();
    expect_same(
        "rows",
        &input.after(),
        &of::<f16>((0..64).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 })),
    );
}

/// A16. Sums are f32 and not scaled: beyond them a row is zeros, as the operator says.
#[test]
fn rows_beyond_the_sum_of_squares_are_zeros() {
    let run = |x: f32| {
        let x = vec![x; 512];
        let mut native = vec![7.0; 512];
        rmsnorm::<f32, 512>(&x, &ones(512), &mut native, 1, 512, 512, 1e-6);
        (packed::<f32, 512>(&x, &ones(512), 1e-6), native)
    };
    let (found, native) = run(1e15);
    let expected = [Within::relative(1.0, inverse_root(&[1.0; 512], 512.0, 0.0).1 + 2.0, 1.0); 512];
    expect_within("on the device", &found, &expected);
    expect_within("natively", &native, &natively(&expected, 512));
    let (found, native) = run(1e19);
    expect_same("on the device", &found, &[0.0; 512]);
    expect_same("natively", &native, &[0.0; 512]);
}

/// A17.
#[test]
fn eps_is_added_to_the_mean_of_what_is_in_the_row() {
    let mut spike = vec![0.01f32; 4096];
    spike[0] = 100.0;
    let found = packed::<f32, 4096>(&spike, &ones(4096), 1e-5);
    expect_within("a spike", &found, &all(&spike, &ones(4096), 1e-5, rms));
    assert!((found[1] - 0.006_399_86).abs() < 5e-9, "{}", found[1]);
    assert_eq!(
        packed::<f32, 4096>(&vec![0.0; 4096], &ones(4096), 1e-5),
        vec![0.0; 4096]
    );
    let small = packed::<f32, 4096>(&vec![1e-3; 4096], &ones(4096), 1e-6);
    assert!(
        small.iter().all(|y| (y - FRAC_1_SQRT_2).abs() < 5e-6),
        "{}",
        small[0]
    );
}

/// A20. The normalised number is not rounded before it is multiplied with the weight.
#[test]
fn results_are_rounded_once() {
    let x: Vec<bf16> = of((0..64).map(|i| if i < 32 { 1.0 } else { 2.0 }));
    let weight = vec![bf16::nearest(1.015625); 64];
    let expected: Vec<bf16> = of((0..64).map(|i| if i < 32 { 0.640625 } else { 1.28125 }));
    expect_same("on the device", &packed::<bf16, 64>(&x, &weight, 1e-6), &expected);
    let mut native = ones(64);
    rmsnorm::<bf16, 64>(&x, &weight, &mut native, 1, 64, 64, 1e-6);
    expect_same("natively", &native, &expected);
}

/// A21.
#[test]
fn one_and_a_weight_are_added_in_f32() {
    let x: Vec<f32> = (0..64).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let weight = vec![bf16::nearest(0.003); 64];
    let (input, w) = (Guarded::new(&x, 0), Guarded::new(&weight, 0));
    gemma_rmsnorm::launch::<f32, bf16, 64>(queue(), input.view(), w.view(), input.view(), 1, 64, 64, 0.0)
        .unwrap();
    let after = input.after();
    let wide: Vec<f32> = weight.iter().map(|w| w.to_f32()).collect();
    expect_within("in f32", &after, &all(&x, &wide, 0.0, gemma));
    assert!(
        (after[0] - 1.003_006).abs() < 5e-7 && (after[1] + 1.003_006).abs() < 5e-7,
        "{after:?}"
    );
    // In bf16, 1.5 · 1.003 is nearer to 1.5078 than to 1.5; with the weight lost it would be 1.5.
    let x: Vec<bf16> = of((0..64).map(|i| if i % 2 == 0 { 1.25 } else { 0.661_437_83 }));
    let weight = vec![bf16::nearest(0.003); 64];
    let (input, w) = (Guarded::new(&x, 0), Guarded::new(&weight, 0));
    gemma_rmsnorm::launch::<bf16, bf16, 64>(queue(), input.view(), w.view(), input.view(), 1, 64, 64, 0.0)
        .unwrap();
    expect_within("in bf16", &input.after(), &all(&x, &weight, 0.0, gemma));
}
