// QK-Norm for a CPU device: a work-group of one sub-group per token, which takes head after head; neighbouring work-items on
// neighbouring elements, so that the sub-group is the vector.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten_cpu::qknorm {

constexpr int kSubGroup = 16;

template <typename T, int64_t kHeadDim>
struct Kernel {
  T* q;
  T* k;
  const T* q_weight;
  const T* k_weight;
  int64_t q_stride;
  int64_t k_stride;
  int64_t q_heads;
  int64_t kv_heads;
  float eps;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t token = item.get_group(0);
    for (int64_t head = 0; head < q_heads; ++head) {
      norm(item, q + token * q_stride + head * kHeadDim, q_weight);
    }
    for (int64_t head = 0; head < kv_heads; ++head) {
      norm(item, k + token * k_stride + head * kHeadDim, k_weight);
    }
  }

  void norm(::sycl::nd_item<1> item, T* x, const T* weight) const {
    const int64_t lane = item.get_local_id(0);
    float own = 0.0f;
    for (int64_t i = lane; i < kHeadDim; i += kSubGroup) {
      const float v = static_cast<float>(x[i]);
      own += v * v;
    }
    const float sum = ::sycl::reduce_over_group(item.get_sub_group(), own, ::sycl::plus<float>());
    const float scale = ::sycl::rsqrt(sum / static_cast<float>(kHeadDim) + eps);
    for (int64_t i = lane; i < kHeadDim; i += kSubGroup) {
      x[i] = static_cast<T>(static_cast<float>(x[i]) * scale * static_cast<float>(weight[i]));
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<kSubGroup>};
  }
};

template <typename T, int64_t kHeadDim>
void launch(
    void* queue_ptr,
    void* q,
    void* k,
    const void* q_weight,
    const void* k_weight,
    int64_t q_stride,
    int64_t k_stride,
    uint32_t num_qo_heads,
    uint32_t num_kv_heads,
    uint32_t num_tokens,
    float eps) {
  if (num_tokens == 0) return;
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  queue.parallel_for(
      ::sycl::nd_range<1>(int64_t{num_tokens} * kSubGroup, kSubGroup),
      Kernel<T, kHeadDim>{
          static_cast<T*>(q),
          static_cast<T*>(k),
          static_cast<const T*>(q_weight),
          static_cast<const T*>(k_weight),
          q_stride,
          k_stride,
          num_qo_heads,
          num_kv_heads,
          eps});
}

}  // namespace handwritten_cpu::qknorm

#define HANDWRITTEN_QKNORM(TAG, T, HEAD_DIM)                                                                    \
  extern "C" [[gnu::visibility("default")]] void qknorm_forward_##TAG##_##HEAD_DIM(                             \
      void* queue,                                                                                              \
      void* q,                                                                                                  \
      void* k,                                                                                                  \
      const void* q_weight,                                                                                     \
      const void* k_weight,                                                                                     \
      int64_t q_stride,                                                                                         \
      int64_t k_stride,                                                                                         \
      uint32_t num_qo_heads,                                                                                    \
      uint32_t num_kv_heads,                                                                                    \
      uint32_t num_tokens,                                                                                      \
      float eps) {                                                                                              \
    handwritten_cpu::qknorm::launch<T, HEAD_DIM>(                                                                   \
        queue, q, k, q_weight, k_weight, q_stride, k_stride, num_qo_heads, num_kv_heads, num_tokens, eps);      \
  }

#if defined(SGL_QKNORM_DTYPE_fp16)
#define HANDWRITTEN_QKNORM_T(HEAD_DIM) HANDWRITTEN_QKNORM(fp16, ::sycl::half, HEAD_DIM)
#elif defined(SGL_QKNORM_DTYPE_bf16)
#define HANDWRITTEN_QKNORM_T(HEAD_DIM) HANDWRITTEN_QKNORM(bf16, ::sycl::ext::oneapi::bfloat16, HEAD_DIM)
#else
#define HANDWRITTEN_QKNORM_T(HEAD_DIM)               \
  HANDWRITTEN_QKNORM(fp16, ::sycl::half, HEAD_DIM)   \
  HANDWRITTEN_QKNORM(bf16, ::sycl::ext::oneapi::bfloat16, HEAD_DIM)
#endif
#ifdef SGL_QKNORM_HEAD_DIM
HANDWRITTEN_QKNORM_T(SGL_QKNORM_HEAD_DIM)
#else
HANDWRITTEN_QKNORM_T(64)
HANDWRITTEN_QKNORM_T(128)
HANDWRITTEN_QKNORM_T(256)
#endif

#undef HANDWRITTEN_QKNORM
#undef HANDWRITTEN_QKNORM_T
