// QK-Norm as it is usually written for GPUs: work-groups of 256, a sub-group of 16 per head, the widest vector that divides the
// head, and two passes. Heads that are not aligned take the same kernel with vectors of one element.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten::qknorm {

constexpr int kWorkGroup = 256;
constexpr int kSubGroup = 16;

template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
  T data[N];
};

template <typename T, int N, int64_t kHeadDim>
struct Kernel {
  T* q;
  T* k;
  const T* q_weight;
  const T* k_weight;
  int64_t q_stride;
  int64_t k_stride;
  int64_t q_heads;
  int64_t heads;
  int64_t rows;
  float eps;

  void operator()(::sycl::nd_item<1> item) const {
    using V = Vector<T, N>;
    constexpr int64_t kVectors = kHeadDim / N;
    const auto sub_group = item.get_sub_group();
    const int64_t lane = sub_group.get_local_linear_id();
    const int64_t lanes = sub_group.get_local_linear_range();
    const int64_t at_once = sub_group.get_group_linear_range();
    // A device whose sub-groups are larger has fewer of them in a work-group, which then take several heads.
    const int64_t first = item.get_group(0) * at_once + sub_group.get_group_linear_id();
    for (int64_t row = first; row < rows; row += item.get_group_range(0) * at_once) {
      const int64_t token = row / heads;
      const int64_t head = row % heads;
      const bool is_q = head < q_heads;
      T* start = is_q ? q + token * q_stride + head * kHeadDim : k + token * k_stride + (head - q_heads) * kHeadDim;
      V* x = reinterpret_cast<V*>(start);
      const V* w = reinterpret_cast<const V*>(is_q ? q_weight : k_weight);

      float sum = 0.0f;
      for (int64_t i = lane; i < kVectors; i += lanes) {
        const V v = x[i];
        for (int j = 0; j < N; ++j) sum += static_cast<float>(v.data[j]) * static_cast<float>(v.data[j]);
      }
      sum = ::sycl::reduce_over_group(sub_group, sum, ::sycl::plus<float>());
      const float scale = ::sycl::rsqrt(sum / static_cast<float>(kHeadDim) + eps);

      for (int64_t i = lane; i < kVectors; i += lanes) {
        V v = x[i];
        const V g = w[i];
        for (int j = 0; j < N; ++j) {
          v.data[j] = static_cast<T>(static_cast<float>(v.data[j]) * scale * static_cast<float>(g.data[j]));
        }
        x[i] = v;
      }
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<kSubGroup>};
  }
};

// The widest vector of at most 16 bytes that divides a head.
template <typename T>
constexpr int widest(int64_t size) {
  int n = 16 / sizeof(T);
  while (size % n != 0) n /= 2;
  return n;
}

template <typename T, int N, int64_t kHeadDim>
void submit(::sycl::queue& queue, const Kernel<T, N, kHeadDim>& kernel) {
  constexpr int64_t kAtOnce = kWorkGroup / kSubGroup;
  const int64_t groups = (kernel.rows + kAtOnce - 1) / kAtOnce;
  queue.parallel_for(::sycl::nd_range<1>(groups * kWorkGroup, kWorkGroup), kernel);
}

template <typename T, int64_t kHeadDim>
void launch(
    void* queue_ptr,
    void* q_ptr,
    void* k_ptr,
    const void* q_weight_ptr,
    const void* k_weight_ptr,
    int64_t q_stride,
    int64_t k_stride,
    uint32_t num_qo_heads,
    uint32_t num_kv_heads,
    uint32_t num_tokens,
    float eps) {
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  T* q = static_cast<T*>(q_ptr);
  T* k = static_cast<T*>(k_ptr);
  const T* q_weight = static_cast<const T*>(q_weight_ptr);
  const T* k_weight = static_cast<const T*>(k_weight_ptr);
  const int64_t heads = int64_t{num_qo_heads} + num_kv_heads;
  const int64_t rows = heads * num_tokens;
  if (rows == 0) return;
  constexpr int N = widest<T>(kHeadDim);
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(q) | reinterpret_cast<uintptr_t>(k) |
                              reinterpret_cast<uintptr_t>(q_weight) | reinterpret_cast<uintptr_t>(k_weight);
  if (addresses % (N * sizeof(T)) == 0 && q_stride % N == 0 && k_stride % N == 0) {
    submit(
        queue,
        Kernel<T, N, kHeadDim>{q, k, q_weight, k_weight, q_stride, k_stride, num_qo_heads, heads, rows, eps});
  } else {
    submit(
        queue,
        Kernel<T, 1, kHeadDim>{q, k, q_weight, k_weight, q_stride, k_stride, num_qo_heads, heads, rows, eps});
  }
}

}  // namespace handwritten::qknorm

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
    handwritten::qknorm::launch<T, HEAD_DIM>(                                                                   \
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
