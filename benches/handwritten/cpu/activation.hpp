// Gated activations for a CPU device: a work-group of one sub-group per row, neighbouring work-items on neighbouring elements, so
// that the sub-group is the vector.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten_cpu::activation {

constexpr int kSubGroup = 16;

struct Silu {
  float operator()(float x) const { return x / (1.0f + ::sycl::exp(-x)); }
};

struct Gelu {
  float operator()(float x) const { return 0.5f * x * ::sycl::erfc(-x * 0.70710678118654752f); }
};

// 0.5 x (1 + tanh u) as x / (1 + exp(-2u)), which keeps the digits of the negative tail.
struct GeluTanh {
  float operator()(float x) const {
    return x / (1.0f + ::sycl::exp(-1.595769f * (x + 0.044715f * x * x * x)));
  }
};

template <typename T, typename Act>
struct Kernel {
  const T* input;
  T* output;
  int64_t dim;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t row = item.get_group(0);
    const T* gate = input + row * 2 * dim;
    const T* up = gate + dim;
    T* out = output + row * dim;
    for (int64_t i = item.get_local_id(0); i < dim; i += kSubGroup) {
      out[i] = static_cast<T>(Act{}(static_cast<float>(gate[i])) * static_cast<float>(up[i]));
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<kSubGroup>};
  }
};

template <typename T>
void launch(void* queue_ptr, const void* input_ptr, void* output_ptr, int64_t num_tokens, int64_t dim, int32_t act_kind) {
  if (num_tokens <= 0 || dim <= 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  const T* input = static_cast<const T*>(input_ptr);
  T* output = static_cast<T*>(output_ptr);
  const ::sycl::nd_range<1> range(num_tokens * kSubGroup, kSubGroup);
  switch (act_kind) {
    case 0: queue.parallel_for(range, Kernel<T, Silu>{input, output, dim}); break;
    case 1: queue.parallel_for(range, Kernel<T, Gelu>{input, output, dim}); break;
    case 2: queue.parallel_for(range, Kernel<T, GeluTanh>{input, output, dim}); break;
  }
}

}  // namespace handwritten_cpu::activation

#define HANDWRITTEN_ACT_AND_MUL(TAG, T)                                                                         \
  extern "C" [[gnu::visibility("default")]] void act_and_mul_forward_##TAG(                                     \
      void* queue, const void* input, void* output, int64_t num_tokens, int64_t dim, int32_t act_kind) {        \
    handwritten_cpu::activation::launch<T>(queue, input, output, num_tokens, dim, act_kind);                        \
  }

#if defined(SGL_ACT_DTYPE_fp32)
HANDWRITTEN_ACT_AND_MUL(fp32, float)
#elif defined(SGL_ACT_DTYPE_fp16)
HANDWRITTEN_ACT_AND_MUL(fp16, ::sycl::half)
#elif defined(SGL_ACT_DTYPE_bf16)
HANDWRITTEN_ACT_AND_MUL(bf16, ::sycl::ext::oneapi::bfloat16)
#else
HANDWRITTEN_ACT_AND_MUL(fp32, float)
HANDWRITTEN_ACT_AND_MUL(fp16, ::sycl::half)
HANDWRITTEN_ACT_AND_MUL(bf16, ::sycl::ext::oneapi::bfloat16)
#endif

#undef HANDWRITTEN_ACT_AND_MUL
