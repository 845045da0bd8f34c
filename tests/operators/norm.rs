//! Normalisation of rows.

use fastrand::Rng;
use oxysycl::ops::fused_add_rmsnorm::fused_add_rmsnorm;
use oxysycl::ops::gemma_fused_add_rmsnorm::gemma_fused_add_rmsnorm;
use oxysycl::ops::gemma_rmsnorm::gemma_rmsnorm;
use oxysycl::ops::l2norm::l2norm;
use oxysycl::ops::layernorm::layernorm;
use oxysycl::ops::qknorm::qknorm;
use oxysycl::ops::rmsnorm::rmsnorm;
use oxysycl::prelude::*;
use proptest::prelude::{Strategy, any};

use crate::support::*;

/// 1 / sqrt(sum(x²) / count + eps), and the half ULPs that it may be off by.
///
/// Each square loses one, and each addition that a term goes through: a row is gathered by at least 16 work-items, which take
/// up to 16 neighbours at a time, and halved from there. The division and the sum with eps lose one each. The root halves
/// all of that and `rsqrt` adds its 2 ULP.
pub(crate) fn inverse_root(x: &[f64], count: f64, eps: f32) -> (f64, f64) {
    let sum: f64 = x.iter().map(|x| x * x).sum();
    let halves = (1.0 + additions(x.len()) as f64 + 2.0) / 2.0 + 4.0;
    (1.0 / (sum / count + f64::from(eps)).sqrt(), halves)
}

/// Additions that a term of a row's sum goes through on the device.
fn additions(count: usize) -> usize {
    count.min(count.div_ceil(16) + 20)
}

/// Half ULPs that the root of a native sum loses beyond those of the device: there a term goes through all additions.
pub(crate) fn sequential(count: usize) -> f64 {
    (count - additions(count)) as f64 / 2.0
}

/// What may be expected natively of rows of `width`, for what may be expected on the device.
pub(crate) fn natively(expected: &[Within], width: usize) -> Vec<Within> {
    let further = |of: &Within| Within {
        error: of.error + of.value.abs() * sequential(width) * U * 1.001,
        ..*of
    };
    expected.iter().map(further).collect()
}

/// x / sqrt(mean(x²) + eps) · weight of one row; the two products lose half an ULP each.
pub(crate) fn rms<T: Format>(x: &[T], weight: &[T], eps: f32) -> Vec<Within> {
    let wide = wide(x);
    let (scale, halves) = inverse_root(&wide, wide.len() as f64, eps);
    let row = wide.iter().zip(weight).map(|(x, w)| (x, w.wide()));
    row.map(|(x, w)| Within::relative(x * scale * w, halves + 2.0, w.abs()))
        .collect()
}

/// x / sqrt(mean(x²) + eps) · (1 + weight) of one row; the sum loses half an ULP too.
pub(crate) fn gemma<T: Format>(x: &[T], weight: &[T], eps: f32) -> Vec<Within> {
    let wide = wide(x);
    let (scale, halves) = inverse_root(&wide, wide.len() as f64, eps);
    let row = wide.iter().zip(weight).map(|(x, w)| (x, 1.0 + w.wide()));
    row.map(|(x, w)| Within::relative(x * scale * w, halves + 3.0, w.abs()))
        .collect()
}

type Formula<T> = fn(&[T], &[T], f32) -> Vec<Within>;

/// Row by row.
pub(crate) fn all<T: Format>(rows: &[T], weight: &[T], eps: f32, formula: Formula<T>) -> Vec<Within> {
    rows.chunks(weight.len())
        .flat_map(|row| formula(row, weight, eps))
        .collect()
}

#[derive(Clone, Debug)]
struct Shape {
    rows: usize,
    gaps: [usize; 2],
    offsets: [usize; 3],
    seed: u64,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let offsets = [0usize..9, 0usize..9, 0usize..9];
    // Gaps of 0 keep rows packed, those of 8 keep them aligned.
    let gap = || {
        proptest::prop_oneof![
            proptest::strategy::Just(0usize),
            proptest::strategy::Just(8),
            0usize..20
        ]
    };
    (0usize..6, [gap(), gap()], offsets, any::<u64>()).prop_map(|(rows, gaps, offsets, seed)| Shape {
        rows,
        gaps,
        offsets,
        seed,
    })
}

