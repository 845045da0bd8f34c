// RMSNorm as it is usually written for GPUs: a work-group of 256 per row, the widest vector that divides the row, and two
// passes, of which the second reads the row again. Rows that are not aligned take the same kernel with vectors of one element.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten::rmsnorm {

constexpr int kWorkGroup = 256;

template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
  T data[N];
};

template <typename T, int N, int64_t kHiddenSize>
struct Kernel {
  const T* input;
  const T* weight;
  T* output;
  int64_t input_stride;
  int64_t output_stride;
  float eps;

  void operator()(::sycl::nd_item<1> item) const {
    using V = Vector<T, N>;
    constexpr int64_t kVectors = kHiddenSize / N;
    const int64_t row = item.get_group(0);
    const int64_t first = item.get_local_id(0);
    const V* x = reinterpret_cast<const V*>(input + row * input_stride);
    const V* w = reinterpret_cast<const V*>(weight);
    V* y = reinterpret_cast<V*>(output + row * output_stride);

    float sum = 0.0f;
    for (int64_t i = first; i < kVectors; i += kWorkGroup) {
      const V v = x[i];
      for (int j = 0; j < N; ++j) sum += static_cast<float>(v.data[j]) * static_cast<float>(v.data[j]);
    }
    sum = ::sycl::reduce_over_group(item.get_group(), sum, ::sycl::plus<float>());
    const float scale = ::sycl::rsqrt(sum / static_cast<float>(kHiddenSize) + eps);

    for (int64_t i = first; i < kVectors; i += kWorkGroup) {
      const V v = x[i];
      const V g = w[i];
      V out;
      for (int j = 0; j < N; ++j) {
        out.data[j] = static_cast<T>(static_cast<float>(v.data[j]) * scale * static_cast<float>(g.data[j]));
      }
      y[i] = out;
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<16>};
  }
};

// The widest vector of at most 16 bytes that divides a row.
template <typename T>
constexpr int widest(int64_t size) {
  int n = 16 / sizeof(T);
  while (size % n != 0) n /= 2;
  return n;
}

template <typename T, int N, int64_t kHiddenSize>
void submit(::sycl::queue& queue, int64_t num_tokens, const Kernel<T, N, kHiddenSize>& kernel) {
  queue.parallel_for(::sycl::nd_range<1>(num_tokens * kWorkGroup, kWorkGroup), kernel);
}

template <typename T, int64_t kHiddenSize>
void launch(
    void* queue_ptr,
    const void* input_ptr,
    const void* weight_ptr,
    void* output_ptr,
    int64_t num_tokens,
    int64_t input_stride,
    int64_t output_stride,
    float eps) {
  if (num_tokens <= 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  const T* input = static_cast<const T*>(input_ptr);
  const T* weight = static_cast<const T*>(weight_ptr);
  T* output = static_cast<T*>(output_ptr);
  constexpr int N = widest<T>(kHiddenSize);
  const uintptr_t addresses =
      reinterpret_cast<uintptr_t>(input) | reinterpret_cast<uintptr_t>(weight) | reinterpret_cast<uintptr_t>(output);
  if (addresses % (N * sizeof(T)) == 0 && input_stride % N == 0 && output_stride % N == 0) {
    submit(queue, num_tokens, Kernel<T, N, kHiddenSize>{input, weight, output, input_stride, output_stride, eps});
  } else {
    submit(queue, num_tokens, Kernel<T, 1, kHiddenSize>{input, weight, output, input_stride, output_stride, eps});
  }
}

}  // namespace handwritten::rmsnorm

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
    handwritten::rmsnorm::launch<T, HIDDEN_SIZE>(                                                               \
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
