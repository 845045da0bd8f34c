//! Lanes with several neighbouring elements each: in vectors where everything is aligned, one by one elsewhere.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// Rotates pairs of elements in place: neighbours, or halves of the row apart.
#[sycl_kernel(
    symbol = "rotate_{T}_{NEOX}_{DIM}",
    types(T = [f32, f16, bf16]),
    shapes(q = [tokens @ stride, DIM], table = [tokens, DIM], positions = [tokens]),
    instances(DIM = [6, 64, 96]),
)]
fn rotate<T: Float, const NEOX: bool, const DIM: i64>(
    q: &mut [T],
    table: &[f32],
    positions: &[i64],
    tokens: i64,
    stride: i64,
) {
    for token in groups(tokens) {
        let mut x = q.row_mut(token * stride);
        let start = positions.load(token) * DIM;
        let cos = table.row(start);
        let sin = table.row(start + DIM / 2);
        for i in lanes(DIM / 2) {
            let (a, b) = if NEOX {
                (i, i + DIM / 2)
            } else {
                (2 * i, 2 * i + 1)
            };
            let (u, v) = (x.load(a), x.load(b));
            x.store(a, u * cos.load(i) - v * sin.load(i));
            x.store(b, u * sin.load(i) + v * cos.load(i));
        }
    }
}

/// Two buffers become one, whose halves follow the first `n` elements.
#[sycl_kernel(types(T = [f32, f16]), shapes(a = [n], b = [n], out = [3 * n]))]
fn interleave<T: Float>(a: &[T], b: &[T], out: &mut [T], n: i64) {
    for i in elements(n) {
        out.store(n + i * 2, a.load(i));
        out.store(n + 1 + 2 * i, b.load(i) * 0.5);
    }
}

/// Four neighbours become one; a fifth place is written in part, and so one by one.
#[sycl_kernel(types(T = [f32, bf16]), shapes(pixels = [n, 4], grey = [n], marks = [n, 2]))]
fn grey<T: Float>(pixels: &[T], grey: &mut [T], marks: &mut [T], n: i64) {
    for i in elements(n) {
        let alpha = pixels.load(4 * i + 3);
        let (r, b) = (pixels.load(i * 4), pixels.load(4 * i + 2));
        grey.store(i, (r + pixels.load(4 * i + 1) * 2.0 + b) * alpha);
        marks.store(2 * i, alpha);
        if alpha > 0.0 {
            marks.store(2 * i + 1, r);
        }
    }
}

/// Pairs of integers change places, unless the first one is smaller.
#[sycl_kernel(types(I = [i32, i64]), shapes(pairs = [rows @ stride, n, 2]))]
fn sort_pairs<I: Index>(pairs: &mut [I], rows: i64, stride: i64, n: i64) {
    for row in groups(rows) {
        let mut pair = pairs.row_mut(row * stride);
        for i in lanes(n) {
            let (a, b) = (pair.load(2 * i), pair.load(2 * i + 1));
            pair.store(2 * i, a.min(b));
            if b < a {
                pair.store(2 * i + 1, a);
            } else {
                pair.store(2 * i + 1, b);
            }
            pair.store(2 * i + 1, a.max(b) + pair.load(2 * i));
        }
    }
}

fn floats<T: Float>(len: usize, seed: usize) -> Vec<T> {
    let number = |i: usize| ((i * 37 + seed) % 201) as f32 * 0.0625 - 6.0;
    (0..len).map(|i| T::narrow(number(i))).collect()
}

fn rotated<
    T: Float + crate::support::Bits + oxysycl::runtime::Element + Default,
    const NEOX: bool,
    const DIM: i64,
>() {
    let tokens = 5;
    let positions: Vec<i64> = vec![3, 0, 4, 4, 1];
    for stride in [DIM, DIM + 1, DIM + 2, DIM + 16] {
        for (offset, table_offset) in [(0, 0), (1, 0), (2, 0), (0, 1), (8, 4)] {
            let table: Vec<f32> = floats(tokens * DIM as usize, 3);
            let q: Vec<T> = floats(tokens * stride as usize, 11);
            let mut native = q.clone();
            let n = tokens as i64;
            rotate::<T, NEOX, DIM>(&mut native, &table, &positions, n, stride);
            let (device, dtable) = (upload(&q, offset), upload(&table, table_offset));
            let x = device.slice(offset..offset + q.len()).expect("in range");
            let t = dtable
                .slice(table_offset..table_offset + table.len())
                .expect("in range");
            let at = upload(&positions, 0);
            rotate::launch::<T, NEOX, DIM>(queue(), x, t, at.view(), n, stride).expect("launch");
            same(&native, &x.to_vec().expect("copy"));
        }
    }
}

#[test]
fn pairs_are_rotated() {
    rotated::<f32, false, 64>();
    rotated::<f32, true, 64>();
    rotated::<f16, false, 6>();
    rotated::<bf16, false, 96>();
    rotated::<f16, true, 96>();
}

