// Gated activations as they are usually written for GPUs: a work-group of 256 per row, vectors of 16 bytes. Rows that are not
// aligned take the same kernel with vectors of one element.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten::activation {

constexpr int kWorkGroup = 256;

template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
  T data[N];
};

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

template <typename T, int N, typename Act>
struct Kernel {
  const T* input;
  T* output;
  int64_t dim;

  void operator()(::sycl::nd_item<1> item) const {
    using V = Vector<T, N>;
    const int64_t row = item.get_group(0);
    const V* gate = reinterpret_cast<const V*>(input + row * 2 * dim);
    const V* up = reinterpret_cast<const V*>(input + row * 2 * dim + dim);
    V* out = reinterpret_cast<V*>(output + row * dim);
    for (int64_t i = item.get_local_id(0); i < dim / N; i += kWorkGroup) {
      const V g = gate[i];
      const V u = up[i];
      V y;
      for (int j = 0; j < N; ++j) {
        y.data[j] = static_cast<T>(Act{}(static_cast<float>(g.data[j])) * static_cast<float>(u.data[j]));
      }
      out[i] = y;
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<16>};
  }
};

template <typename T, typename Act>
void submit(::sycl::queue& queue, const T* input, T* output, int64_t num_tokens, int64_t dim) {
  constexpr int N = 16 / sizeof(T);
  const ::sycl::nd_range<1> range(num_tokens * kWorkGroup, kWorkGroup);
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(input) | reinterpret_cast<uintptr_t>(output);
  if (addresses % 16 == 0 && dim % N == 0) {
    queue.parallel_for(range, Kernel<T, N, Act>{input, output, dim});
  } else {
    queue.parallel_for(range, Kernel<T, 1, Act>{input, output, dim});
  }
}

template <typename T>
void launch(void* queue_ptr, const void* input_ptr, void* output_ptr, int64_t num_tokens, int64_t dim, int32_t act_kind) {
  if (num_tokens <= 0 || dim <= 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  const T* input = static_cast<const T*>(input_ptr);
  T* output = static_cast<T*>(output_ptr);
  switch (act_kind) {
    case 0: return submit<T, Silu>(queue, input, output, num_tokens, dim);
    case 1: return submit<T, Gelu>(queue, input, output, num_tokens, dim);
    case 2: return submit<T, GeluTanh>(queue, input, output, num_tokens, dim);
  }
}

}  // namespace handwritten::activation

#define HANDWRITTEN_ACT_AND_MUL(TAG, T)                                                                         \
  extern "C" [[gnu::visibility("default")]] void act_and_mul_forward_##TAG(                                     \
      void* queue, const void* input, void* output, int64_t num_tokens, int64_t dim, int32_t act_kind) {        \
    handwritten::activation::launch<T>(queue, input, output, num_tokens, dim, act_kind);                        \
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
