//! The operators of this project, one a file.

pub mod act_and_mul;
pub mod activation;
pub mod add;
pub mod argmax;
pub mod cast;
pub mod cumsum;
pub mod dequant_int8_per_group;
pub mod fused_add_rmsnorm;
pub mod fused_qk_norm_rope;
pub mod fused_rope;
pub mod fused_rope_store;
pub mod gemma_fused_add_rmsnorm;
pub mod gemma_rmsnorm;
pub mod l2norm;
pub mod layernorm;
pub mod mrope;
pub mod mul;
pub mod per_token_group_quant_int8;
pub mod qknorm;
pub mod rmsnorm;
pub mod scale;
pub mod silu_and_mul_clamp;
pub mod softmax;
pub mod swiglu_alpha_limit;
pub mod timestep_embedding;