fn eps(rng: &mut Rng) -> f32 {
    [1e-6, 1e-5, 1.0][rng.usize(..3)]
}

fn rmsnorm_is_its_formula<T: Format, const N: i64>() {
    let width = N as usize;
    property(
        12,
        shapes(),
        |Shape {
             rows,
             gaps,
             offsets,
             seed,
         }| {
            let rng = &mut Rng::with_seed(seed);
            let (x, w): (Vec<T>, Vec<T>) = (moderate(rng, rows * width), moderate(rng, width));
            let eps = eps(rng);
            let expected = all(&x, &w, eps, rms);
            let strides = gaps.map(|gap| width + gap);
            let input = Strided::new(Rows::new(rows, strides[0], width), &x, offsets[0]);
            let weight = Guarded::new(&w, offsets[1]);
            let output = Strided::new(
                Rows::new(rows, strides[1], width),
                &vec![canary(); x.len()],
                offsets[2],
            );
            let (n, [from, to]) = (rows as i64, strides.map(|stride| stride as i64));
            let launch = rmsnorm::launch::<T, N>;
            launch(
                queue(),
                input.view(),
                weight.view(),
                output.view(),
                n,
                from,
                to,
                eps,
            )
            .unwrap();
            expect_within("on the device", &output.after(), &expected);
            input.memory.expect_untouched();
            launch(
                queue(),
                input.view(),
                weight.view(),
                input.view(),
                n,
                from,
                from,
                eps,
            )
            .unwrap();
            // Other alignments may choose another variant, which adds in another order.
            expect_within("in place", &input.after(), &expected);
            weight.expect_untouched();
            let mut native = output.memory.before().to_vec();
            rmsnorm::<T, N>(input.memory.before(), &w, &mut native, n, from, to, eps);
            output.rows.expect_gaps(output.memory.before(), &native);
            expect_within(
                "natively",
                &output.rows.gather(&native),
                &natively(&expected, width),
            );
        },
    );
}

#[test]
fn rmsnorm_is_its_formula_in_f32() {
    rmsnorm_is_its_formula::<f32, 512>();
}

#[test]
fn rmsnorm_is_its_formula_in_bf16() {
    rmsnorm_is_its_formula::<bf16, 64>();
}

#[test]
fn rmsnorm_is_its_formula_for_a_row_of_no_whole_vector() {
    rmsnorm_is_its_formula::<f16, 7>();
}

#[test]
fn rmsnorm_is_its_formula_for_an_odd_row() {
    rmsnorm_is_its_formula::<f16, 769>();
}

#[test]
fn rmsnorm_is_its_formula_for_less_than_a_sub_group() {
    rmsnorm_is_its_formula::<f16, 40>();
}

fn gemma_rmsnorm_is_its_formula<T: Format, const N: i64>() {
    let width = N as usize;
    property(
        12,
        shapes(),
        |Shape {
             rows,
             gaps,
             offsets,
             seed,
         }| {
            let rng = &mut Rng::with_seed(seed);
            let (x, w): (Vec<T>, Vec<T>) = (moderate(rng, rows * width), moderate(rng, width));
            let eps = eps(rng);
            let expected = all(&x, &w, eps, gemma);
            let strides = gaps.map(|gap| width + gap);
            let input = Strided::new(Rows::new(rows, strides[0], width), &x, offsets[0]);
            let weight = Guarded::new(&w, offsets[1]);
            let output = Strided::new(
                Rows::new(rows, strides[1], width),
                &vec![canary(); x.len()],
                offsets[2],
            );
            let (n, [from, to]) = (rows as i64, strides.map(|stride| stride as i64));
            let launch = gemma_rmsnorm::launch::<T, T, N>;
            launch(
                queue(),
                input.view(),
                weight.view(),
                output.view(),
                n,
                from,
                to,
                eps,
            )
            .unwrap();
            expect_within("on the device", &output.after(), &expected);
            input.memory.expect_untouched();
            launch(
                queue(),
                input.view(),
                weight.view(),
                input.view(),
                n,
                from,
                from,
                eps,
            )
            .unwrap();
            // Other alignments may choose another variant, which adds in another order.
            expect_within("in place", &input.after(), &expected);
            weight.expect_untouched();
            let mut native = output.memory.before().to_vec();
            gemma_rmsnorm::<T, T, N>(input.memory.before(), &w, &mut native, n, from, to, eps);
            output.rows.expect_gaps(output.memory.before(), &native);
            expect_within(
                "natively",
                &output.rows.gather(&native),
                &natively(&expected, width),
            );
        },
    );
}

