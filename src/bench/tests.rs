use std::collections::BTreeMap;

use oxysycl_codegen::Instance;

use super::export::Passed;
use super::*;
use crate::argument::DeviceArgument;
use crate::check::draw;
use crate::ops;

fn sizes(ir: &Ir, asked: &[(&str, &[i64])]) -> Vec<Sizes> {
    let asked: Vec<Asked> = asked
        .iter()
        .map(|(name, values)| ((*name).to_owned(), values.to_vec()))
        .collect();
    choices(ir, &asked).unwrap()
}

fn bytes_of(kernel: &'static Kernel, dtypes: &[DType], asked: &[(&str, &[i64])]) -> u64 {
    let ir = kernel.ir().unwrap();
    let sizes = &sizes(&ir, asked)[0];
    let indices = oxysycl_codegen::indices(&ir);
    Call::new(&ir, dtypes, &indices, sizes).unwrap().bytes
}

#[test]
fn every_operator_has_sizes_that_it_takes() {
    for kernel in crate::kernels().unwrap() {
        if !kernel.module().starts_with("oxysycl::ops::") {
            continue;
        }
        let ir = kernel.ir().unwrap();
        let plan = Plan::new(kernel, &ir.combinations()[0], &[Against::Itself], &[]);
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(plan.len(), 5, "{}", ir.name);
        let largest = plan.sizes.last().unwrap();
        assert!(plan.call(&ir, largest).unwrap().bytes > 1 << 20, "{}", ir.name);
    }
}

#[test]
fn sizes_that_are_asked_for_take_the_place_of_usual_ones() {
    let ir = ops::rmsnorm::rmsnorm::kernel().ir().unwrap();
    let all = sizes(&ir, &[("num_tokens", &[3, 5]), ("HIDDEN_SIZE", &[64, 128])]);
    let consts: Vec<i64> = all.iter().map(|sizes| sizes.consts[0]).collect();
    assert_eq!(consts, [64, 64, 128, 128]);
    let shape = [("HIDDEN_SIZE".to_owned(), 64), ("num_tokens".to_owned(), 5)];
    assert_eq!(all[1].varied, shape);
    // What another kernel has is not for this one.
    assert_eq!(sizes(&ir, &[("numel", &[1])]).len(), 5);
    let refused = |name: &str, value| {
        let asked = [(name.to_owned(), vec![value])];
        expect_known([&*ir].into_iter(), &asked)
            .and_then(|()| choices(&ir, &asked).map(|_| ()))
            .unwrap_err()
            .to_string()
    };
    assert!(
        refused("tokens", 1).starts_with("there is no parameter `tokens`"),
        "{}",
        refused("tokens", 1)
    );
    let rope = ops::fused_rope::fused_rope::kernel().ir().unwrap();
    let asked = [("num_tokens".to_owned(), vec![-1])];
    let error = choices(&rope, &asked).unwrap_err().to_string();
    assert_eq!(error, "fused_rope: num_tokens=-1 is no u32");
}

#[test]
fn tables_have_as_many_rows_as_are_chosen() {
    let ir = ops::fused_rope::fused_rope::kernel().ir().unwrap();
    for sizes in sizes(&ir, &[]) {
        let named: BTreeMap<String, i64> = sizes.named.into_iter().collect();
        assert_eq!(named["num_positions"], named["num_tokens"]);
    }
    let asked = sizes(&ir, &[("num_positions", &[77])]);
    assert!(
        asked
            .iter()
            .all(|sizes| sizes.named.contains(&("num_positions".to_owned(), 77)))
    );
}

