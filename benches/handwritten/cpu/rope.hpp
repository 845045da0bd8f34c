// Rotary position embedding, with and without storing keys and values, for a CPU device: a work-group of one sub-group per token,
// which takes head after head; neighbouring work-items on neighbouring pairs, so that the sub-group is the vector.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace handwritten_cpu::rope {

constexpr int kSubGroup = 16;

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
};

// Rotates a head; cosines and sines are those of its position.
template <bool kNeox, int64_t kRopeDim, typename T>
void rotate_head(int64_t lane, T* x, const float* row) {
  constexpr int64_t kHalf = kRopeDim / 2;
  for (int64_t i = lane; i < kHalf; i += kSubGroup) {
    const int64_t a = kNeox ? i : 2 * i;
    const int64_t b = kNeox ? i + kHalf : 2 * i + 1;
    const float cos = row[i];
    const float sin = row[kHalf + i];
    const float u = static_cast<float>(x[a]);
    const float v = static_cast<float>(x[b]);
    x[a] = static_cast<T>(u * cos - v * sin);
    x[b] = static_cast<T>(u * sin + v * cos);
  }
}

template <bool kNeox, int64_t kRopeDim, typename T, typename I>
struct Rotate {
  Heads<T, I> of;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t token = item.get_group(0);
    const int64_t lane = item.get_local_id(0);
    const int64_t position = of.positions[token];
    if (position < 0) return;
    const float* row = of.cos_sin_cache + position * kRopeDim;
    for (int64_t head = 0; head < of.q_heads; ++head) {
      rotate_head<kNeox, kRopeDim>(lane, of.q + token * of.q_stride + head * of.head_stride, row);
    }
    for (int64_t head = 0; head < of.kv_heads; ++head) {
      rotate_head<kNeox, kRopeDim>(lane, of.k + token * of.k_stride + head * of.head_stride, row);
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<kSubGroup>};
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

template <bool kNeox, int64_t kRopeDim, typename T, typename I>
struct RotateAndStore {
  Heads<T, I> of;
  Cache<T, I> cache;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t token = item.get_group(0);
    const int64_t lane = item.get_local_id(0);
    const int64_t position = of.positions[token];
    const int64_t slot = cache.out_loc[token];
    if (position < 0) return;
    const float* row = of.cos_sin_cache + position * kRopeDim;
    for (int64_t head = 0; head < of.q_heads; ++head) {
      rotate_head<kNeox, kRopeDim>(lane, of.q + token * of.q_stride + head * of.head_stride, row);
    }
    for (int64_t head = 0; head < of.kv_heads; ++head) {
      T* key = of.k + token * of.k_stride + head * of.head_stride;
      rotate_head<kNeox, kRopeDim>(lane, key, row);
      if (slot < 0) continue;
      // Other work-items have written parts of the key.
      ::sycl::group_barrier(item.get_sub_group());
      const T* value = cache.v + token * cache.v_stride + head * of.head_stride;
      T* key_out = cache.k + slot * cache.stride + head * of.head_stride;
      T* value_out = cache.v_out + slot * cache.stride + head * of.head_stride;
      for (int64_t i = lane; i < of.head_stride; i += kSubGroup) {
        key_out[i] = key[i];
        value_out[i] = value[i];
      }
    }
  }

  auto get(::sycl::ext::oneapi::experimental::properties_tag) const {
    return ::sycl::ext::oneapi::experimental::properties{::sycl::ext::oneapi::experimental::sub_group_size<kSubGroup>};
  }
};

template <bool kNeox, int64_t kRopeDim, typename T, typename I>
void rotate(void* queue_ptr, const Heads<T, I>& of) {
  if (of.tokens == 0) return;
  static_cast<::sycl::queue*>(queue_ptr)->parallel_for(
      ::sycl::nd_range<1>(int64_t{of.tokens} * kSubGroup, kSubGroup), Rotate<kNeox, kRopeDim, T, I>{of});
}

template <bool kNeox, int64_t kRopeDim, typename T, typename I>
void rotate_and_store(void* queue_ptr, const Heads<T, I>& of, const Cache<T, I>& cache) {
  if (of.tokens == 0) return;
  static_cast<::sycl::queue*>(queue_ptr)->parallel_for(
      ::sycl::nd_range<1>(int64_t{of.tokens} * kSubGroup, kSubGroup), RotateAndStore<kNeox, kRopeDim, T, I>{of, cache});
}

}  // namespace handwritten_cpu::rope

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
    handwritten_cpu::rope::rotate<NEOX, ROPE_DIM>(                                                                  \
        queue,                                                                                                  \
        handwritten_cpu::rope::Heads<T, I>{                                                                         \
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
    handwritten_cpu::rope::rotate_and_store<NEOX, ROPE_DIM>(                                                        \
        queue,                                                                                                  \
        handwritten_cpu::rope::Heads<T, I>{                                                                         \
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
        handwritten_cpu::rope::Cache<T, I>{                                                                         \
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
