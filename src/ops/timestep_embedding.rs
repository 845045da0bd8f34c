//! Sinusoidal embeddings of time steps.

use crate::prelude::*;

/// Row `b` of the output is `sin(a₀), sin(a₁), … | cos(a₀), cos(a₁), …` with
/// `aᵢ = scale · t[b] · max_period^(−i / (h − downscale_freq_shift))` and `h = ⌊dim / 2⌋`; cosines come first
/// if `flip_sin_to_cos`. The last element of an odd row is 0.
///
/// `max_period` is above 0, and the shift is not `h`. The output is `f32` whatever `t` is.
#[sycl_kernel(
    symbol = "timestep_embedding_forward_{T}",
    header = "diffusion/timestep_embedding.hpp",
    types(T = [f32, f16, bf16]),
    shapes(t = [batch_size as i64], output = [batch_size as i64, dim as i64]),
    specialize(flip_sin_to_cos in [false, true]),
)]
#[allow(clippy::too_many_arguments)]
pub fn timestep_embedding<T: Float>(
    t: &[T],
    output: &mut [f32],
    dim: i32,
    flip_sin_to_cos: bool,
    downscale_freq_shift: f32,
    scale: f32,
    max_period: i32,
    batch_size: i32,
) {
    let width = dim as i64;
    let half = width / 2;
    assert!(max_period > 0);
    assert!(
        half == 0 || downscale_freq_shift != half as f32,
        "the exponent is divided by their difference"
    );
    let step = -(max_period as f32).ln() / (half as f32 - downscale_freq_shift);
    for row in groups(batch_size as i64) {
        let mut y = output.row_mut(row * width);
        let time = scale * t.load(row);
        for i in lanes(half) {
            let angle = time * (step * i as f32).exp();
            let (first, second) = if flip_sin_to_cos {
                (angle.cos(), angle.sin())
            } else {
                (angle.sin(), angle.cos())
            };
            y.store(i, first);
            y.store(half + i, second);
        }
        if 2 * half < width {
            y.store(2 * half, 0.0);
        }
    }
}