#[test]
fn buffers_are_interleaved() {
    for n in [1, 7, 8, 64, 1000, 1003] {
        for offset in [0, 1, 4] {
            let (a, b): (Vec<f16>, Vec<f16>) = (floats(n, 1), floats(n, 2));
            let mut native = floats(3 * n, 5);
            let out = upload(&native, offset);
            let out = out.slice(offset..offset + 3 * n).expect("in range");
            interleave(&a, &b, &mut native, n as i64);
            let (a, b) = (upload(&a, 0), upload(&b, 0));
            interleave::launch(queue(), a.view(), b.view(), out, n as i64).expect("launch");
            same(&native, &out.to_vec().expect("copy"));
        }
    }
}

#[test]
fn four_neighbours_become_one() {
    for n in [1, 5, 16, 333, 4096] {
        for offset in [0, 1, 2] {
            let pixels: Vec<bf16> = floats(4 * n, 9);
            let (mut native, mut marks) = (vec![bf16::ZERO; n], vec![bf16::ONE; 2 * n]);
            let (out, marked) = (queue().alloc(n).expect("allocate"), upload(&marks, 0));
            grey(&pixels, &mut native, &mut marks, n as i64);
            let device = upload(&pixels, offset);
            let device = device.slice(offset..offset + 4 * n).expect("in range");
            grey::launch(queue(), device, out.view(), marked.view(), n as i64).expect("launch");
            same(&native, &out.to_vec().expect("copy"));
            same(&marks, &marked.to_vec().expect("copy"));
        }
    }
}

#[test]
fn pairs_are_sorted() {
    for n in [1, 3, 32, 1000, 1001] {
        for (stride, offset) in [(2 * n, 0), (2 * n + 1, 0), (2 * n + 8, 1), (2 * n + 8, 4)] {
            let pairs: Vec<i32> = (0..3 * stride).map(|i| (i * 7919 % 513) as i32 - 256).collect();
            let mut native = pairs.clone();
            let device = upload(&pairs, offset);
            let device = device.slice(offset..offset + pairs.len()).expect("in range");
            sort_pairs(&mut native, 3, stride as i64, n as i64);
            sort_pairs::launch(queue(), device, 3, stride as i64, n as i64).expect("launch");
            same(&native, &device.to_vec().expect("copy"));
        }
    }
}

/// The body of `rotate`.
const ROTATION: &str = "
      const int64_t start = detail::wrapping_mul<int64_t>(positions[token], DIM);
      const float* cos = table + start;
      const float* sin = table + start + DIM / 2;
      if constexpr (NEOX) {
        detail::for_lanes<VEC>(lane, lanes, begin, end, [&](int64_t i) {
          auto x_vec = detail::load<VEC>(x + i);
          auto x_vec_ = detail::load<VEC>(x + i + DIM / 2);
          const auto cos_vec = detail::load<VEC>(cos + i);
          const auto sin_vec = detail::load<VEC>(sin + i);
#ifdef __clang__
#pragma unroll
#endif
          for (int v_ = 0; v_ < VEC; ++v_) {
            const float cos_i = cos_vec[v_];
            const float sin_i = sin_vec[v_];
            const float u = static_cast<float>(x_vec[v_]);
            const float v = static_cast<float>(x_vec_[v_]);
            x_vec[v_] = static_cast<T>(u * cos_i - v * sin_i);
            x_vec_[v_] = static_cast<T>(u * sin_i + v * cos_i);
          }
          detail::store(x + i, x_vec);
          detail::store(x + i + DIM / 2, x_vec_);
        });
      } else {
        detail::for_lanes<VEC>(lane, lanes, begin, end, [&](int64_t i) {
          auto x_vec = detail::load<2 * VEC, VEC>(x + 2 * i);
          const auto cos_vec = detail::load<VEC>(cos + i);
          const auto sin_vec = detail::load<VEC>(sin + i);
#ifdef __clang__
#pragma unroll
#endif
          for (int v_ = 0; v_ < VEC; ++v_) {
            const float cos_i = cos_vec[v_];
            const float sin_i = sin_vec[v_];
            const float u = static_cast<float>(x_vec[2 * v_]);
            const float v = static_cast<float>(x_vec[2 * v_ + 1]);
            x_vec[2 * v_] = static_cast<T>(u * cos_i - v * sin_i);
            x_vec[2 * v_ + 1] = static_cast<T>(u * sin_i + v * cos_i);
          }
          detail::store<2 * VEC, VEC>(x + 2 * i, x_vec);
        });
      }
    }
  }
};
";

/// What has to hold for vectors of it.
const ALIGNED: &str = "
  constexpr int VEC = detail::vector_width(16 / std::max({sizeof(T), sizeof(float)}), DIM / 2);
  if (!device.is_cpu() &&
      detail::aligned<VEC>(q) &&
      detail::aligned<VEC>(table) &&
      stride % VEC == 0 &&
      (DIM / 2) % VEC == 0 &&
      DIM % VEC == 0) {
";

#[test]
fn each_choice_has_a_loop_that_reads_well() {
    let text = oxysycl::codegen::header(&rotate::kernel().ir().expect("accepted"));
    assert!(text.contains(ROTATION) && text.contains(ALIGNED), "{text}");
}
