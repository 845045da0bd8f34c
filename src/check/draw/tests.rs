//! What is promised of the cases, for this project's kernels and for one of a user.
#![allow(clippy::too_many_arguments, reason = "a kernel takes what it takes")]

use std::collections::BTreeSet;
use std::rc::Rc;

use super::size::{LENGTHS, ROWS, WIDTHS};
use super::*;
use crate::ops::rmsnorm::rmsnorm;
use crate::ops::scale::scale;
use crate::prelude::*;

/// A kernel as a user may have it: a width at run time, a flag, narrow counts, heads, several types.
#[sycl_kernel(
    symbol = "attend_{T}_{I}_{CAUSAL}",
    types(T = [f16, bf16], I = [i32, i64]),
    shapes(
        x = [tokens as i64 @ token_stride, heads @ head_stride, width],
        positions = [tokens as i64],
        y = [tokens as i64, heads, width],
    ),
)]
#[allow(dead_code, reason = "run by way of its twins")]
fn attend<T: Float, I: Index, const CAUSAL: bool>(
    x: &[T],
    positions: &[I],
    y: &mut [T],
    tokens: u32,
    heads: i64,
    width: i64,
    token_stride: i64,
    head_stride: i64,
    scale: f32,
    shift: i32,
) {
    for (token, head) in groups((tokens as i64, heads)) {
        let from = x.row(token * token_stride + head * head_stride);
        let mut to = y.row_mut((token * heads + head) * width);
        let position = if CAUSAL {
            positions.load(token)
        } else {
            shift as i64
        };
        for i in lanes(width) {
            to.store(i, from.load(i) * scale + position as f32);
        }
    }
}

fn rmsnorm_ir() -> Rc<Kernel> {
    rmsnorm::kernel().ir().expect("rmsnorm lowers")
}

fn attend_ir() -> Rc<Kernel> {
    attend::kernel().ir().expect("attend lowers")
}

/// The value of the scalar parameter `name`.
fn value(ir: &Kernel, case: &Case, name: &str) -> i64 {
    let id = ir
        .params
        .iter()
        .position(|param| param.name == name)
        .expect("a parameter");
    case.values().params[&id]
}

#[test]
fn every_width_meets_every_number_of_rows() {
    let ir = rmsnorm_ir();
    let cases = cases(&ir);
    let mut large = 0;
    for width in WIDTHS {
        for rows in ROWS {
            let is_it = |case: &&Case| case.consts == [width] && value(&ir, case, "num_tokens") == rows;
            let count = cases.iter().filter(is_it).count();
            // Of the large ones some are enough.
            if 2 * width * rows > 1 << 18 {
                large += usize::from(count >= 2);
            } else {
                assert!(count >= 2, "{rows} rows of {width}");
            }
        }
    }
    assert!(large >= 2, "{large} large cases");
}

#[test]
fn few_rows_are_laid_out_in_every_way() {
    let ir = rmsnorm_ir();
    for width in WIDTHS {
        let layouts = cases(&ir)
            .into_iter()
            .filter(|case| case.consts == [width] && value(&ir, case, "num_tokens") == 2);
        assert_eq!(layouts.map(|case| case.layout).collect::<Vec<_>>(), LAYOUTS);
    }
}

#[test]
fn strides_are_as_the_layout_says() {
    let ir = rmsnorm_ir();
    for case in cases(&ir) {
        let width = case.consts[0];
        let (input, output) = (
            value(&ir, &case, "input_stride"),
            value(&ir, &case, "output_stride"),
        );
        assert!(input >= width && output >= width, "rows must not overlap");
        match case.layout.spacing {
            Spacing::Dense => assert_eq!((input, output), (width, width)),
            Spacing::Padded => assert!(input > width && input % 8 == 0 && output % 8 == 0),
            Spacing::Odd => assert!(input % 2 == 1 && output % 2 == 1 && input > width),
        }
        let is_dense = case.layout.spacing == Spacing::Dense;
        assert_eq!(
            input == output,
            case.layout.in_place || is_dense,
            "buffers that are one have one stride"
        );
    }
}

#[test]
fn flat_kernels_get_every_length() {
    let ir = scale::kernel().ir().expect("scale lowers");
    let cases = cases(&ir);
    for length in LENGTHS {
        let layouts = cases.iter().filter(|case| value(&ir, case, "numel") == length);
        let layouts: Vec<_> = layouts
            .map(|case| (case.layout.shifted, case.layout.in_place))
            .collect();
        assert_eq!(
            layouts,
            [(false, false), (true, false), (false, true), (true, true)]
        );
    }
}

