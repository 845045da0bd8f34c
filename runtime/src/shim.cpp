// What Rust cannot do by itself: make a sycl::queue and device memory. Host code only.
//
// Every function that can fail returns 0, or 1 after which oxysycl_error() gives the reason; no exception leaves this
// file. Devices and queues are never destroyed after the SYCL run time: devices live for ever, queues are the caller's.

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>

#include <sycl/sycl.hpp>

namespace {

namespace syclex = sycl::ext::oneapi::experimental;

// Mirrored by `Facts` in shim.rs.
struct facts {
  char name[256];
  char vendor[256];
  char driver[256];
  char backend[64];
  char target[64];
  uint64_t max_work_group;
  uint64_t local_memory;
  uint64_t global_memory;
  uint32_t sub_group_sizes[16];
  uint32_t sub_group_count;
  uint8_t kind;
  uint8_t fp16;
  uint8_t fp64;
};

// Asynchronous errors wait here for the next synchronisation.
struct error_log {
  std::mutex mutex;
  std::string text;

  void add(const sycl::exception_list &errors) {
    std::lock_guard lock(mutex);
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception &e) {
        text += text.empty() ? e.what() : std::string("\n") + e.what();
      } catch (...) {
        text += "an exception of an unknown type\n";
      }
    }
  }

  std::string take() {
    std::lock_guard lock(mutex);
    return std::exchange(text, {});
  }
};

// A queue that somebody else made has no log: its errors go where its maker wants them.
struct queue_with_log {
  sycl::queue queue;
  std::shared_ptr<error_log> log;

  void wait() {
    queue.wait_and_throw();
    if (!log)
      return;
    if (std::string errors = log->take(); !errors.empty())
      throw std::runtime_error(errors);
  }
};

thread_local std::string last_error;

// Set in processes that are forked from now on. Asking for the number of the process instead is a system call.
bool forked = false;
[[maybe_unused]] const int watched = pthread_atfork(nullptr, nullptr, [] { forked = true; });

template <typename Body> int32_t guarded(Body &&body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception &e) {
    try {
      last_error = e.what();
    } catch (...) {
      last_error.clear();
    }
  } catch (...) {
    last_error.clear();
  }
  return 1;
}

const std::vector<sycl::device> &devices() {
  static const auto *all = new std::vector<sycl::device>(sycl::device::get_devices());
  return *all;
}

template <size_t Size> void put(char (&to)[Size], const std::string &text) {
  to[text.copy(to, Size - 1)] = '\0';
}

const char *target_of(const sycl::device &device) {
  if (device.get_backend() == sycl::backend::ext_oneapi_cuda)
    return "nvptx64-nvidia-cuda";
  try {
    if (device.get_info<syclex::info::device::architecture>() == syclex::architecture::intel_gpu_bmg_g21)
      return "intel_gpu_bmg_g21";
  } catch (const sycl::exception &) {
    // A device whose architecture has no name gets portable code.
  }
  return "";
}

void describe(const sycl::device &device, facts *to) {
  *to = {};
  put(to->name, device.get_info<sycl::info::device::name>());
  put(to->vendor, device.get_info<sycl::info::device::vendor>());
  put(to->driver, device.get_info<sycl::info::device::driver_version>());
  std::ostringstream backend;
  backend << device.get_backend();
  put(to->backend, backend.str());
  put(to->target, target_of(device));
  to->max_work_group = device.get_info<sycl::info::device::max_work_group_size>();
  to->local_memory = device.get_info<sycl::info::device::local_mem_size>();
  to->global_memory = device.get_info<sycl::info::device::global_mem_size>();
  for (size_t size : device.get_info<sycl::info::device::sub_group_sizes>())
    if (to->sub_group_count < std::size(to->sub_group_sizes))
      to->sub_group_sizes[to->sub_group_count++] = static_cast<uint32_t>(size);
  to->kind = device.is_gpu() ? 2 : device.is_cpu() ? 1 : 0;
  to->fp16 = device.has(sycl::aspect::fp16);
  to->fp64 = device.has(sycl::aspect::fp64);
}

