// Commands: waits, copies, fills and launches.
#include <algorithm>

#include "functions.hpp"

namespace oxysycl {

namespace {

// Events that a command waits for.
struct dependencies {
  uint32_t count;
  const ur_event_handle_t *events;
};

cuda::result record(ur_queue_handle_t queue, cuda::event *to) {
  const unsigned flags = queue->profiles() ? cuda::event_timing : cuda::event_no_timing;
  const cuda::result code = driver().cuEventCreate(to, flags);
  return code == cuda::success ? driver().cuEventRecord(*to, queue->stream) : code;
}

// Has the queue wait, then do `work`, which is called with its stream; makes an event of it where one is wanted.
template <typename Work>
ur_result_t submit(ur_queue_handle_t queue, ur_command_t command, const std::string &action, dependencies before,
                   ur_event_handle_t *to, Work work) {
  if (const ur_result_t code = enter(queue->device))
    return code;
  cuda::result code = cuda::success;
  for (uint32_t i = 0; i < before.count && code == cuda::success; ++i)
    if (before.events[i]->queue != queue)
      code = driver().cuStreamWaitEvent(queue->stream, before.events[i]->end, 0);
  ur_event_handle_t event = nullptr;
  if (to != nullptr) {
    event = new ur_event_handle_t_;
    retain(queue);
    event->queue = queue;
    event->command = command;
    event->submitted_ns = now();
    if (queue->profiles() && code == cuda::success)
      code = record(queue, &event->start);
  }
  if (code == cuda::success)
    code = work(queue->stream);
  if (event != nullptr && code == cuda::success)
    code = record(queue, &event->end);
  if (code != cuda::success) {
    if (event != nullptr)
      release(event);
    return judge(queue->device, code, action, queue->suspects());
  }
  if (to != nullptr)
    *to = event;
  return UR_RESULT_SUCCESS;
}

cuda::address address(const void *pointer) { return reinterpret_cast<cuda::address>(pointer); }

template <typename T> T load(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Fills memory with a pattern, in units of which the pattern has several: each is repeated at its own distance.
template <typename Unit, typename Plain, typename Strided>
cuda::result fill(void *memory, size_t pattern_size, const void *pattern, size_t size, cuda::stream stream,
                  Plain plain, Strided strided) {
  const auto *const units = static_cast<const unsigned char *>(pattern);
  if (pattern_size == sizeof(Unit))
    return plain(address(memory), load<Unit>(units), size / sizeof(Unit), stream);
  cuda::result code = cuda::success;
  for (size_t at = 0; at < pattern_size && code == cuda::success; at += sizeof(Unit))
    code = strided(address(memory) + at, pattern_size, load<Unit>(units + at), 1, size / pattern_size, stream);
  return code;
}

// Work-items of a work-group where the caller leaves it open: as many as divide the range, in its first dimension.
std::array<size_t, 3> suggested_group(uint32_t dimensions, const size_t *global) {
  std::array<size_t, 3> group{1, 1, 1};
  if (dimensions > 0)
    for (size_t size = std::min<size_t>(256, global[0]); size > 1; --size)
      if (global[0] % size == 0) {
        group[0] = size;
        break;
      }
  return group;
}

// Why the device cannot have such a range, if it cannot.
std::string refusal(ur_device_handle_t device, const launch_range &range) {
  constexpr int group_limits[] = {cuda::max_block_x, cuda::max_block_y, cuda::max_block_z};
  constexpr int grid_limits[] = {cuda::max_grid_x, cuda::max_grid_y, cuda::max_grid_z};
  for (int d = 0; d < 3; ++d) {
    if (range.local[d] == 0 || range.global[d] % range.local[d] != 0)
      return "work-groups do not divide the work-items";
    const auto most = static_cast<size_t>(device->attribute(group_limits[d]));
    if (range.local[d] > most)
      return "work-groups have " + std::to_string(most) + " work-items at most in dimension " + std::to_string(d);
    const auto groups = static_cast<size_t>(device->attribute(grid_limits[d]));
    if (range.global[d] / range.local[d] > groups)
      return "there are " + std::to_string(groups) + " work-groups at most in dimension " + std::to_string(d);
  }
  const auto most = static_cast<size_t>(device->attribute(cuda::max_block));
  if (range.local[0] * range.local[1] * range.local[2] > most)
    return "work-groups have " + std::to_string(most) + " work-items at most";
  return {};
}

// Arguments as the driver takes them: the address of each. Local memory is one block, whose parts are told by offset.
class arguments {
public:
  arguments(uint32_t count, const ur_exp_kernel_arg_properties_t *given) {
    std::vector<const ur_exp_kernel_arg_properties_t *> ordered;
    for (uint32_t i = 0; i < count; ++i)
      ordered.push_back(&given[i]);
    std::sort(ordered.begin(), ordered.end(), [](auto *a, auto *b) { return a->index < b->index; });
    pointers.reserve(count);
    offsets.reserve(count);
    for (const auto *argument : ordered)
      add(*argument);
  }

  void add(const void *value) { addresses.push_back(const_cast<void *>(value)); }
  void **values() { return addresses.data(); }
  unsigned local_bytes() const { return static_cast<unsigned>(bytes); }
  bool supported() const { return known; }

private:
  void add(const ur_exp_kernel_arg_properties_t &argument) {
    switch (argument.type) {
    case UR_EXP_KERNEL_ARG_TYPE_VALUE: return add(argument.value.value);
    case UR_EXP_KERNEL_ARG_TYPE_POINTER:
      pointers.push_back(argument.value.pointer);
      return add(&pointers.back());
    case UR_EXP_KERNEL_ARG_TYPE_LOCAL:
      bytes = (bytes + 15) / 16 * 16;
      offsets.push_back(static_cast<uint32_t>(bytes));
      bytes += argument.size;
      return add(&offsets.back());
    default: known = false;
    }
  }

  std::vector<void *> addresses;
  // Reserved whole: their addresses are given away.
  std::vector<const void *> pointers;
  std::vector<uint32_t> offsets;
  size_t bytes = 0;
  bool known = true;
};

// Local memory beyond this has to be asked for.
constexpr unsigned usual_local_bytes = 48 << 10;

cuda::result start(cuda::function function, const launch_range &range, arguments &given, cuda::stream stream) {
  if (given.local_bytes() > usual_local_bytes) {
    const cuda::result code = driver().cuFuncSetAttribute(function, cuda::function_max_dynamic_shared,
                                                          static_cast<int>(given.local_bytes()));
    if (code != cuda::success)
      return code;
  }
  unsigned groups[3], local[3];
  for (int d = 0; d < 3; ++d) {
    local[d] = static_cast<unsigned>(range.local[d]);
    groups[d] = static_cast<unsigned>(range.global[d] / range.local[d]);
  }
  return driver().cuLaunchKernel(function, groups[0], groups[1], groups[2], local[0], local[1], local[2],
                                 given.local_bytes(), stream, given.values(), nullptr);
}

} // namespace

std::string launch::text() const {
  const auto list = [](const std::array<size_t, 3> &sizes) {
    std::string text = std::to_string(sizes[0]);
    for (size_t d = 1; d < 3 && sizes[1] * sizes[2] != 1; ++d)
      text += "×" + std::to_string(sizes[d]);
    return text;
  };
  return "kernel " + *kernel + " over " + list(range.global) + " work-items in work-groups of " + list(range.local);
}

ur_result_t enqueue_wait(ur_queue_handle_t queue, uint32_t count, const ur_event_handle_t *events,
                         ur_event_handle_t *to) {
  return submit(queue, UR_COMMAND_EVENTS_WAIT, "cannot wait for events", {count, events}, to,
                [](cuda::stream) { return cuda::success; });
}

ur_result_t enqueue_barrier(ur_queue_handle_t queue, uint32_t count, const ur_event_handle_t *events,
                            ur_event_handle_t *to) {
  return submit(queue, UR_COMMAND_EVENTS_WAIT_WITH_BARRIER, "cannot wait for events", {count, events}, to,
                [](cuda::stream) { return cuda::success; });
}

ur_result_t enqueue_barrier_ext(ur_queue_handle_t queue, const ur_exp_enqueue_ext_properties_t *, uint32_t count,
                                const ur_event_handle_t *events, ur_event_handle_t *to) {
  return enqueue_barrier(queue, count, events, to);
}

ur_result_t enqueue_fill(ur_queue_handle_t queue, void *memory, size_t pattern_size, const void *pattern, size_t size,
                         uint32_t count, const ur_event_handle_t *events, ur_event_handle_t *to) {
  if (pattern_size == 0 || size % pattern_size != 0)
    return UR_RESULT_ERROR_INVALID_SIZE;
  const cuda::driver &cuda = driver();
  return submit(queue, UR_COMMAND_USM_FILL, "cannot fill memory", {count, events}, to, [&](cuda::stream stream) {
    if (size == 0)
      return cuda::success;
    const size_t aligned = address(memory) | pattern_size;
    if (aligned % 4 == 0)
      return fill<unsigned>(memory, pattern_size, pattern, size, stream, cuda.cuMemsetD32Async,
                            cuda.cuMemsetD2D32Async);
    if (aligned % 2 == 0)
      return fill<unsigned short>(memory, pattern_size, pattern, size, stream, cuda.cuMemsetD16Async,
                                  cuda.cuMemsetD2D16Async);
    return fill<unsigned char>(memory, pattern_size, pattern, size, stream, cuda.cuMemsetD8Async,
                               cuda.cuMemsetD2D8Async);
  });
}

ur_result_t enqueue_copy(ur_queue_handle_t queue, bool blocking, void *destination, const void *source, size_t size,
                         uint32_t count, const ur_event_handle_t *events, ur_event_handle_t *to) {
  if (const ur_result_t code =
          submit(queue, UR_COMMAND_USM_MEMCPY, "cannot copy memory", {count, events}, to, [&](cuda::stream stream) {
            return size == 0 ? cuda::success
                             : driver().cuMemcpyAsync(address(destination), address(source), size, stream);
          }))
    return code;
  return blocking ? queue_finish(queue) : UR_RESULT_SUCCESS;
}

// Hints, which may be ignored.

ur_result_t enqueue_prefetch(ur_queue_handle_t queue, const void *, size_t, ur_usm_migration_flags_t, uint32_t count,
                             const ur_event_handle_t *events, ur_event_handle_t *to) {
  return submit(queue, UR_COMMAND_USM_PREFETCH, "cannot wait for events", {count, events}, to,
                [](cuda::stream) { return cuda::success; });
}

ur_result_t enqueue_advise(ur_queue_handle_t queue, const void *, size_t, ur_usm_advice_flags_t, ur_event_handle_t *to) {
  return submit(queue, UR_COMMAND_USM_ADVISE, "cannot make an event", {0, nullptr}, to,
                [](cuda::stream) { return cuda::success; });
}

ur_result_t kernel_suggested_group(ur_kernel_handle_t, ur_queue_handle_t, uint32_t dimensions, const size_t *,
                                   const size_t *global, size_t *to) {
  const auto group = suggested_group(dimensions, global);
  std::copy_n(group.begin(), dimensions, to);
  return UR_RESULT_SUCCESS;
}

ur_result_t enqueue_launch(ur_queue_handle_t queue, ur_kernel_handle_t kernel, uint32_t dimensions,
                           const size_t *offset, const size_t *global, const size_t *local, uint32_t argument_count,
                           const ur_exp_kernel_arg_properties_t *given, const ur_kernel_launch_ext_properties_t *,
                           uint32_t count, const ur_event_handle_t *events, ur_event_handle_t *to) {
  launch_range range;
  std::copy_n(global, dimensions, range.global.begin());
  if (offset != nullptr)
    std::copy_n(offset, dimensions, range.offset.begin());
  if (local != nullptr)
    std::copy_n(local, dimensions, range.local.begin());
  else
    range.local = suggested_group(dimensions, global);
  const launch what{kernel->readable, range};
  const auto *part = kernel->find(queue->device);
  if (part == nullptr)
    return fail(what.text() + " was not built for the queue's device");
  arguments passed(argument_count, given);
  if (!passed.supported())
    return fail(what.text() + ": buffers and samplers are not supported on NVIDIA's GPUs; pass pointers to device memory");
  if (const std::string reason = refusal(queue->device, range); !reason.empty())
    return fail(what.text() + ": " + reason);
  if (const ur_result_t code = enter(queue->device))
    return code;
  const cuda::function with_offset = range.has_offset() ? kernel->with_offset(*part) : nullptr;
  const uint32_t offsets[] = {static_cast<uint32_t>(range.offset[0]), static_cast<uint32_t>(range.offset[1]),
                              static_cast<uint32_t>(range.offset[2])};
  if (with_offset != nullptr)
    passed.add(offsets);
  return submit(queue, UR_COMMAND_KERNEL_LAUNCH, "cannot launch a kernel", {count, events}, to,
                [&](cuda::stream stream) {
                  const cuda::function function = with_offset != nullptr ? with_offset : part->function;
                  const bool empty = range.global[0] * range.global[1] * range.global[2] == 0;
                  queue->launched(what);
                  return empty ? cuda::success : start(function, range, passed, stream);
                });
}

} // namespace oxysycl
