// What went wrong, in words.
#include "objects.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cxxabi.h>
#include <iterator>
#include <memory>

#include "functions.hpp"

namespace oxysycl {

namespace {

thread_local std::string last_failure;

bool is_fatal(cuda::result code) {
  return std::find(std::begin(cuda::fatal), std::end(cuda::fatal), code) != std::end(cuda::fatal);
}

} // namespace

uint64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ur_result_t fail(const std::string &text) {
  last_failure = text;
  return UR_RESULT_ERROR_ADAPTER_SPECIFIC;
}

std::string words(cuda::result code) {
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(code, &name);
  driver().cuGetErrorString(code, &text);
  return (name ? name : "error " + std::to_string(code)) + (text ? " (" + std::string(text) + ")" : "");
}

ur_result_t judge(ur_device_handle_t device, cuda::result code, const std::string &action,
                  const std::string &suspects) {
  if (code == cuda::success)
    return UR_RESULT_SUCCESS;
  std::string reason = words(code) + suspects;
  if (is_fatal(code))
    reason = device->lose(reason + "; this process cannot use the device any more");
  else if (const std::string lost = device->lost(); !lost.empty())
    reason = lost;
  return fail(action + ": " + reason);
}

ur_result_t enter(ur_device_handle_t device) {
  cuda::result code = device->open();
  if (code == cuda::success)
    code = driver().cuCtxSetCurrent(device->context);
  return judge(device, code, "cannot use the device");
}

std::string readable(const std::string &kernel) {
  // Modules put a name of their own in front.
  const size_t start = kernel.find("_ZTS");
  if (start == std::string::npos)
    return kernel;
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> text(
      abi::__cxa_demangle(kernel.c_str() + start, nullptr, nullptr, &status), std::free);
  constexpr std::string_view prefix = "typeinfo name for ";
  std::string_view type = text ? text.get() : kernel.c_str() + start;
  if (type.substr(0, prefix.size()) == prefix)
    type.remove_prefix(prefix.size());
  return std::string(type);
}

ur_result_t adapter_last_error(ur_adapter_handle_t, const char **message, int32_t *code) {
  *message = last_failure.c_str();
  *code = 0;
  return UR_RESULT_SUCCESS;
}

} // namespace oxysycl

std::string ur_device_handle_t_::lost() const {
  std::lock_guard lock(mutex);
  return why_lost;
}

std::string ur_device_handle_t_::lose(const std::string &text) {
  std::lock_guard lock(mutex);
  if (why_lost.empty())
    why_lost = text;
  return why_lost;
}