#[test]
fn gemma_rmsnorm_is_its_formula_in_f32() {
    gemma_rmsnorm_is_its_formula::<f32, 64>();
}

#[test]
fn gemma_rmsnorm_is_its_formula_in_bf16() {
    gemma_rmsnorm_is_its_formula::<bf16, 64>();
}

/// The sum as it is stored, and what its normalisation may be.
pub(crate) fn summed<T: Format>(
    x: &[T],
    residual: &[T],
    weight: &[T],
    eps: f32,
    f: Formula<T>,
) -> (Vec<T>, Vec<Within>) {
    let sum: Vec<T> = x
        .iter()
        .zip(residual)
        .map(|(x, r)| stored(r.wide() + x.wide()))
        .collect();
    let normal = all(&sum, weight, eps, f);
    (sum, normal)
}

/// A fused operator: its launch and its native function have one list of arguments.
macro_rules! fused {
    ($operator:ident, $formula:ident, $T:ty, $N:literal) => {{
        let width = $N as usize;
        property(
            12,
            shapes(),
            |Shape {
                 rows,
                 gaps,
                 offsets,
                 seed,
             }| {
                let rng = &mut Rng::with_seed(seed);
                let [x, r, w]: [Vec<$T>; 3] =
                    [rows * width, rows * width, width].map(|count| moderate(rng, count));
                let eps = eps(rng);
                let (sum, normal) = summed(&x, &r, &w, eps, $formula);
                let strides = gaps.map(|gap| width + gap);
                let input = Strided::new(Rows::new(rows, strides[0], width), &x, offsets[0]);
                let residual = Strided::new(Rows::new(rows, strides[1], width), &r, offsets[1]);
                let weight = Guarded::new(&w, offsets[2]);
                let (n, [from, to]) = (rows as i64, strides.map(|stride| stride as i64));
                $operator::launch::<$T, $T, $N>(
                    queue(),
                    input.view(),
                    residual.view(),
                    weight.view(),
                    n,
                    from,
                    to,
                    eps,
                )
                .unwrap();
                expect_same("the residual", &residual.after(), &sum);
                expect_within("on the device", &input.after(), &normal);
                weight.expect_untouched();
                let mut x = input.memory.before().to_vec();
                let mut r = residual.memory.before().to_vec();
                $operator::<$T, $T, $N>(&mut x, &mut r, &w, n, from, to, eps);
                input.rows.expect_gaps(input.memory.before(), &x);
                residual.rows.expect_gaps(residual.memory.before(), &r);
                expect_same("the native residual", &residual.rows.gather(&r), &sum);
                expect_within("natively", &input.rows.gather(&x), &natively(&normal, width));
            },
        );
    }};
}

#[test]
fn fused_add_rmsnorm_is_its_formula_in_f16() {
    fused!(fused_add_rmsnorm, rms, f16, 64);
}

#[test]
fn fused_add_rmsnorm_is_its_formula_in_bf16() {
    fused!(fused_add_rmsnorm, rms, bf16, 64);
}

#[test]
fn gemma_fused_add_rmsnorm_is_its_formula_in_f32() {
    fused!(gemma_fused_add_rmsnorm, gemma, f32, 64);
}

#[test]
fn gemma_fused_add_rmsnorm_is_its_formula_in_f16() {
    fused!(gemma_fused_add_rmsnorm, gemma, f16, 64);
}

