// RMSNorm for a CPU device: a work-group of one sub-group per row, neighbouring work-items on neighbouring elements, so that the
// sub-group is the vector; four sums, so that additions do not wait for each other.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten_cpu::rmsnorm {

constexpr int kSubGroup = 16;
constexpr int kSums = 4;

template <typename T, int64_t kHiddenSize>
struct Kernel {
  const T* input;
  const T* weight;
  T* output;
  int64_t input_stride;
  int64_t output_stride;
  float eps;

  void operator()(::sycl::nd_item<1> item) const {
    constexpr int64_t kStep = kSubGroup * kSums;
    constexpr int64_t kWhole = kHiddenSize / kStep * kStep;
    const int64_t row = item.get_group(0);
    const int64_t lane = item.get_local_id(0);
    const T* x = input + row * input_stride;
    T* y = output + row * output_stride;

    float sums[kSums] = {};
    for (int64_t i = lane; i < kWhole; i += kStep) {
      for (int j = 0; j < kSums; ++j) {
        const float v = static_cast<float>(x[i + j * kSubGroup]);
        sums[j] += v * v;
      }
    }
    for (int64_t i = kWhole + lane; i < kHiddenSize; i += kSubGroup) {
      const float v = static_cast<float>(x[i]);
      sums[0] += v * v;
    }
    const float own = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const float sum = ::sycl::reduce_over_group(item.get_sub_group(), own, ::sycl::plus<float>());
    const float scale = ::sycl::rsqrt(sum / static_cast<float>(kHiddenSize) + eps);

    for (int64_t i = lane; i < kHiddenSize; i += kSubGroup) {
      y[i] = static_cast<T>(static_cast<float>(x[i]) * scale * static_cast<float>(weight[i]));
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<kSubGroup>};
  }
};

template <typename T, int64_t kHiddenSize>
void launch(
    void* queue_ptr,
    const void* input,
    const void* weight,
    void* output,
    int64_t num_tokens,
    int64_t input_stride,
    int64_t output_stride,
    float eps) {
  if (num_tokens <= 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  queue.parallel_for(
      ::sycl::nd_range<1>(num_tokens * kSubGroup, kSubGroup),
      Kernel<T, kHiddenSize>{
          static_cast<const T*>(input),
          static_cast<const T*>(weight),
          static_cast<T*>(output),
          input_stride,
          output_stride,
          eps});
}

}  // namespace handwritten_cpu::rmsnorm

#define HANDWRITTEN_RMSNORM(TAG, T, HIDDEN_SIZE)                                                                \
  extern "C" [[gnu::visibility("default")]] void rmsnorm_forward_##TAG##_##HIDDEN_SIZE(                         \
      void* queue,                                                                                              \
      const void* input,                                                                                        \
      const void* weight,                                                                                       \
      void* output,                                                                                             \
      int64_t num_tokens,                                                                                       \
      int64_t input_stride,                                                                                     \
      int64_t output_stride,                                                                                    \
      float eps) {                                                                                              \
    handwritten_cpu::rmsnorm::launch<T, HIDDEN_SIZE>(                                                               \
        queue, input, weight, output, num_tokens, input_stride, output_stride, eps);                            \
  }

#if defined(SGL_RMSNORM_DTYPE_fp32)
#define HANDWRITTEN_RMSNORM_T(HIDDEN_SIZE) HANDWRITTEN_RMSNORM(fp32, float, HIDDEN_SIZE)
#elif defined(SGL_RMSNORM_DTYPE_fp16)
#define HANDWRITTEN_RMSNORM_T(HIDDEN_SIZE) HANDWRITTEN_RMSNORM(fp16, ::sycl::half, HIDDEN_SIZE)
#elif defined(SGL_RMSNORM_DTYPE_bf16)
#define HANDWRITTEN_RMSNORM_T(HIDDEN_SIZE) HANDWRITTEN_RMSNORM(bf16, ::sycl::ext::oneapi::bfloat16, HIDDEN_SIZE)
#else
#define HANDWRITTEN_RMSNORM_T(HIDDEN_SIZE)               \
  HANDWRITTEN_RMSNORM(fp32, float, HIDDEN_SIZE)          \
  HANDWRITTEN_RMSNORM(fp16, ::sycl::half, HIDDEN_SIZE)   \
  HANDWRITTEN_RMSNORM(bf16, ::sycl::ext::oneapi::bfloat16, HIDDEN_SIZE)
#endif
#ifdef SGL_RMSNORM_HIDDEN_SIZE
HANDWRITTEN_RMSNORM_T(SGL_RMSNORM_HIDDEN_SIZE)
#else
HANDWRITTEN_RMSNORM_T(1024)
HANDWRITTEN_RMSNORM_T(4096)
HANDWRITTEN_RMSNORM_T(8192)
#endif

#undef HANDWRITTEN_RMSNORM
#undef HANDWRITTEN_RMSNORM_T
