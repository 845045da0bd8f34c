// Rotary position embedding, with and without storing keys and values, as it is usually written for GPUs: work-groups of 256
// over all vectors of all heads, 16 bytes of each half of a head per work-item. What is not aligned takes the same kernels with
// vectors of one element.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten::rope {

constexpr int kWorkGroup = 256;

template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
  T data[N];
};

// Rotates pairs [first, first + N) of a head, whose cosines and sines are those of its position, and gives the two vectors and
// where in the head they begin.
template <bool kNeox, int64_t kRopeDim, typename T, int N>
struct Rotated {
  Vector<T, N> data[2];
  int64_t at[2];

  Rotated(const T* head, const float* row, int64_t first) {
    using V = Vector<T, N>;
    at[0] = kNeox ? first : 2 * first;
    at[1] = kNeox ? first + kRopeDim / 2 : 2 * first + N;
    data[0] = *reinterpret_cast<const V*>(head + at[0]);
    data[1] = *reinterpret_cast<const V*>(head + at[1]);
    for (int j = 0; j < N; ++j) {
      T& a = kNeox ? data[0].data[j] : element(2 * j);
      T& b = kNeox ? data[1].data[j] : element(2 * j + 1);
      const float cos = row[first + j];
      const float sin = row[kRopeDim / 2 + first + j];
      const float u = static_cast<float>(a);
      const float v = static_cast<float>(b);
      a = static_cast<T>(u * cos - v * sin);
      b = static_cast<T>(u * sin + v * cos);
    }
  }

  T& element(int i) { return data[i / N].data[i % N]; }

  void store(T* head) const {
    for (int j = 0; j < 2; ++j) *reinterpret_cast<Vector<T, N>*>(head + at[j]) = data[j];
  }
};

template <typename T, typename I>
struct Heads {
  T* q;
  T* k;
  const float* cos_sin_cache;
  const I* positions;
  int64_t q_stride;
  int64_t k_stride;
  int64_t head_stride;
  uint32_t q_heads;
  uint32_t kv_heads;
  uint32_t tokens;

  T* head(uint32_t token, uint32_t nth) const {
    return nth < q_heads ? q + token * q_stride + nth * head_stride
                         : k + token * k_stride + (nth - q_heads) * head_stride;
  }
};

template <bool kNeox, int64_t kRopeDim, typename T, typename I, int N>
struct Rotate {
  Heads<T, I> of;

  void operator()(::sycl::nd_item<1> item) const {
    constexpr uint32_t kVectors = kRopeDim / 2 / N;
    const uint32_t i = item.get_global_id(0);
    const uint32_t heads = of.q_heads + of.kv_heads;
    const uint32_t token = i / kVectors / heads;
    if (token >= of.tokens) return;
    const int64_t position = of.positions[token];
    if (position < 0) return;
    T* head = of.head(token, i / kVectors % heads);
    Rotated<kNeox, kRopeDim, T, N>(head, of.cos_sin_cache + position * kRopeDim, i % kVectors * N).store(head);
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<16>};
  }
};

template <typename T, typename I>
struct Cache {
  const T* v;
  T* k;
  T* v_out;
  const I* out_loc;
  int64_t v_stride;
  int64_t stride;
};

// The vectors of a token: those to rotate of all heads, then those to copy, of keys behind the rotated part and of values.
template <bool kNeox, int64_t kRopeDim, typename T, typename I, int N>
struct RotateAndStore {
  Heads<T, I> of;
  Cache<T, I> cache;

