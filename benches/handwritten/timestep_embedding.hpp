// Sinusoidal embeddings of time steps as they are usually written for GPUs: a work-group of 256 per row, a work-item per pair of
// sine and cosine.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten::timestep_embedding {

constexpr int kWorkGroup = 256;

template <typename T, bool kFlipSinToCos>
struct Kernel {
  const T* t;
  float* output;
  int64_t dim;
  float step;
  float scale;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t row = item.get_group(0);
    const int64_t half = dim / 2;
    const float time = scale * static_cast<float>(t[row]);
    float* sines = output + row * dim + (kFlipSinToCos ? half : 0);
    float* cosines = output + row * dim + (kFlipSinToCos ? 0 : half);
    for (int64_t i = item.get_local_id(0); i < half; i += kWorkGroup) {
      const float angle = time * ::sycl::exp(step * static_cast<float>(i));
      sines[i] = ::sycl::sin(angle);
      cosines[i] = ::sycl::cos(angle);
    }
    if (dim % 2 == 1 && item.get_local_id(0) == 0) output[row * dim + dim - 1] = 0.0f;
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<16>};
  }
};

template <typename T>
void launch(
    void* queue_ptr,
    const void* t_ptr,
    void* output_ptr,
    int32_t dim,
    bool flip_sin_to_cos,
    float downscale_freq_shift,
    float scale,
    int32_t max_period,
    int32_t batch_size) {
  if (batch_size <= 0 || dim <= 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  const T* t = static_cast<const T*>(t_ptr);
  float* output = static_cast<float*>(output_ptr);
  const float half = static_cast<float>(dim / 2);
  const float step = -::sycl::log(static_cast<float>(max_period)) / (half - downscale_freq_shift);
  const ::sycl::nd_range<1> range(int64_t{batch_size} * kWorkGroup, kWorkGroup);
  if (flip_sin_to_cos) {
    queue.parallel_for(range, Kernel<T, true>{t, output, dim, step, scale});
  } else {
    queue.parallel_for(range, Kernel<T, false>{t, output, dim, step, scale});
  }
}

}  // namespace handwritten::timestep_embedding

#define HANDWRITTEN_TIMESTEP_EMBEDDING(TAG, T)                                                                  \
  extern "C" [[gnu::visibility("default")]] void timestep_embedding_forward_##TAG(                              \
      void* queue,                                                                                              \
      const void* t,                                                                                            \
      void* output,                                                                                             \
      int32_t dim,                                                                                              \
      bool flip_sin_to_cos,                                                                                     \
      float downscale_freq_shift,                                                                               \
      float scale,                                                                                              \
      int32_t max_period,                                                                                       \
      int32_t batch_size) {                                                                                     \
    handwritten::timestep_embedding::launch<T>(                                                                 \
        queue, t, output, dim, flip_sin_to_cos, downscale_freq_shift, scale, max_period, batch_size);           \
  }

HANDWRITTEN_TIMESTEP_EMBEDDING(fp32, float)
HANDWRITTEN_TIMESTEP_EMBEDDING(fp16, ::sycl::half)
HANDWRITTEN_TIMESTEP_EMBEDDING(bf16, ::sycl::ext::oneapi::bfloat16)

#undef HANDWRITTEN_TIMESTEP_EMBEDDING
