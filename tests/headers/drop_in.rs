//! Exports whose signatures others fixed.

use std::collections::BTreeSet;
use std::fs;

use object::{Object, ObjectSymbol};
use oxysycl::prelude::*;
use oxysycl::runtime::{Module, Runtime, Source, Target, Unit};
use oxysycl::{Header, Queue, Selector};

/// Each row of `x` by the row of `table` that its number names, from the other end if `FLIP`.
#[sycl_kernel(
    header = "tests/turn.hpp",
    types(T = [f32, f16]),
    instances(WIDTH = [4]),
    shapes(
        x = [tokens @ stride, WIDTH],
        table = [rows, WIDTH],
        pairs = [2 * rows],
        ids = [tokens],
        y = [tokens, WIDTH],
    ),
    drop_in(
        symbol = "turn_{FLIP}_{WIDTH}_{T}",
        args(y, ids, x, table, pairs, spare: i32, tokens, blocks: i32, WIDTH_TAG: f32),
        stride = WIDTH * blocks as i64,
        rows = unbounded,
        factor = -WIDTH_TAG / 0.5,
        offset = 7 - (blocks - 1),
    ),
)]
#[expect(clippy::too_many_arguments, reason = "they are what is tested")]
pub(crate) fn turn<T: Float, const WIDTH: i64, const FLIP: bool>(
    x: &[T],
    table: &[f32],
    pairs: &[f32],
    ids: &[i64],
    y: &mut [T],
    tokens: i64,
    stride: i64,
    rows: i64,
    factor: f32,
    offset: i32,
) {
    for token in groups(tokens) {
        let id = ids.load(token).min(rows - 1);
        let x = x.row(token * stride);
        let table = table.row(id * WIDTH);
        let pair = pairs.row(2 * id);
        let mut y = y.row_mut(token * WIDTH);
        for i in lanes(WIDTH) {
            let at = if FLIP { WIDTH - 1 - i } else { i };
            let sum = factor * pair.load(1) + offset as f32;
            y.store(i, x.load(i) * table.load(at) + sum);
        }
    }
}

/// Each element by a factor.
#[sycl_kernel(
    header = "tests/turn.hpp",
    shapes(x = [n]),
    drop_in(symbol = "stretch_twice", args(queue: bool, n, x), factor = (5000000000 as i64 / 2500000000) as f32),
)]
pub(crate) fn stretch(x: &mut [f32], factor: f32, n: i64) {
    for i in elements(n) {
        x.store(i, x.load(i) * factor);
    }
}

fn header() -> Header {
    let headers = oxysycl::headers().unwrap();
    let mut found = headers
        .into_iter()
        .filter(|header| header.path() == "tests/turn.hpp");
    found.next().unwrap()
}

fn unit(defines: &[(&str, &str)]) -> Unit {
    let defines = defines
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()));
    Unit {
        source: Source::Header {
            name: "turn.hpp".to_owned(),
            text: header().text().unwrap(),
        },
        defines: defines.collect(),
        include_dirs: Vec::new(),
        target: Target::Spir64,
    }
}

fn module() -> &'static Module {
    Runtime::global().unwrap().module(&unit(&[])).unwrap()
}

#[test]
fn each_instance_has_both_exports_and_no_other() {
    let exports = |defines: &[(&str, &str)]| {
        let library = Runtime::global().unwrap().library(&unit(defines)).unwrap();
        let bytes = fs::read(library.path()).unwrap();
        let file = object::File::parse(bytes.as_slice()).unwrap();
        let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let names = defined.map(|symbol| symbol.name().unwrap().to_owned());
        names.collect::<BTreeSet<String>>()
    };
    let mut expected: BTreeSet<String> = [
        "turn_last_error",
        "turn_shape_for_gpu",
        "stretch_last_error",
        "stretch_shape_for_gpu",
        "stretch_forward",
        "stretch_twice",
    ]
    .map(str::to_owned)
    .into();
    expected.extend([
        "turn_forward_fp16_4_true".to_owned(),
        "turn_true_4_fp16".to_owned(),
    ]);
    let chosen = [("OXYSYCL_TURN_T_DTYPE_fp16", ""), ("OXYSYCL_TURN_FLIP", "true")];
    assert_eq!(exports(&chosen), expected);
    for (dtype, flip) in [("fp32", false), ("fp32", true), ("fp16", false)] {
        expected.insert(format!("turn_forward_{dtype}_4_{flip}"));
        expected.insert(format!("turn_{flip}_4_{dtype}"));
    }
    assert_eq!(exports(&[]), expected);
}