#[test]
fn bytes_count_each_element_once_for_each_way_that_it_goes() {
    // Read and written.
    let scale = ops::scale::scale::kernel();
    assert_eq!(
        bytes_of(scale, &[DType::F16], &[("numel", &[1000])]),
        2 * 1000 * 2
    );
    // Loaded twice and counted once; the weight is read.
    let rmsnorm = ops::rmsnorm::rmsnorm::kernel();
    let asked: [(&str, &[i64]); 2] = [("num_tokens", &[3]), ("HIDDEN_SIZE", &[64])];
    assert_eq!(bytes_of(rmsnorm, &[DType::F32], &asked), 4 * (2 * 3 * 64 + 64));
    // In place, so that it is read and written.
    let qknorm = ops::qknorm::qknorm::kernel();
    let asked: [(&str, &[i64]); 2] = [("num_tokens", &[3]), ("HEAD_DIM", &[64])];
    assert_eq!(
        bytes_of(qknorm, &[DType::BF16], &asked),
        2 * (2 * 3 * 40 * 64 + 2 * 64)
    );
    // Rows that indices choose, of a table that has more.
    let rope = ops::fused_rope::fused_rope::kernel();
    let asked: [(&str, &[i64]); 3] = [
        ("num_tokens", &[3]),
        ("num_positions", &[1000]),
        ("ROPE_DIM", &[64]),
    ];
    let heads = 2 * 3 * 40 * 64 * 2;
    assert_eq!(
        bytes_of(rope, &[DType::F16, DType::I64], &asked),
        heads + 3 * 64 * 4 + 3 * 8
    );
    // Slots are written only, values are read only.
    let store = ops::fused_rope_store::fused_rope_store::kernel();
    let asked: [(&str, &[i64]); 3] = [
        ("num_tokens", &[3]),
        ("num_slots", &[1000]),
        ("num_positions", &[5]),
    ];
    let heads = 2 * 3 * 40 * 128 * 2;
    let stored = 3 * (3 * 8 * 128 * 2);
    assert_eq!(
        bytes_of(store, &[DType::F16, DType::I32], &asked),
        heads + stored + 3 * 128 * 4 + 2 * 3 * 4
    );
    // A row of zeros has none.
    assert_eq!(bytes_of(scale, &[DType::F32], &[("numel", &[0])]), 0);
}

#[test]
fn drop_ins_are_called_with_what_they_know() {
    let ir = ops::fused_rope::fused_rope::kernel().ir().unwrap();
    let instance = Instance::new(&ir, &[DType::F16, DType::I64], &[128, 1]).unwrap();
    let export = Export::of(&ir, &instance);
    assert!(
        export.declaration().starts_with(
            "fused_rope_true_128_fp16_i64(void* queue, void* q, void* k, const void* cos_sin_cache"
        ),
        "{}",
        export.declaration()
    );
    let usual = &sizes(&ir, &[])[1];
    let case = draw::dense(&ir, &usual.consts, &usual.params);
    let arguments = export.arguments(&case).unwrap();
    assert_eq!(arguments.len(), 10);
    let unlike = &sizes(&ir, &[("q_head_stride", &[256]), ("q_stride", &[1 << 20])])[1];
    let case = draw::dense(&ir, &unlike.consts, &unlike.params);
    let error = export.arguments(&case).unwrap_err().to_string();
    assert!(
        error.contains("fused_rope_true_128_fp16_i64 cannot be called with"),
        "{error}"
    );
    assert!(error.contains("q_head_stride=256"), "{error}");
}

/// Cases of one export at most. Their number is odd to that of layouts, so that all layouts are among them.
const MOST: usize = 13;