/// x / sqrt(sum(x²) + eps) of one row. No division by a count, and one product less.
pub(crate) fn l2<T: Format>(x: &[T], eps: f32) -> Vec<Within> {
    let wide = wide(x);
    let (scale, halves) = inverse_root(&wide, 1.0, eps);
    wide.iter()
        .map(|x| Within::relative(x * scale, halves + 1.0, 0.0))
        .collect()
}

fn l2norm_is_its_formula<T: Format>() {
    property(
        24,
        (shapes(), 0usize..300),
        |(
            Shape {
                rows,
                gaps,
                offsets,
                seed,
            },
            width,
        )| {
            let rng = &mut Rng::with_seed(seed);
            let x: Vec<T> = moderate(rng, rows * width);
            let eps = eps(rng);
            let expected: Vec<Within> = x.chunks(width.max(1)).flat_map(|row| l2(row, eps)).collect();
            let strides = gaps.map(|gap| width + gap);
            let input = Strided::new(Rows::new(rows, strides[0], width), &x, offsets[0]);
            let output = Strided::new(
                Rows::new(rows, strides[1], width),
                &vec![canary(); x.len()],
                offsets[2],
            );
            let (n, size, [from, to]) = (rows as i64, width as i64, strides.map(|stride| stride as i64));
            l2norm::launch(queue(), input.view(), output.view(), n, size, from, to, eps).unwrap();
            expect_within("on the device", &output.after(), &expected);
            input.memory.expect_untouched();
            l2norm::launch(queue(), input.view(), input.view(), n, size, from, from, eps).unwrap();
            // Other alignments may choose another variant, which adds in another order.
            expect_within("in place", &input.after(), &expected);
            let mut native = output.memory.before().to_vec();
            l2norm(input.memory.before(), &mut native, n, size, from, to, eps);
            output.rows.expect_gaps(output.memory.before(), &native);
            expect_within(
                "natively",
                &output.rows.gather(&native),
                &natively(&expected, width),
            );
        },
    );
}

#[test]
fn l2norm_is_its_formula_in_f32() {
    l2norm_is_its_formula::<f32>();
}

#[test]
fn l2norm_is_its_formula_in_f16() {
    l2norm_is_its_formula::<f16>();
}

fn qknorm_is_its_formula<T: Format, const N: i64>() {
    let width = N as usize;
    let heads = || (0usize..4, 0usize..3);
    property(
        16,
        (shapes(), heads()),
        |(
            Shape {
                rows,
                gaps,
                offsets,
                seed,
            },
            (qo, kv),
        )| {
            let rng = &mut Rng::with_seed(seed);
            let [q, k, qw, kw]: [Vec<T>; 4] =
                [rows * qo * width, rows * kv * width, width, width].map(|count| moderate(rng, count));
            let eps = eps(rng);
            let strides = [qo * width + gaps[0], kv * width + gaps[1]];
            let q_rows = Rows::heads((rows, strides[0]), (qo, width), width);
            let k_rows = Rows::heads((rows, strides[1]), (kv, width), width);
            let queries = Strided::new(q_rows, &q, offsets[0]);
            let keys = Strided::new(k_rows, &k, offsets[1]);
            let (q_weight, k_weight) = (Guarded::new(&qw, offsets[2]), Guarded::new(&kw, 0));
            let [q_stride, k_stride] = strides.map(|stride| stride as i64);
            let (qo, kv, n) = (qo as u32, kv as u32, rows as u32);
            qknorm::launch::<T, N>(
                queue(),
                queries.view(),
                keys.view(),
                q_weight.view(),
                k_weight.view(),
                q_stride,
                k_stride,
                qo,
                kv,
                n,
                eps,
            )
            .unwrap();
            let (q, k) = (all(&q, &qw, eps, rms), all(&k, &kw, eps, rms));
            expect_within("queries on the device", &queries.after(), &q);
            expect_within("keys on the device", &keys.after(), &k);
            q_weight.expect_untouched();
            k_weight.expect_untouched();
            let (mut a, mut b) = (queries.memory.before().to_vec(), keys.memory.before().to_vec());
            qknorm::<T, N>(&mut a, &mut b, &qw, &kw, q_stride, k_stride, qo, kv, n, eps);
            expect_within("queries natively", &queries.rows.gather(&a), &natively(&q, width));
            expect_within("keys natively", &keys.rows.gather(&b), &natively(&k, width));
        },
    );
}

