// Queues and events.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "functions.hpp"

namespace oxysycl {

namespace {

// How long a wait may take, in seconds; without end if the environment says nothing.
constexpr const char *limit_variable = "OXYSYCL_LAUNCH_TIMEOUT";

// Waits for `ready` by `wait`, or by asking it again and again where there is a limit.
template <typename Ready, typename Wait>
ur_result_t wait(ur_queue_handle_t queue, Ready ready, Wait wait) {
  const char *const text = std::getenv(limit_variable);
  const double limit = text ? std::atof(text) : 0;
  cuda::result code = cuda::success;
  if (limit > 0) {
    const uint64_t end = now() + static_cast<uint64_t>(limit * 1e9);
    while ((code = ready()) == cuda::not_ready) {
      if (now() > end)
        return fail(queue->device->lose("the device did not finish within " + std::string(text) + " s, which " +
                                        limit_variable + " allows" + queue->suspects()));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  } else if (queue->device->lost().empty()) {
    code = wait();
  }
  if (const std::string lost = queue->device->lost(); code == cuda::success && !lost.empty())
    return fail(lost);
  return judge(queue->device, code, "what was submitted failed", queue->suspects());
}

} // namespace

ur_result_t queue_create(ur_context_handle_t context, ur_device_handle_t device, const ur_queue_properties_t *wanted,
                         ur_queue_handle_t *to) {
  if (const ur_result_t code = enter(device))
    return code;
  cuda::stream stream = nullptr;
  const cuda::result code = driver().cuStreamCreate(&stream, cuda::stream_non_blocking);
  if (code != cuda::success)
    return judge(device, code, "cannot make a queue");
  auto *made = new ur_queue_handle_t_;
  retain(context);
  made->context = context;
  made->device = device;
  made->flags = wanted ? wanted->flags : 0;
  made->stream = stream;
  *to = made;
  return UR_RESULT_SUCCESS;
}

ur_result_t queue_info(ur_queue_handle_t queue, ur_queue_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_QUEUE_INFO_CONTEXT: return answer.value(queue->context);
  case UR_QUEUE_INFO_DEVICE: return answer.value(queue->device);
  case UR_QUEUE_INFO_FLAGS: return answer.value(queue->flags);
  case UR_QUEUE_INFO_REFERENCE_COUNT: return answer.number(queue->references);
  case UR_QUEUE_INFO_EMPTY:
    if (const ur_result_t code = enter(queue->device))
      return code;
    return answer.flag(driver().cuStreamQuery(queue->stream) != cuda::not_ready);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t queue_finish(ur_queue_handle_t queue) {
  if (const ur_result_t code = enter(queue->device))
    return code;
  const ur_result_t code = wait(
      queue, [&] { return driver().cuStreamQuery(queue->stream); },
      [&] { return driver().cuStreamSynchronize(queue->stream); });
  queue->finished();
  return code;
}

ur_result_t queue_flush(ur_queue_handle_t) { return UR_RESULT_SUCCESS; }

ur_result_t queue_native(ur_queue_handle_t queue, ur_queue_native_desc_t *, ur_native_handle_t *to) {
  *to = reinterpret_cast<ur_native_handle_t>(queue->stream);
  return UR_RESULT_SUCCESS;
}

ur_result_t event_info(ur_event_handle_t event, ur_event_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_EVENT_INFO_COMMAND_QUEUE: return answer.value(event->queue);
  case UR_EVENT_INFO_CONTEXT: return answer.value(event->queue->context);
  case UR_EVENT_INFO_COMMAND_TYPE: return answer.value(event->command);
  case UR_EVENT_INFO_REFERENCE_COUNT: return answer.number(event->references);
  case UR_EVENT_INFO_COMMAND_EXECUTION_STATUS: {
    if (const ur_result_t code = enter(event->queue->device))
      return code;
    const cuda::result code = driver().cuEventQuery(event->end);
    if (code == cuda::not_ready)
      return answer.value(UR_EVENT_STATUS_RUNNING);
    if (const ur_result_t failed =
            judge(event->queue->device, code, "what was submitted failed", event->queue->suspects()))
      return failed;
    return answer.value(UR_EVENT_STATUS_COMPLETE);
  }
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t event_profiling_info(ur_event_handle_t event, ur_profiling_info_t what, size_t room, void *to,
                                 size_t *needed) {
  const answer answer(room, to, needed);
  if (!event->queue->profiles())
    return UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE;
  ur_device_handle_t device = event->queue->device;
  if (const ur_result_t code = enter(device))
    return code;
  const auto time = [&](cuda::event of) {
    float ms = 0;
    if (const ur_result_t code =
            judge(device, driver().cuEventElapsedTime(&ms, device->origin, of), "cannot ask for a time"))
      return code;
    return answer.value<uint64_t>(device->origin_ns + static_cast<uint64_t>(static_cast<double>(ms) * 1e6));
  };
  switch (what) {
  case UR_PROFILING_INFO_COMMAND_QUEUED:
  case UR_PROFILING_INFO_COMMAND_SUBMIT: return answer.value(event->submitted_ns);
  case UR_PROFILING_INFO_COMMAND_START: return time(event->start);
  case UR_PROFILING_INFO_COMMAND_END:
  case UR_PROFILING_INFO_COMMAND_COMPLETE: return time(event->end);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t event_wait(uint32_t count, const ur_event_handle_t *events) {
  for (uint32_t i = 0; i < count; ++i) {
    ur_event_handle_t event = events[i];
    if (const ur_result_t code = enter(event->queue->device))
      return code;
    if (const ur_result_t code = wait(
            event->queue, [&] { return driver().cuEventQuery(event->end); },
            [&] { return driver().cuEventSynchronize(event->end); }))
      return code;
  }
  return UR_RESULT_SUCCESS;
}

ur_result_t event_native(ur_event_handle_t event, ur_native_handle_t *to) {
  *to = reinterpret_cast<ur_native_handle_t>(event->end);
  return UR_RESULT_SUCCESS;
}

} // namespace oxysycl

ur_queue_handle_t_::~ur_queue_handle_t_() {
  if (oxysycl::enter(device) == UR_RESULT_SUCCESS)
    oxysycl::driver().cuStreamDestroy_v2(stream);
  oxysycl::release(context);
}

void ur_queue_handle_t_::launched(const oxysycl::launch &launch) {
  std::lock_guard lock(mutex);
  last = launch;
  ++count;
}

std::string ur_queue_handle_t_::suspects() const {
  std::lock_guard lock(mutex);
  if (count == 0)
    return {};
  if (count == 1)
    return " in " + last.text();
  return " in " + last.text() + ", or in one of the " + std::to_string(count - 1) +
         " launches before it that were not waited for";
}

void ur_queue_handle_t_::finished() {
  std::lock_guard lock(mutex);
  count = 0;
}

ur_event_handle_t_::~ur_event_handle_t_() {
  if (oxysycl::enter(queue->device) == UR_RESULT_SUCCESS)
    for (cuda::event event : {start, end})
      if (event != nullptr)
        oxysycl::driver().cuEventDestroy_v2(event);
  oxysycl::release(queue);
}