  void operator()(::sycl::nd_item<1> item) const {
    constexpr uint32_t kVectors = kRopeDim / 2 / N;
    const uint32_t rotated = (of.q_heads + of.kv_heads) * kVectors;
    const uint32_t behind = static_cast<uint32_t>(of.head_stride - kRopeDim) / N;
    const uint32_t copied = behind + static_cast<uint32_t>(of.head_stride) / N;
    const uint32_t all = rotated + of.kv_heads * copied;
    const uint32_t token = static_cast<uint32_t>(item.get_global_id(0)) / all;
    const uint32_t i = static_cast<uint32_t>(item.get_global_id(0)) % all;
    if (token >= of.tokens) return;
    const int64_t position = of.positions[token];
    const int64_t slot = cache.out_loc[token];
    if (position < 0) return;
    if (i < rotated) {
      const uint32_t nth = i / kVectors;
      T* head = of.head(token, nth);
      const Rotated<kNeox, kRopeDim, T, N> pairs(head, of.cos_sin_cache + position * kRopeDim, i % kVectors * N);
      pairs.store(head);
      if (nth >= of.q_heads && slot >= 0) {
        pairs.store(cache.k + slot * cache.stride + (nth - of.q_heads) * of.head_stride);
      }
    } else if (slot >= 0) {
      using V = Vector<T, N>;
      const uint32_t at = (i - rotated) % copied;
      const int64_t start = (i - rotated) / copied * of.head_stride;
      const bool is_key = at < behind;
      const T* from = is_key ? of.k + token * of.k_stride + start + kRopeDim : cache.v + token * cache.v_stride + start;
      T* to = (is_key ? cache.k + kRopeDim : cache.v_out) + slot * cache.stride + start;
      const uint32_t vector = is_key ? at : at - behind;
      reinterpret_cast<V*>(to)[vector] = reinterpret_cast<const V*>(from)[vector];
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<16>};
  }
};

// The widest vector of at most 16 bytes that divides half a head.
template <typename T>
constexpr int widest(int64_t size) {
  int n = 16 / sizeof(T);
  while (size % n != 0) n /= 2;
  return n;
}

template <typename Kernel>
void submit(::sycl::queue& queue, int64_t items, const Kernel& kernel) {
  if (items == 0) return;
  const int64_t groups = (items + kWorkGroup - 1) / kWorkGroup;
  queue.parallel_for(::sycl::nd_range<1>(groups * kWorkGroup, kWorkGroup), kernel);
}

template <typename T, int N, typename I>
bool is_aligned(const Heads<T, I>& of) {
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(of.q) | reinterpret_cast<uintptr_t>(of.k);
  return addresses % (N * sizeof(T)) == 0 && (of.q_stride | of.k_stride | of.head_stride) % N == 0;
}

template <typename T, int N, typename I>
bool is_aligned(const Cache<T, I>& cache) {
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(cache.v) | reinterpret_cast<uintptr_t>(cache.k) |
                              reinterpret_cast<uintptr_t>(cache.v_out);
  return addresses % (N * sizeof(T)) == 0 && (cache.v_stride | cache.stride) % N == 0;
}

template <bool kNeox, int64_t kRopeDim, typename T, typename I>
void rotate(void* queue_ptr, const Heads<T, I>& of) {
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  constexpr int N = widest<T>(kRopeDim / 2);
  const int64_t pairs = int64_t{of.tokens} * (of.q_heads + of.kv_heads) * (kRopeDim / 2);
  if (is_aligned<T, N>(of)) {
    submit(queue, pairs / N, Rotate<kNeox, kRopeDim, T, I, N>{of});
  } else {
    submit(queue, pairs, Rotate<kNeox, kRopeDim, T, I, 1>{of});
  }
}

template <bool kNeox, int64_t kRopeDim, typename T, typename I>
void rotate_and_store(void* queue_ptr, const Heads<T, I>& of, const Cache<T, I>& cache) {
  auto& queue = *static_cast<::sycl::queue*>(queue_ptr);
  constexpr int N = widest<T>(kRopeDim / 2);
  const int64_t rotated = int64_t{of.q_heads + of.kv_heads} * (kRopeDim / 2);
  const int64_t copied = of.kv_heads * (2 * of.head_stride - kRopeDim);
  if (is_aligned<T, N>(of) && is_aligned<T, N>(cache)) {
    submit(queue, of.tokens * (rotated + copied) / N, RotateAndStore<kNeox, kRopeDim, T, I, N>{of, cache});
  } else {
    submit(queue, of.tokens * (rotated + copied), RotateAndStore<kNeox, kRopeDim, T, I, 1>{of, cache});
  }
}

}  // namespace handwritten::rope