#[test]
fn qknorm_is_its_formula_in_f16() {
    qknorm_is_its_formula::<f16, 64>();
}

#[test]
fn qknorm_is_its_formula_in_bf16() {
    qknorm_is_its_formula::<bf16, 64>();
}

/// (x − mean) / sqrt(var + eps) · weight + bias of one row, whose sums go through `additions`.
///
/// The mean is off by half an ULP of all magnitudes for each addition, and one for the division. What it is off by is in every
/// difference, the square of which is in the variance; the rest is as for [`rms`].
pub(crate) fn layer<T: Format>(x: &[T], weight: &[T], bias: &[T], eps: f32, additions: usize) -> Vec<Within> {
    let (x, count, additions) = (wide(x), x.len() as f64, additions as f64);
    let mean = x.iter().sum::<f64>() / count;
    let mean_error = (additions + 1.0) * U * x.iter().map(|x| x.abs()).sum::<f64>() / count;
    let centred: Vec<f64> = x.iter().map(|x| x - mean).collect();
    let errors: Vec<f64> = centred
        .iter()
        .map(|c| mean_error + U * (c.abs() + mean_error))
        .collect();
    let squares = centred.iter().zip(&errors);
    let var_error = squares.map(|(c, e)| 2.0 * c.abs() * e + e * e).sum::<f64>() / count;
    let var = centred.iter().map(|c| c * c).sum::<f64>() / count + f64::from(eps);
    let var_error = (var_error + (additions + 3.0) * U * (var + var_error)) * 1.001;
    assert!(var_error < var / 2.0, "nothing is known of the root");
    let scale = 1.0 / var.sqrt();
    let scale_error = (1.0 / (var - var_error).sqrt() - scale) * 1.001 + 4.0 * U * scale;
    let row = centred.iter().zip(&errors).enumerate();
    row.map(|(at, (c, e))| {
        let (w, b) = (
            weight.get(at).map_or(1.0, |w| w.wide()),
            bias.get(at).map_or(0.0, |b| b.wide()),
        );
        let product = c * scale * w;
        let error = (e * (scale + scale_error) + c.abs() * scale_error) * w.abs() + 2.0 * U * product.abs();
        let value = product + b;
        Within {
            value,
            error: (error + U * (value.abs() + error)) * 1.001 + TINY * (1.0 + w.abs()),
        }
    })
    .collect()
}

fn layernorm_is_its_formula<T: Format, const N: i64>() {
    let width = N as usize;
    // With and without weight and bias.
    property(
        16,
        (shapes(), [0usize..2, 0usize..2]),
        |(
            Shape {
                rows,
                gaps,
                offsets,
                seed,
            },
            given,
        )| {
            let rng = &mut Rng::with_seed(seed);
            let x: Vec<T> = moderate(rng, rows * width);
            let [w, b]: [Vec<T>; 2] = given.map(|given| moderate(rng, given * width));
            let eps = eps(rng);
            let formula = |additions: usize| -> Vec<Within> {
                x.chunks(width)
                    .flat_map(|row| layer(row, &w, &b, eps, additions))
                    .collect()
            };
            let strides = gaps.map(|gap| width + gap);
            let input = Strided::new(Rows::new(rows, strides[0], width), &x, offsets[0]);
            let output = Strided::new(
                Rows::new(rows, strides[1], width),
                &vec![canary(); x.len()],
                offsets[1],
            );
            let (weight, bias) = (Guarded::new(&w, offsets[2]), Guarded::new(&b, offsets[0]));
            let null = queue().alloc::<T>(0).unwrap();
            let view = |given: usize, memory| if given == 1 { memory } else { null.view() };
            let (w_view, b_view) = (view(given[0], weight.view()), view(given[1], bias.view()));
            let (n, [from, to]) = (rows as i64, strides.map(|stride| stride as i64));
            let launch = layernorm::launch::<T, T, N>;
            launch(
                queue(),
                input.view(),
                w_view,
                b_view,
                output.view(),
                n,
                from,
                to,
                eps,
            )
            .unwrap();
            expect_within("on the device", &output.after(), &formula(additions(width)));
            input.memory.expect_untouched();
            launch(
                queue(),
                input.view(),
                w_view,
                b_view,
                input.view(),
                n,
                from,
                from,
                eps,
            )
            .unwrap();
            // Other alignments may choose another variant, which adds in another order.
            expect_within("in place", &input.after(), &formula(additions(width)));
            weight.expect_untouched();
            bias.expect_untouched();
            let mut native = output.memory.before().to_vec();
            layernorm::<T, T, N>(input.memory.before(), &w, &b, &mut native, n, from, to, eps);
            output.rows.expect_gaps(output.memory.before(), &native);
            expect_within("natively", &output.rows.gather(&native), &formula(width));
        },
    );
}