#[test]
fn parameters_of_users_get_their_roles() {
    let ir = attend_ir();
    let roles = roles(&ir);
    let role = |name| {
        roles[ir
            .params
            .iter()
            .position(|param| param.name == name)
            .expect("a parameter")]
    };
    assert_eq!(
        [role("tokens"), role("heads"), role("width")],
        [Role::Rows, Role::Rows, Role::Width]
    );
    assert_eq!(
        [role("token_stride"), role("head_stride")],
        [Role::Stride, Role::Stride]
    );
    assert_eq!([role("scale"), role("shift")], [Role::Other, Role::Other]);
}

#[test]
fn both_values_of_a_flag_and_unlike_counts_are_drawn() {
    let ir = attend_ir();
    let cases = cases(&ir);
    assert!(cases.iter().any(|case| case.consts == [0]) && cases.iter().any(|case| case.consts == [1]));
    assert!(
        cases
            .iter()
            .any(|case| value(&ir, case, "tokens") != value(&ir, case, "heads"))
    );
}

#[test]
fn strides_of_strides_leave_room_for_what_is_inside() {
    let ir = attend_ir();
    for case in cases(&ir) {
        let value = |name| value(&ir, &case, name);
        assert!(value("head_stride") >= value("width"));
        assert!(
            value("token_stride") >= value("heads") * value("head_stride"),
            "{}",
            case.describe(&ir)
        );
    }
}

#[test]
fn drawing_twice_draws_the_same() {
    assert_eq!(cases(&rmsnorm_ir()), cases(&rmsnorm_ir()));
}

#[test]
fn no_buffer_is_larger_than_promised() {
    for ir in [rmsnorm_ir(), attend_ir()] {
        assert!(
            cases(&ir)
                .iter()
                .all(|case| largest(&ir, &case.values()).is_some_and(|length| length <= MOST))
        );
    }
}

#[test]
fn a_case_is_described_in_one_line() {
    let ir = rmsnorm_ir();
    let case = cases(&ir)
        .into_iter()
        .find(|case| case.layout.in_place && case.layout.shifted)
        .expect("such a case");
    assert_eq!(
        case.describe(&ir),
        "HIDDEN_SIZE=1 num_tokens=1 input_stride=5 output_stride=5 eps=3.0, unaligned, in place"
    );
}

/// A kernel with variants, one of them of a width.
#[sycl_kernel(
    shapes(x = [rows, width], y = [rows, width]),
    specialize(kind in [-1, 4, 7], flip in [false, true], width in [5, 64]),
)]
#[allow(dead_code, reason = "run by way of its twins")]
fn choose(x: &[f32], y: &mut [f32], rows: i64, width: i64, kind: i8, flip: bool) {
    for row in groups(rows) {
        for i in lanes(width) {
            let v = x.load(row * width + i);
            y.store(row * width + i, if flip { -v } else { v } * kind as f32);
        }
    }
}

#[test]
fn every_listed_value_is_drawn_and_no_other() {
    let ir = choose::kernel().ir().expect("choose lowers");
    let cases = cases(&ir);
    let drawn = |rows: bool| -> BTreeSet<[i64; 3]> {
        let with_rows = cases.iter().filter(|case| !rows || value(&ir, case, "rows") > 0);
        with_rows
            .map(|case| ["kind", "flip", "width"].map(|name| value(&ir, case, name)))
            .collect()
    };
    let mut listed = BTreeSet::new();
    for kind in [-1, 4, 7] {
        for flip in [0, 1] {
            listed.extend([[kind, flip, 5], [kind, flip, 64]]);
        }
    }
    assert_eq!(drawn(false), listed);
    assert_eq!(drawn(true), listed);
}

#[sycl_kernel(
    shapes(x = [rows, 8], y = [rows, 8], bias = [8], scale = [rows]),
    optional(bias, scale), specialize(kind in [0, 1, 2]),
)]
#[allow(dead_code, reason = "run by way of its twins")]
fn adjust(x: &[f32], y: &mut [f32], bias: &[f32], scale: &[f32], rows: i64, kind: i64) {
    for row in groups(rows) {
        let factor = if scale.is_empty() { 1.0 } else { scale.load(row) };
        for i in lanes(8) {
            let shift = if bias.is_empty() { 0.0 } else { bias.load(i) };
            y.store(row * 8 + i, x.load(row * 8 + i) * factor + shift * kind as f32);
        }
    }
}

#[test]
fn optional_buffers_are_given_and_not_with_every_value() {
    let ir = adjust::kernel().ir().expect("adjust lowers");
    let cases = cases(&ir);
    let drawn: BTreeSet<(i64, Vec<ParamId>)> = cases
        .iter()
        .filter(|case| value(&ir, case, "rows") > 0)
        .map(|case| (value(&ir, case, "kind"), case.absent.clone()))
        .collect();
    assert_eq!(drawn.len(), 12, "{drawn:?}");
    let described = cases.iter().map(|case| case.describe(&ir));
    assert!(
        described
            .into_iter()
            .any(|text| text.ends_with(", without bias, without scale"))
    );
}
