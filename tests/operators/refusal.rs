//! Arguments that leave nothing to do, and those that make no sense.

use oxysycl::ops::fused_add_rmsnorm::fused_add_rmsnorm;
use oxysycl::ops::fused_qk_norm_rope::fused_qk_norm_rope;
use oxysycl::ops::fused_rope::fused_rope;
use oxysycl::ops::fused_rope_store::fused_rope_store;
use oxysycl::ops::gemma_fused_add_rmsnorm::gemma_fused_add_rmsnorm;
use oxysycl::ops::gemma_rmsnorm::gemma_rmsnorm;
use oxysycl::ops::layernorm::layernorm;
use oxysycl::ops::mrope::mrope;
use oxysycl::ops::per_token_group_quant_int8::per_token_group_quant_int8;
use oxysycl::ops::qknorm::qknorm;
use oxysycl::ops::rmsnorm::rmsnorm;
use oxysycl::ops::timestep_embedding::timestep_embedding;
use oxysycl::ops::{act_and_mul, add, cast, l2norm, mul, scale, silu_and_mul_clamp, swiglu_alpha_limit};
use oxysycl::prelude::*;
use oxysycl::{LaunchError, View};

use crate::support::*;

/// Ones, of which nothing may change.
fn memory<T: Format>() -> Guarded<T> {
    Guarded::new(&[T::nearest(1.0); 4096], 0)
}

