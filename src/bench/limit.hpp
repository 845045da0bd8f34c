// What a device can do at most: the shortest kernel, and copies. Each function returns 0, or -1 after which
// oxysycl_limit_error() gives the reason.

#include <cstdint>
#include <exception>
#include <string>

#include <sycl/sycl.hpp>

namespace oxysycl_limit {

struct Empty {
  void operator()(::sycl::nd_item<1>) const {}
};

template <typename T>
struct Copy {
  const T* from;
  T* to;
  uint64_t count;

  void operator()(::sycl::nd_item<1> item) const {
    const uint64_t id = item.get_global_id(0);
    if (id < count) to[id] = from[id];
  }
};

inline thread_local std::string reason;

template <typename Body>
int32_t guarded(void* queue, Body&& body) {
  try {
    body(*static_cast<::sycl::queue*>(queue));
    return 0;
  } catch (const std::exception& e) {
    reason = e.what();
    return -1;
  }
}

template <typename T>
int32_t copy(void* queue, uint64_t from, uint64_t to, uint64_t bytes) {
  return guarded(queue, [&](::sycl::queue& q) {
    constexpr uint64_t local = 256;
    const uint64_t count = bytes / sizeof(T);
    q.parallel_for(
        ::sycl::nd_range<1>((count + local - 1) / local * local, local),
        Copy<T>{reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), count});
  });
}

}  // namespace oxysycl_limit

#define OXYSYCL_LIMIT extern "C" [[gnu::visibility("default")]]

OXYSYCL_LIMIT const char* oxysycl_limit_error() { return oxysycl_limit::reason.c_str(); }

// Writes the bytes of the device's cache of global memory, 0 if it tells none.
OXYSYCL_LIMIT int32_t oxysycl_limit_cache(void* queue, uint64_t bytes) {
  return oxysycl_limit::guarded(queue, [&](::sycl::queue& q) {
    *reinterpret_cast<uint64_t*>(bytes) = q.get_device().get_info<::sycl::info::device::global_mem_cache_size>();
  });
}

OXYSYCL_LIMIT int32_t oxysycl_limit_empty(void* queue) {
  return oxysycl_limit::guarded(queue, [](::sycl::queue& q) { q.parallel_for(::sycl::nd_range<1>(1, 1), oxysycl_limit::Empty{}); });
}

OXYSYCL_LIMIT int32_t oxysycl_limit_memcpy(void* queue, uint64_t from, uint64_t to, uint64_t bytes) {
  return oxysycl_limit::guarded(queue, [&](::sycl::queue& q) {
    q.memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  });
}

OXYSYCL_LIMIT int32_t oxysycl_limit_copy_2(void* queue, uint64_t from, uint64_t to, uint64_t bytes) {
  return oxysycl_limit::copy<uint16_t>(queue, from, to, bytes);
}

OXYSYCL_LIMIT int32_t oxysycl_limit_copy_4(void* queue, uint64_t from, uint64_t to, uint64_t bytes) {
  return oxysycl_limit::copy<uint32_t>(queue, from, to, bytes);
}

OXYSYCL_LIMIT int32_t oxysycl_limit_copy_16(void* queue, uint64_t from, uint64_t to, uint64_t bytes) {
  return oxysycl_limit::copy<::sycl::vec<uint32_t, 4>>(queue, from, to, bytes);
}
