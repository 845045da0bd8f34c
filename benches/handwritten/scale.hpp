// output = input * factor, as it is usually written for GPUs: work-groups of 256, one vector of 16 bytes per work-item.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten::scale {

constexpr int kWorkGroup = 256;

template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
  T data[N];
};

template <typename T, int N>
struct Kernel {
  const T* input;
  T* output;
  float factor;
  int64_t numel;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t i = item.get_global_id(0);
    const int64_t vectors = numel / N;
    if (i < vectors) {
      auto x = reinterpret_cast<const Vector<T, N>*>(input)[i];
      for (int j = 0; j < N; ++j) x.data[j] = static_cast<T>(static_cast<float>(x.data[j]) * factor);
      reinterpret_cast<Vector<T, N>*>(output)[i] = x;
    } else if (const int64_t e = vectors * N + (i - vectors); e < numel) {
      output[e] = static_cast<T>(static_cast<float>(input[e]) * factor);
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<16>};
  }
};

template <typename T, int N>
void submit(::sycl::queue& queue, const T* input, T* output, float factor, int64_t numel) {
  const int64_t items = numel / N + numel % N;
  const int64_t groups = (items + kWorkGroup - 1) / kWorkGroup;
  queue.parallel_for(::sycl::nd_range<1>(groups * kWorkGroup, kWorkGroup), Kernel<T, N>{input, output, factor, numel});
}

template <typename T>
void launch(void* queue_ptr, const void* input_ptr, void* output_ptr, float factor, int64_t numel) {
  if (numel <= 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  const T* input = static_cast<const T*>(input_ptr);
  T* output = static_cast<T*>(output_ptr);
  constexpr int N = 16 / sizeof(T);
  if ((reinterpret_cast<uintptr_t>(input) | reinterpret_cast<uintptr_t>(output)) % 16 == 0) {
    submit<T, N>(queue, input, output, factor, numel);
  } else {
    submit<T, 1>(queue, input, output, factor, numel);
  }
}

}  // namespace handwritten::scale

#define HANDWRITTEN_SCALE(TAG, T)                                                                               \
  extern "C" [[gnu::visibility("default")]] void scale_forward_##TAG(                                           \
      void* queue, const void* input, void* output, float factor, int64_t numel) {                              \
    handwritten::scale::launch<T>(queue, input, output, factor, numel);                                         \
  }

#if defined(SGL_SCALE_DTYPE_fp32)
HANDWRITTEN_SCALE(fp32, float)
#elif defined(SGL_SCALE_DTYPE_fp16)
HANDWRITTEN_SCALE(fp16, ::sycl::half)
#elif defined(SGL_SCALE_DTYPE_bf16)
HANDWRITTEN_SCALE(bf16, ::sycl::ext::oneapi::bfloat16)
#else
HANDWRITTEN_SCALE(fp32, float)
HANDWRITTEN_SCALE(fp16, ::sycl::half)
HANDWRITTEN_SCALE(bf16, ::sycl::ext::oneapi::bfloat16)
#endif

#undef HANDWRITTEN_SCALE