/// Compares headers for `kernels` in the set `name`, which are one file, with the native functions, as `check` compares generated
/// ones: with all element types, over shapes, strides and unaligned buffers, as far as the exports can express them. `size` is
/// the first const parameter, if there is one; others are `bool`.
fn check(kernels: &[&'static Kernel], name: &'static str, size: Option<i64>) {
    let queue = Queue::new(&oxysycl_runtime::Selector::Auto).unwrap();
    let irs: Vec<_> = kernels.iter().map(|kernel| kernel.ir().unwrap()).collect();
    let header = Against::Named(name).header(kernels[0], &irs[0]).unwrap();
    let mut exports = Vec::new();
    let mut plans = Vec::new();
    let mut defines = Vec::new();
    for (kernel, ir) in kernels.iter().zip(&irs) {
        for plan in crate::check::Plan::all(kernel).unwrap() {
            let flags = ir.consts.len().saturating_sub(1);
            for flags in 0..1 << flags {
                let consts: Vec<i64> = size
                    .into_iter()
                    .chain((ir.consts.len() == 2).then_some(flags))
                    .collect();
                let instance = Instance::new(ir, plan.dtypes(), &consts).unwrap();
                defines = instance.defines()[ir.types.len()..][..usize::from(size.is_some())].to_vec();
                let export = Export::of(ir, &instance);
                let mut plan = plan.clone();
                plan.retain_small(1 << 15).unwrap();
                plan.retain_cases(|case| case.consts == consts && export.arguments(case).is_ok());
                // Enough of every layout.
                let step = plan.len().div_ceil(MOST);
                let mut nth = 0..;
                plan.retain_cases(|_| nth.next().is_some_and(|nth| nth % step == 0));
                assert!(plan.len() >= 4, "{}: {} cases", export.declaration(), plan.len());
                exports.push(export);
                plans.push((ir, plan));
            }
        }
    }
    let functions = functions(&header, &exports, &defines, &queue).unwrap_or_else(|error| panic!("{error}"));
    for ((export, (ir, plan)), function) in exports.iter().zip(&plans).zip(functions) {
        // A drop-in that is not told how long a table is does not look at indices above it.
        let mut indices = oxysycl_codegen::indices(ir);
        for indices in &mut indices {
            indices.guarded = indices.guarded && ir.attributes.drop_in.is_none();
        }
        let checked = plan.run_by(&queue, &|| (), indices, &|case, arguments| {
            let value = |passed: &Passed| match *passed {
                Passed::Buffer(id) => address(&arguments[id]).to_ne_bytes(),
                Passed::Scalar(constant) => rotation::bytes(constant),
            };
            let passed = export.arguments(case).expect("cases without were left out");
            let values: Vec<[u8; 8]> = passed.iter().map(value).collect();
            let addresses: Vec<*const [u8; 8]> = values.iter().map(|value| value as *const _).collect();
            // SAFETY: the function takes addresses of as many values as the export has parameters, of their types. The buffers
            // are as large as the case's shapes.
            unsafe { function.call(&queue, (addresses.as_ptr().expose_provenance() as u64,)) }
                .map_err(|error| crate::check::Trouble::Unloaded(error.to_string()))
        });
        let failure = checked.unwrap().failure;
        let failure = failure.map(|failure| format!("{}: {}", failure.arguments, failure.problem));
        assert_eq!(failure, None, "{name}: {}", export.declaration());
    }
}

fn address(argument: &DeviceArgument<'_>) -> u64 {
    let pointer = match argument {
        DeviceArgument::F32(view) => view.as_ptr().expose_provenance(),
        DeviceArgument::F16(view) => view.as_ptr().expose_provenance(),
        DeviceArgument::BF16(view) => view.as_ptr().expose_provenance(),
        DeviceArgument::I32(view) => view.as_ptr().expose_provenance(),
        DeviceArgument::I64(view) => view.as_ptr().expose_provenance(),
        _ => panic!("no baseline takes such a buffer"),
    };
    pointer as u64
}

#[test]
fn baselines_for_flat_kernels_are_right() {
    check(&[ops::scale::scale::kernel()], "handwritten", None);
}

#[test]
fn baselines_for_rows_are_right() {
    for name in baseline::NAMES {
        check(&[ops::act_and_mul::act_and_mul::kernel()], name, None);
        check(&[ops::rmsnorm::rmsnorm::kernel()], name, Some(768));
    }
    let timestep_embedding = ops::timestep_embedding::timestep_embedding::kernel();
    check(&[timestep_embedding], "handwritten", None);
}

#[test]
fn baselines_for_heads_are_right() {
    let rope = ops::fused_rope::fused_rope::kernel();
    let store = ops::fused_rope_store::fused_rope_store::kernel();
    for name in baseline::NAMES {
        check(&[ops::qknorm::qknorm::kernel()], name, Some(64));
        check(&[rope, store], name, Some(80));
    }
}