template <typename T> void fill(sycl::queue &queue, void *to, const void *pattern, uint64_t count) {
  T value;
  std::memcpy(&value, pattern, sizeof value);
  queue.fill(static_cast<T *>(to), value, count);
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

// The reason of this thread's last failure, valid until its next one.
EXPORT const char *oxysycl_error() noexcept {
  return last_error.empty() ? "the SYCL run time gave no reason" : last_error.c_str();
}

// The major version of the SYCL run time that this file was compiled against.
EXPORT uint32_t oxysycl_sycl_version() noexcept { return __LIBSYCL_MAJOR_VERSION; }

// Whether this process was forked after this file was loaded.
EXPORT const bool *oxysycl_forked() noexcept { return &forked; }

EXPORT int32_t oxysycl_device_count(uint32_t *count) noexcept {
  return guarded([&] { *count = static_cast<uint32_t>(devices().size()); });
}

EXPORT int32_t oxysycl_device_facts(uint32_t index, facts *to) noexcept {
  return guarded([&] { describe(devices().at(index), to); });
}

EXPORT int32_t oxysycl_queue_new(uint32_t device, queue_with_log **to, sycl::queue **raw) noexcept {
  return guarded([&] {
    auto log = std::make_shared<error_log>();
    auto made = std::make_unique<queue_with_log>(queue_with_log{
        sycl::queue(devices().at(device), [log](sycl::exception_list errors) { log->add(errors); },
                    sycl::property::queue::in_order()),
        log});
    *raw = &made->queue;
    *to = made.release();
  });
}

// The same queue as `theirs`, and its device.
EXPORT int32_t oxysycl_queue_share(const sycl::queue *theirs, queue_with_log **to, sycl::queue **raw,
                                   facts *device) noexcept {
  return guarded([&] {
    describe(theirs->get_device(), device);
    auto made = std::make_unique<queue_with_log>(queue_with_log{*theirs, nullptr});
    *raw = &made->queue;
    *to = made.release();
  });
}

// Waits for what was submitted, and reports what was never synchronised with; but for a queue that somebody else made. The
// queue is gone in either case.
EXPORT int32_t oxysycl_queue_free(queue_with_log *queue) noexcept {
  int32_t status = queue->log ? guarded([&] { queue->wait(); }) : 0;
  int32_t freed = guarded([&] { delete queue; });
  return status | freed;
}

EXPORT int32_t oxysycl_wait(queue_with_log *queue) noexcept {
  return guarded([&] { queue->wait(); });
}

// A null pointer with status 0 means that there is not enough memory.
EXPORT int32_t oxysycl_alloc(queue_with_log *queue, uint64_t bytes, uint64_t alignment, void **to) noexcept {
  return guarded([&] { *to = sycl::aligned_alloc_device(alignment, bytes, queue->queue); });
}

// Waits, but leaves asynchronous errors to the next synchronisation. Memory of a queue that cannot be waited for is kept.
EXPORT int32_t oxysycl_free(queue_with_log *queue, void *memory) noexcept {
  return guarded([&] {
    queue->queue.wait();
    sycl::free(memory, queue->queue);
  });
}

EXPORT int32_t oxysycl_copy(queue_with_log *queue, void *to, const void *from, uint64_t bytes) noexcept {
  return guarded([&] {
    queue->queue.memcpy(to, from, bytes);
    queue->wait();
  });
}

EXPORT int32_t oxysycl_fill(queue_with_log *queue, void *to, const void *pattern, uint64_t pattern_bytes,
                            uint64_t count) noexcept {
  return guarded([&] {
    switch (pattern_bytes) {
    case 1: return fill<uint8_t>(queue->queue, to, pattern, count);
    case 2: return fill<uint16_t>(queue->queue, to, pattern, count);
    case 4: return fill<uint32_t>(queue->queue, to, pattern, count);
    case 8: return fill<uint64_t>(queue->queue, to, pattern, count);
    default: throw std::invalid_argument("a pattern has 1, 2, 4 or 8 bytes, not " + std::to_string(pattern_bytes));
    }
  });
}
