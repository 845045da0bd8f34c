// What the handles of Unified Runtime point to. The loader finds an adapter's functions through the first member.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <unified-runtime/ur_api.h>
#include <unified-runtime/ur_ddi.h>

#include "cuda.hpp"

namespace oxysycl {

// All functions of this adapter.
extern ur_dditable_t table;

struct handle {
  ur_dditable_t *functions = &table;
};

struct counted : handle {
  std::atomic<uint32_t> references{1};
};

template <typename Handle> ur_result_t retain(Handle object) {
  ++object->references;
  return UR_RESULT_SUCCESS;
}

template <typename Handle> ur_result_t release(Handle object) {
  if (--object->references == 0)
    delete object;
  return UR_RESULT_SUCCESS;
}

} // namespace oxysycl

struct ur_adapter_handle_t_ : oxysycl::handle {};

struct ur_platform_handle_t_ : oxysycl::handle {
  std::vector<ur_device_handle_t> devices;
};

// Devices live for ever: the driver's own objects are gone before the SYCL run time's are.
struct ur_device_handle_t_ : oxysycl::handle {
  cuda::device number = 0;
  // From the first use on.
  cuda::context context = nullptr;
  // An event of long ago, and what the clock said then: the origin of all times.
  cuda::event origin = nullptr;
  uint64_t origin_ns = 0;

  // Makes the context and the origin, once; what the driver said of it.
  cuda::result open();

  // What made the device unusable, if something has.
  std::string lost() const;
  // Keeps `text` as that, if it is the first; what is kept is returned.
  std::string lose(const std::string &text);

  int attribute(int which) const;

private:
  std::once_flag opening;
  cuda::result opened = cuda::success;
  mutable std::mutex mutex;
  std::string why_lost;
};

struct ur_context_handle_t_ : oxysycl::counted {
  std::vector<ur_device_handle_t> devices;
  std::vector<std::pair<ur_context_extended_deleter_t, void *>> deleters;
  ~ur_context_handle_t_();
};

namespace oxysycl {

// How many work-items a kernel is run by.
struct launch_range {
  std::array<size_t, 3> global{1, 1, 1}, local{1, 1, 1}, offset{0, 0, 0};

  bool has_offset() const { return offset != std::array<size_t, 3>{0, 0, 0}; }
};

// A kernel that was given to a queue.
struct launch {
  std::shared_ptr<const std::string> kernel;
  launch_range range;

  std::string text() const;
};

} // namespace oxysycl

// Commands run in the order in which they come, which every kind of queue allows.
struct ur_queue_handle_t_ : oxysycl::counted {
  ur_context_handle_t context = nullptr;
  ur_device_handle_t device = nullptr;
  ur_queue_flags_t flags = 0;
  cuda::stream stream = nullptr;
  ~ur_queue_handle_t_();

  bool profiles() const { return flags & UR_QUEUE_FLAG_PROFILING_ENABLE; }
  // Takes note of a launch.
  void launched(const oxysycl::launch &launch);
  // What may have failed, if something has, in words.
  std::string suspects() const;
  // Nothing that was submitted is under way.
  void finished();

private:
  mutable std::mutex mutex;
  oxysycl::launch last;
  uint64_t count = 0;
};

struct ur_event_handle_t_ : oxysycl::counted {
  ur_queue_handle_t queue = nullptr;
  ur_command_t command{};
  uint64_t submitted_ns = 0;
  cuda::event start = nullptr, end = nullptr;
  ~ur_event_handle_t_();
};

struct ur_program_handle_t_ : oxysycl::counted {
  struct part {
    ur_device_handle_t device;
    std::string code;
    cuda::module module = nullptr;
    std::string log;
    ur_program_build_status_t status = UR_PROGRAM_BUILD_STATUS_NONE;
  };
  ur_context_handle_t context = nullptr;
  std::vector<part> parts;
  ~ur_program_handle_t_();

  part *find(ur_device_handle_t device);
};

struct ur_kernel_handle_t_ : oxysycl::counted {
  struct part {
    ur_device_handle_t device;
    cuda::module module;
    cuda::function function;
  };
  ur_program_handle_t program = nullptr;
  std::string name;
  // Its type as it stands in the source.
  std::shared_ptr<const std::string> readable;
  std::vector<part> parts;
  ~ur_kernel_handle_t_();

  const part *find(ur_device_handle_t device) const;
  // The variant that takes a global offset; none of a kernel that never asks where it is.
  cuda::function with_offset(const part &of) const;
};

namespace oxysycl {

// The driver. Whoever has a device has one.
inline const cuda::driver &driver() { return *cuda::find(); }

// Nanoseconds of a clock that never goes back.
uint64_t now();

// Keeps `text` as the reason of this thread's last failure.
ur_result_t fail(const std::string &text);

// The driver's words for a result.
std::string words(cuda::result code);

// Success, or `action` and the driver's words as the reason of a failure. `suspects` are kernels that may have caused it.
ur_result_t judge(ur_device_handle_t device, cuda::result code, const std::string &action,
                  const std::string &suspects = {});

// Makes `device` the one that this thread's calls of the driver are about.
ur_result_t enter(ur_device_handle_t device);

// A kernel's type as it stands in the source.
std::string readable(const std::string &kernel);

// Answers a question: writes a value, a text or a list, and how long it is.
class answer {
public:
  answer(size_t room, void *to, size_t *needed) : room(room), to(to), needed(needed) {}

  ur_result_t bytes(const void *from, size_t size) const {
    if (needed != nullptr)
      *needed = size;
    if (to != nullptr) {
      if (room < size)
        return UR_RESULT_ERROR_INVALID_SIZE;
      std::memcpy(to, from, size);
    }
    return UR_RESULT_SUCCESS;
  }
  template <typename T> ur_result_t value(const T &value) const { return bytes(&value, sizeof value); }
  template <typename T> ur_result_t list(const std::vector<T> &items) const {
    return bytes(items.data(), items.size() * sizeof(T));
  }
  ur_result_t text(const std::string &text) const { return bytes(text.c_str(), text.size() + 1); }
  ur_result_t flag(bool value) const { return this->value<ur_bool_t>(value); }
  ur_result_t number(uint32_t number) const { return value(number); }
  ur_result_t size(size_t size) const { return value(size); }

private:
  size_t room;
  void *to;
  size_t *needed;
};

} // namespace oxysycl