#[test]
fn layernorm_is_its_formula_in_f32() {
    layernorm_is_its_formula::<f32, 769>();
}

#[test]
fn layernorm_is_its_formula_in_f16() {
    layernorm_is_its_formula::<f16, 64>();
}

/// The mean is up to a million times the spread: what is lost stays below a few units in the last place of 1.
fn layernorm_corrects_its_mean<const N: i64>() {
    let (width, rows) = (N as usize, 3);
    let one = Guarded::new(&vec![1f32; width], 0);
    let zero = Guarded::new(&vec![0f32; width], 0);
    let mut worst = 0.0f64;
    for (mean, spread) in [(0.0, 1.0), (100.0, 0.1), (1e4, 1e-2), (-1e6, 1.0), (3e6, 10.0)] {
        let rng = &mut Rng::with_seed(9);
        let x: Vec<f32> = of((0..rows * width).map(|_| mean + spread * (rng.f64() * 2.0 - 1.0)));
        let (input, output) = (
            Guarded::new(&x, 0),
            Guarded::new(&vec![canary::<f32>(); x.len()], 0),
        );
        let launch = layernorm::launch::<f32, f32, N>;
        launch(
            queue(),
            input.view(),
            one.view(),
            zero.view(),
            output.view(),
            3,
            N,
            N,
            1e-12,
        )
        .unwrap();
        for (x, y) in x.chunks(width).zip(output.after().chunks(width)) {
            let x = wide(x);
            let mean = x.iter().sum::<f64>() / N as f64;
            let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / N as f64;
            for (x, y) in x.iter().zip(y) {
                let known = (x - mean) / (variance + 1e-12f32.wide()).sqrt();
                worst = worst.max((y.wide() - known).abs() / known.abs().max(1.0));
            }
        }
    }
    let ulps = worst / f64::from(f32::EPSILON);
    println!("layernorm of {N}: {ulps:.2} ULP");
    assert!(ulps < 4.0, "{N} elements: {ulps} ULP");
}

#[test]
fn layernorm_corrects_its_mean_in_rows_of_any_width() {
    layernorm_corrects_its_mean::<16>();
    layernorm_corrects_its_mean::<1024>();
    layernorm_corrects_its_mean::<4096>();
}

/// A NaN spoils its own row; an infinity makes all finite numbers of its row zeros, and itself NaN.
#[test]
fn specials_stay_in_their_rows() {
    let mut x = vec![f16::ONE; 4 * 40];
    x[40 + 39] = f16::NAN;
    x[80] = f16::NEG_INFINITY;
    let (input, weight) = (Guarded::new(&x, 0), Guarded::new(&[f16::ONE; 40], 0));
    let output = Guarded::new(&[f16::ZERO; 4 * 40], 0);
    rmsnorm::launch::<f16, 40>(
        queue(),
        input.view(),
        weight.view(),
        output.view(),
        4,
        40,
        40,
        0.0,
    )
    .unwrap();
    let mut expected = vec![f16::ONE; 4 * 40];
    expected[40..80].fill(f16::NAN);
    expected[80..120].fill(f16::ZERO);
    expected[80] = f16::NAN;
    expect_same("on the device", &output.after(), &expected);
}