#[test]
fn what_it_is_passed_and_what_it_sets_arrives() {
    let queue = Queue::new(&Selector::Auto).unwrap();
    let numbers = |count: usize| (0..count).map(|i| i as f32 - 3.0).collect::<Vec<f32>>();
    let (x, table, pairs, ids) = (numbers(2 * 12), numbers(5 * 4), numbers(5 * 2), [4i64, 1]);
    let mut expected = [0.0f32; 8];
    turn::sized(
        4,
        true,
        &x,
        &table,
        &pairs,
        &ids,
        &mut expected,
        2,
        12,
        5,
        -3.0,
        5,
    );
    let upload = |values: &[f32]| queue.upload(values).unwrap();
    let (x, table, pairs, ids) = (
        upload(&x),
        upload(&table),
        upload(&pairs),
        queue.upload(&ids).unwrap(),
    );
    let y = upload(&[0.0; 8]);
    let function = module()
        .function("turn_true_4_fp32", Some("turn_last_error"))
        .unwrap();
    let call = |tokens: i64, blocks: i32| {
        let buffers = (y.view(), ids.view(), x.view(), table.view(), pairs.view());
        let (y, ids, x, table, pairs) = buffers;
        // SAFETY: these are the types of `args(..)`, and the buffers hold what `tokens` and `blocks` say.
        unsafe { function.call(&queue, (y, ids, x, table, pairs, 99i32, tokens, blocks, 1.5f32)) }
    };
    call(2, 3).unwrap();
    assert_eq!(y.to_vec().unwrap(), expected);
    // Refusals name the kernel's own parameters.
    let refused = call(2, -3).unwrap_err().to_string();
    assert!(refused.contains("turn: stride is -12"), "{refused}");
}

#[test]
fn what_it_leaves_open_is_looked_at_where_it_begins() {
    let queue = Queue::new(&Selector::Auto).unwrap();
    let (x, table) = (
        queue.upload(&[1.0f32; 4]).unwrap(),
        queue.upload(&[2.0f32; 8]).unwrap(),
    );
    let (pairs, ids) = (
        queue.upload(&[0.0f32; 4]).unwrap(),
        queue.upload(&[1i64]).unwrap(),
    );
    let y = queue.upload(&[0.0f32; 4]).unwrap();
    let function = module()
        .function("turn_forward_fp32_4_false", Some("turn_last_error"))
        .unwrap();
    let call = |rows: i64| {
        let buffers = (x.view(), table.view(), pairs.view(), ids.view(), y.view());
        let (x, table, pairs, ids, y) = buffers;
        // SAFETY: these are the kernel's types, and the buffers hold two rows.
        unsafe { function.call(&queue, (x, table, pairs, ids, y, 1i64, 4i64, rows, 1.0f32, 3i32)) }
    };
    call(2).unwrap();
    let refused = call(i64::MAX / 4).unwrap_err().to_string();
    assert!(
        refused.contains("turn: table is larger than any memory"),
        "{refused}"
    );
    call(i64::MAX).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5.0; 4]);

    let function = module()
        .function("turn_false_4_fp32", Some("turn_last_error"))
        .unwrap();
    let table = table.view();
    // Even so it is known where the table begins.
    let (y, ids, x, pairs) = (table, ids.view(), x.view(), pairs.view());
    // SAFETY: it is refused.
    let same = unsafe { function.call(&queue, (y, ids, x, table, pairs, 0i32, 1i64, 1i32, 1.0f32)) };
    let refused = same.unwrap_err().to_string();
    assert!(refused.contains("turn: y overlaps table"), "{refused}");
}

#[test]
fn a_kernel_without_choices_has_one_too() {
    let queue = Queue::new(&Selector::Auto).unwrap();
    let x = queue.upload(&[1.5f32, -2.0]).unwrap();
    let function = module()
        .function("stretch_twice", Some("stretch_last_error"))
        .unwrap();
    // SAFETY: these are the types of `args(..)`, and the buffer holds two elements.
    unsafe { function.call(&queue, (true, 2i64, x.view())) }.unwrap();
    assert_eq!(x.to_vec().unwrap(), [3.0, -4.0]);
}

#[test]
fn only_a_header_with_something_untold_speaks_of_it() {
    let text = header().text().unwrap();
    for (line, times) in [
        ("constexpr bool is_told(int64_t extent)", 1),
        ("(detail::is_told(rows) ? rows : 1) * WIDTH}", 1),
        (" detail::is_told(rows) ? 2 * rows : 1}", 1),
        ("int64_t{WIDTH} * static_cast<int64_t>(blocks),", 1),
    ] {
        assert_eq!(text.matches(line).count(), times, "{line}: {text}");
    }
    let alone = oxysycl::codegen::header(&stretch::kernel().ir().unwrap());
    assert!(
        alone.contains("stretch_twice") && !alone.contains("is_told"),
        "{alone}"
    );
}