/// Launches with the integers `good`, but for one at a time: 0 where `zero` says so, which must succeed, and -1 at each, which
/// must be refused by its name. Nothing may be written.
fn each<const N: usize, T: Format>(
    names: [&str; N],
    good: [i64; N],
    zero: &[&str],
    launch: impl Fn([View<'_, T>; 6], [i64; N]) -> Result<(), LaunchError>,
) {
    let buffers = [(); 6].map(|()| memory::<T>());
    let views = || [0, 1, 2, 3, 4, 5].map(|at| buffers[at].view());
    for at in 0..N {
        let mut integers = good;
        if zero.contains(&names[at]) {
            integers[at] = 0;
            launch(views(), integers).unwrap_or_else(|error| panic!("{} = 0: {error}", names[at]));
        }
        integers[at] = -1;
        let error = refused(launch(views(), integers));
        assert!(
            error.contains(&format!("`{}`", names[at])) && error.contains("is -1"),
            "{error}"
        );
    }
    buffers.iter().for_each(Guarded::expect_untouched);
    launch(views(), good).expect("a good launch after refused ones");
}

#[test]
fn elementwise_operators_check_their_size() {
    each(
        ["numel"],
        [8],
        &["numel"],
        |[a, b, y, ..]: [View<f16>; 6], [n]| add::add::launch(queue(), a, b, y, n),
    );
    each(
        ["numel"],
        [8],
        &["numel"],
        |[a, b, y, ..]: [View<f16>; 6], [n]| mul::mul::launch(queue(), a, b, y, n),
    );
    each(["numel"], [8], &["numel"], |[x, y, ..]: [View<f16>; 6], [n]| {
        scale::scale::launch(queue(), x, y, 2.0, n)
    });
    let output = memory::<f32>();
    each(["numel"], [0], &["numel"], |[x, ..]: [View<f16>; 6], [n]| {
        cast::cast::launch(queue(), x, output.view(), n)
    });
    output.expect_untouched();
}

const ROWS: [&str; 3] = ["num_tokens", "input_stride", "output_stride"];

#[test]
fn norms_check_their_sizes() {
    each(
        ROWS,
        [2, 64, 64],
        &["num_tokens"],
        |[x, w, y, ..]: [View<bf16>; 6], [n, a, b]| {
            rmsnorm::launch::<bf16, 64>(queue(), x, w, y, n, a, b, 1e-6)
        },
    );
    each(
        ROWS,
        [2, 64, 64],
        &["num_tokens"],
        |[x, w, y, ..]: [View<bf16>; 6], [n, a, b]| {
            gemma_rmsnorm::launch::<bf16, bf16, 64>(queue(), x, w, y, n, a, b, 1e-6)
        },
    );
    let names = ["num_tokens", "input_stride", "output_stride", "hidden_size"];
    each(
        names,
        [2, 64, 64, 50],
        &["num_tokens", "hidden_size"],
        |[x, y, ..]: [View<bf16>; 6], [n, a, b, width]| {
            l2norm::l2norm::launch(queue(), x, y, n, width, a, b, 1e-6)
        },
    );
}

#[test]
fn fused_norms_check_their_sizes() {
    let names = ["num_tokens", "input_stride", "residual_stride"];
    each(
        names,
        [2, 64, 64],
        &["num_tokens"],
        |[x, r, w, ..]: [View<f16>; 6], [n, a, b]| {
            fused_add_rmsnorm::launch::<f16, f16, 64>(queue(), x, r, w, n, a, b, 1e-6)
        },
    );
    each(
        names,
        [2, 64, 64],
        &["num_tokens"],
        |[x, r, w, ..]: [View<f16>; 6], [n, a, b]| {
            gemma_fused_add_rmsnorm::launch::<f16, f16, 64>(queue(), x, r, w, n, a, b, 1e-6)
        },
    );
}

/// A row of no elements has no mean, and nothing to write it to.
#[test]
fn norms_of_no_columns_write_nothing() {
    let memory = [(); 3].map(|()| memory::<f16>());
    let [x, w, y] = [0, 1, 2].map(|at| memory[at].view());
    rmsnorm::launch::<f16, 0>(queue(), x, w, y, 3, 8, 8, 1e-6).unwrap();
    memory.iter().for_each(Guarded::expect_untouched);
}

#[test]
fn gated_activations_check_their_sizes() {
    let names = ["num_tokens", "dim", "input_stride", "output_stride"];
    let zero = ["num_tokens", "dim"];
    each(
        names,
        [2, 16, 40, 24],
        &zero,
        |[x, y, ..]: [View<f16>; 6], [n, dim, a, b]| {
            silu_and_mul_clamp::silu_and_mul_clamp::launch(queue(), x, y, n, dim, a, b, 7.0)
        },
    );
    each(
        names,
        [2, 16, 40, 24],
        &zero,
        |[x, y, ..]: [View<f16>; 6], [n, dim, a, b]| {
            swiglu_alpha_limit::swiglu_alpha_limit::launch(queue(), x, y, n, dim, a, b, 1.7, 7.0)
        },
    );
}

#[test]
fn qknorm_checks_its_sizes() {
    each(
        ["q_stride", "k_stride"],
        [64, 64],
        &[],
        |[q, k, a, b, ..]: [View<f16>; 6], [qs, ks]| {
            qknorm::launch::<f16, 64>(queue(), q, k, a, b, qs, ks, 1, 1, 2, 1e-6)
        },
    );
    let memory = [(); 3].map(|()| memory::<f16>());
    let [q, k, w] = [0, 1, 2].map(|at| memory[at].view());
    for [qo, kv, n] in [[0, 0, 2], [1, 1, 0]] {
        qknorm::launch::<f16, 64>(queue(), q, k, w, w, 64, 64, qo, kv, n, 1e-6).unwrap();
    }
    memory.iter().for_each(Guarded::expect_untouched);
}

#[test]
fn fused_rope_checks_its_sizes() {
    let table = memory::<f32>();
    let positions = Guarded::new(&[1i32; 2], 0);
    let launch = |[q, k, ..]: [View<f16>; 6], [qs, ks, qh, kh, rows]: [i64; 5], [qo, kv, n]: [u32; 3]| {
        let (table, at) = (table.view(), positions.view());
        fused_rope::launch::<f16, i32, 64, true>(queue(), q, k, table, at, qs, ks, qh, kh, qo, kv, n, rows)
    };
    let names = [
        "q_stride",
        "k_stride",
        "q_head_stride",
        "k_head_stride",
        "num_positions",
    ];
    each(
        names,
        [64, 64, 64, 64, 2],
        &["num_positions"],
        |views, integers| launch(views, integers, [1, 1, 2]),
    );
    let memory = [(); 6].map(|()| memory::<f16>());
    let views = || [0, 1, 2, 3, 4, 5].map(|at| memory[at].view());
    for counts in [[0, 0, 2], [1, 1, 0]] {
        launch(views(), [64, 64, 64, 64, 2], counts).unwrap();
    }
    memory.iter().for_each(Guarded::expect_untouched);
}

#[test]
fn fused_rope_store_checks_its_sizes() {
    let table = memory::<f32>();
    let (positions, slots) = (Guarded::new(&[1i64; 2], 0), Guarded::new(&[0i64, 1], 0));
    let launch = |[q, k, v, kc, vc, _]: [View<f16>; 6], sizes: [i64; 13], [qo, kv, n]: [u32; 3]| {
        let [qs, ks, vs, kcs, vcs, qh, kh, vh, kch, vch, dim, rows, places] = sizes;
        fused_rope_store::launch::<f16, i64, 64, true>(
            queue(),
            q,
            k,
            v,
            kc,
            vc,
            table.view(),
            positions.view(),
            slots.view(),
            qs,
            ks,
            vs,
            kcs,
            vcs,
            qh,
            kh,
            vh,
            kch,
            vch,
            dim,
            rows,
            places,
            qo,
            kv,
            n,
        )
    };
    let names = [
        "q_stride",
        "k_stride",
        "v_stride",
        "k_cache_stride",
        "v_cache_stride",
        "q_head_stride",
        "k_head_stride",
        "v_head_stride",
        "k_cache_head_stride",
        "v_cache_head_stride",
        "head_dim",
        "num_positions",
        "num_slots",
    ];
    let good = [128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 2, 2];
    each(names, good, &["num_positions"], |views, sizes| {
        launch(views, sizes, [1, 1, 2])
    });
    let memory = [(); 6].map(|()| memory::<f16>());
    let views = || [0, 1, 2, 3, 4, 5].map(|at| memory[at].view());
    for counts in [[0, 0, 2], [1, 1, 0]] {
        launch(views(), good, counts).unwrap();
    }
    let mut short = good;
    short[10] = 62;
    let error = refused(launch(views(), short, [1, 1, 2]));
    assert!(error.contains("ROPE_DIM <= head_dim"), "{error}");
    memory.iter().for_each(Guarded::expect_untouched);
    // A cache without slots stores nothing.
    let mut full = good;
    full[12] = 0;
    launch(views(), full, [1, 1, 2]).unwrap();
    memory[3].expect_untouched();
    memory[4].expect_untouched();
}

#[test]
fn mrope_checks_its_sizes() {
    let table = memory::<f32>();
    let positions = Guarded::new(&[1i32; 6], 0);
    let launch = |[q, k, ..]: [View<f16>; 6], sizes: [i64; 7], [qo, kv, n]: [u32; 3]| {
        let [qs, ks, qh, kh, ps, dim, rows] = sizes;
        let (table, at) = (table.view(), positions.view());
        mrope::launch::<f16, i32, true, false>(
            queue(),
            q,
            k,
            table,
            at,
            qs,
            ks,
            qh,
            kh,
            ps,
            dim,
            dim / 6,
            dim / 6,
            dim / 6,
            rows,
            qo,
            kv,
            n,
        )
    };
    let names = [
        "q_stride",
        "k_stride",
        "q_head_stride",
        "k_head_stride",
        "positions_stride",
        "rope_dim",
        "num_positions",
    ];
    let good = [24, 24, 24, 24, 2, 24, 2];
    each(names, good, &["rope_dim", "num_positions"], |views, sizes| {
        launch(views, sizes, [1, 1, 2])
    });
    let memory = [(); 6].map(|()| memory::<f16>());
    let views = || [0, 1, 2, 3, 4, 5].map(|at| memory[at].view());
    for counts in [[0, 0, 2], [1, 1, 0]] {
        launch(views(), good, counts).unwrap();
    }
    memory.iter().for_each(Guarded::expect_untouched);
}

#[test]
fn mrope_refuses_sections_that_it_cannot_have() {
    let (table, positions) = (memory::<f32>(), Guarded::new(&[0i64, 1, 2], 0));
    let (q, k) = (memory::<f16>(), memory::<f16>());
    let launch = |interleaved: bool, [t, h, w]: [i64; 3]| {
        let (q, k, table, at) = (q.view(), k.view(), table.view(), positions.view());
        let launch = match interleaved {
            true => mrope::launch::<f16, i64, true, true>,
            false => mrope::launch::<f16, i64, true, false>,
        };
        launch(
            queue(),
            q,
            k,
            table,
            at,
            64,
            64,
            64,
            64,
            1,
            64,
            t,
            h,
            w,
            3,
            0,
            0,
            1,
        )
    };
    for sections in [
        [8, 4, 4],
        [40, 40, 40],
        [-5, 11, 10],
        [43, -11, 0],
        [0, 0, 33],
        [32, i64::MAX, 0],
    ] {
        for interleaved in [false, true] {
            let error = refused(launch(interleaved, sections));
            assert!(error.contains("section_"), "{sections:?}: {error}");
        }
    }
    for sections in [[10, 11, 11], [0, 16, 16], [0, 32, 0]] {
        launch(false, sections).unwrap();
        let error = refused(launch(true, sections));
        assert!(error.contains("section_"), "{sections:?}: {error}");
    }
    for sections in [[11, 11, 10], [32, 0, 0], [12, 10, 10]] {
        launch(false, sections).unwrap();
        launch(true, sections).unwrap();
    }
}

/// What documents ask of arguments that no size follows from.
#[test]
fn relations_between_arguments_are_checked() {
    let input = memory::<f32>();
    let (codes, scales) = (Guarded::new(&[0i8; 64], 0), Guarded::new(&[0f32; 2], 0));
    for eps in [0.0, -1.0, 1e-36, 1e-45, f32::NAN] {
        let launch = per_token_group_quant_int8::launch::<f32, 64>;
        let error = refused(launch(
            queue(),
            input.view(),
            codes.view(),
            scales.view(),
            1,
            1,
            64,
            64,
            1,
            eps,
        ));
        assert!(error.contains("eps >= 1.5e-36"), "{error}");
    }
    let output = memory::<f32>();
    for (max_period, shift, said) in [
        (0, 1.0, "max_period > 0"),
        (-7, 0.0, "max_period > 0"),
        (9, 4.0, "downscale_freq_shift"),
    ] {
        let launch = timestep_embedding::launch::<f32>;
        let error = refused(launch(
            queue(),
            input.view(),
            output.view(),
            8,
            false,
            shift,
            1.0,
            max_period,
            1,
        ));
        assert!(error.contains(said), "{error}");
    }
    codes.expect_untouched();
    output.expect_untouched();
}

#[test]
fn fused_qk_norm_rope_checks_its_sizes() {
    let table = memory::<f32>();
    let positions = Guarded::new(&[1i32; 2], 0);
    let launch = |[qkv, qw, kw, ..]: [View<f16>; 6], [stride, dim, rows]: [i64; 3], [qo, kv, n]: [u32; 3]| {
        let (table, at) = (table.view(), positions.view());
        fused_qk_norm_rope::launch::<f16, i32, 64, true>(
            queue(),
            qkv,
            qw,
            kw,
            table,
            at,
            stride,
            dim,
            rows,
            qo,
            kv,
            n,
            1e-6,
        )
    };
    let names = ["stride", "rope_dim", "num_positions"];
    each(names, [192, 32, 2], &[], |views, sizes| {
        launch(views, sizes, [1, 1, 2])
    });
    let memory = [(); 6].map(|()| memory::<f16>());
    let views = || [0, 1, 2, 3, 4, 5].map(|at| memory[at].view());
    for counts in [[0, 0, 2], [1, 1, 0]] {
        launch(views(), [192, 32, 2], counts).unwrap();
    }
    let error = refused(launch(views(), [192, 65, 2], [1, 1, 2]));
    assert!(error.contains("rope_dim <= HEAD_DIM"), "{error}");
    memory.iter().for_each(Guarded::expect_untouched);
}

#[test]
fn act_and_mul_checks_its_sizes_and_its_kind() {
    let launch = |[x, y, ..]: [View<f16>; 6], [n, dim]: [i64; 2], kind: i32| {
        act_and_mul::act_and_mul::launch(queue(), x, y, n, dim, kind)
    };
    let names = ["num_tokens", "dim"];
    each(names, [2, 16], &names, |views, sizes| launch(views, sizes, 0));
    let memory = [(); 6].map(|()| memory::<f16>());
    for kind in [-1, 3, i32::MAX] {
        let views = [0, 1, 2, 3, 4, 5].map(|at| memory[at].view());
        let error = refused(launch(views, [2, 16], kind));
        assert!(
            error.contains("act_kind") && error.contains(&kind.to_string()),
            "{error}"
        );
    }
    memory.iter().for_each(Guarded::expect_untouched);
}

#[test]
fn layernorm_checks_its_sizes() {
    each(
        ROWS,
        [2, 64, 64],
        &["num_tokens"],
        |[x, w, b, y, ..]: [View<f16>; 6], [n, from, to]| {
            layernorm::launch::<f16, f16, 64>(queue(), x, w, b, y, n, from, to, 1e-6)
        },
    );
}

#[test]
fn per_token_group_quant_int8_checks_its_sizes() {
    let (codes, scales) = (Guarded::new(&[7i8; 1024], 0), memory::<f32>());
    let launch = |[x, ..]: [View<f32>; 6], [n, groups, from, to, at]: [i64; 5], eps: f32| {
        let (q, s) = (codes.view(), scales.view());
        per_token_group_quant_int8::launch::<f32, 128>(queue(), x, q, s, n, groups, from, to, at, eps)
    };
    let names = [
        "num_tokens",
        "num_groups",
        "input_stride",
        "codes_stride",
        "scales_stride",
    ];
    // With no tokens the good launch writes nothing either.
    each(names, [0, 2, 256, 256, 2], &names[..2], |views, sizes| {
        launch(views, sizes, 1e-10)
    });
    let memory = [(); 6].map(|()| memory::<f32>());
    for eps in [0.0, -1.0, f32::NAN] {
        let views = [0, 1, 2, 3, 4, 5].map(|at| memory[at].view());
        let error = refused(launch(views, [2, 2, 256, 256, 2], eps));
        assert!(error.contains("eps >= 1.5e-36"), "{error}");
    }
    codes.expect_untouched();
    scales.expect_untouched();
}

#[test]
fn timestep_embedding_checks_its_sizes() {
    let output = memory::<f32>();
    let names = ["dim", "batch_size"];
    let launch = |[t, ..]: [View<f16>; 6], [dim, batch]: [i64; 2]| {
        let (dim, batch) = (dim as i32, batch as i32);
        timestep_embedding::launch(queue(), t, output.view(), dim, false, 0.0, 1.0, 10_000, batch)
    };
    each(names, [8, 0], &names, launch);
    output.expect_untouched();
}