#define HANDWRITTEN_ROPE(NEOX, ROPE_DIM, TAG, T, I_TAG, I)                                                      \
  extern "C" [[gnu::visibility("default")]] void fused_rope_##NEOX##_##ROPE_DIM##_##TAG##_##I_TAG(              \
      void* queue,                                                                                              \
      void* q,                                                                                                  \
      void* k,                                                                                                  \
      const void* cos_sin_cache,                                                                                \
      const void* positions,                                                                                    \
      int64_t q_stride,                                                                                         \
      int64_t k_stride,                                                                                         \
      int64_t head_stride,                                                                                      \
      uint32_t num_qo_heads,                                                                                    \
      uint32_t num_kv_heads,                                                                                    \
      uint32_t num_tokens) {                                                                                    \
    handwritten::rope::rotate<NEOX, ROPE_DIM>(                                                                  \
        queue,                                                                                                  \
        handwritten::rope::Heads<T, I>{                                                                         \
            static_cast<T*>(q),                                                                                 \
            static_cast<T*>(k),                                                                                 \
            static_cast<const float*>(cos_sin_cache),                                                           \
            static_cast<const I*>(positions),                                                                   \
            q_stride,                                                                                           \
            k_stride,                                                                                           \
            head_stride,                                                                                        \
            num_qo_heads,                                                                                       \
            num_kv_heads,                                                                                       \
            num_tokens});                                                                                       \
  }                                                                                                             \
  extern "C" [[gnu::visibility("default")]] void fused_rope_store_##NEOX##_##ROPE_DIM##_##TAG##_##I_TAG(        \
      void* queue,                                                                                              \
      void* q,                                                                                                  \
      void* k,                                                                                                  \
      const void* v,                                                                                            \
      void* k_cache,                                                                                            \
      void* v_cache,                                                                                            \
      const void* cos_sin_cache,                                                                                \
      const void* positions,                                                                                    \
      const void* out_loc,                                                                                      \
      int64_t q_stride,                                                                                         \
      int64_t k_stride,                                                                                         \
      int64_t v_stride,                                                                                         \
      int64_t head_stride,                                                                                      \
      int64_t cache_stride,                                                                                     \
      uint32_t num_qo_heads,                                                                                    \
      uint32_t num_kv_heads,                                                                                    \
      uint32_t num_tokens) {                                                                                    \
    handwritten::rope::rotate_and_store<NEOX, ROPE_DIM>(                                                        \
        queue,                                                                                                  \
        handwritten::rope::Heads<T, I>{                                                                         \
            static_cast<T*>(q),                                                                                 \
            static_cast<T*>(k),                                                                                 \
            static_cast<const float*>(cos_sin_cache),                                                           \
            static_cast<const I*>(positions),                                                                   \
            q_stride,                                                                                           \
            k_stride,                                                                                           \
            head_stride,                                                                                        \
            num_qo_heads,                                                                                       \
            num_kv_heads,                                                                                       \
            num_tokens},                                                                                        \
        handwritten::rope::Cache<T, I>{                                                                         \
            static_cast<const T*>(v),                                                                           \
            static_cast<T*>(k_cache),                                                                           \
            static_cast<T*>(v_cache),                                                                           \
            static_cast<const I*>(out_loc),                                                                     \
            v_stride,                                                                                           \
            cache_stride});                                                                                     \
  }

#define HANDWRITTEN_ROPE_T(ROPE_DIM, TAG, T)                  \
  HANDWRITTEN_ROPE(false, ROPE_DIM, TAG, T, i32, int32_t)     \
  HANDWRITTEN_ROPE(false, ROPE_DIM, TAG, T, i64, int64_t)     \
  HANDWRITTEN_ROPE(true, ROPE_DIM, TAG, T, i32, int32_t)      \
  HANDWRITTEN_ROPE(true, ROPE_DIM, TAG, T, i64, int64_t)

#define HANDWRITTEN_ROPE_DIM(ROPE_DIM)                   \
  HANDWRITTEN_ROPE_T(ROPE_DIM, fp16, ::sycl::half)       \
  HANDWRITTEN_ROPE_T(ROPE_DIM, bf16, ::sycl::ext::oneapi::bfloat16)

#ifdef SGL_ROPE_DIM
HANDWRITTEN_ROPE_DIM(SGL_ROPE_DIM)
#else
HANDWRITTEN_ROPE_DIM(64)
HANDWRITTEN_ROPE_DIM(128)
HANDWRITTEN_ROPE_DIM(256)
#endif

#undef HANDWRITTEN_ROPE
#undef HANDWRITTEN_ROPE_T
#undef HANDWRITTEN_ROPE_DIM
