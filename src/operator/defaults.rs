//! What no signature tells: the values that parameters of these names have in PyTorch and in the field.

use oxysycl_codegen::ir::DType;

use super::Default;

/// By the parameter's name in Rust, whichever kernel has it.
const VALUES: [(&str, Default); 7] = [
    // torch.nn.RMSNorm and the norms of sgl-kernel.
    ("eps", Default::F32(1e-6)),
    // Rotations in halves, as Llama and Qwen have them.
    ("NEOX", Default::Bool(true)),
    // Sections of Qwen2-VL; only Qwen3-VL has them in turns.
    ("INTERLEAVED", Default::Bool(false)),
    // diffusers' get_timestep_embedding.
    ("flip_sin_to_cos", Default::Bool(false)),
    ("downscale_freq_shift", Default::F32(1.0)),
    ("scale", Default::F32(1.0)),
    ("max_period", Default::Integer(10_000)),
];

/// The value of the parameter `name` where none is given.
pub(super) fn value(name: &str) -> Option<Default> {
    VALUES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

/// The element type where none is given: indices are `i64`, as all of PyTorch's are.
pub(super) fn dtype(choices: &[DType]) -> Option<Default> {
    let indices = choices.iter().all(|dtype| !dtype.is_float());
    (indices && choices.contains(&DType::I64)).then_some(Default::DType(DType::I64))
}
