// The adapter itself, its platform and contexts.
#include <algorithm>

#include "functions.hpp"

namespace oxysycl {

namespace {

ur_adapter_handle_t_ adapter;

std::vector<ur_device_handle_t> find_devices() {
  std::vector<ur_device_handle_t> devices;
  const cuda::driver *driver = cuda::find();
  int count = 0;
  if (driver == nullptr || driver->cuDeviceGetCount(&count) != cuda::success)
    return devices;
  for (int number = 0; number < count; ++number) {
    auto *device = new ur_device_handle_t_;
    if (driver->cuDeviceGet(&device->number, number) == cuda::success)
      devices.push_back(device);
    else
      delete device;
  }
  return devices;
}

ur_platform_handle_t_ &platform() {
  static auto *const only = [] {
    auto *made = new ur_platform_handle_t_;
    made->devices = find_devices();
    return made;
  }();
  return *only;
}

template <typename Handle>
ur_result_t list(const std::vector<Handle> &from, uint32_t room, Handle *to, uint32_t *count) {
  if (to != nullptr)
    std::copy_n(from.begin(), std::min<size_t>(room, from.size()), to);
  if (count != nullptr)
    *count = static_cast<uint32_t>(from.size());
  return UR_RESULT_SUCCESS;
}

} // namespace

ur_platform_handle_t the_platform() { return &platform(); }

ur_result_t adapter_get(uint32_t room, ur_adapter_handle_t *to, uint32_t *count) {
  return list<ur_adapter_handle_t>({&adapter}, room, to, count);
}

ur_result_t adapter_info(ur_adapter_handle_t, ur_adapter_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_ADAPTER_INFO_BACKEND: return answer.value(UR_BACKEND_CUDA);
  case UR_ADAPTER_INFO_REFERENCE_COUNT:
  case UR_ADAPTER_INFO_VERSION: return answer.number(1);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t adapter_keep(ur_adapter_handle_t) { return UR_RESULT_SUCCESS; }

ur_result_t adapter_logger(ur_adapter_handle_t, ur_logger_callback_t, void *, ur_logger_level_t) {
  return UR_RESULT_SUCCESS;
}

ur_result_t adapter_logger_level(ur_adapter_handle_t, ur_logger_level_t) { return UR_RESULT_SUCCESS; }

// There is a platform where there is a device.
ur_result_t platform_get(ur_adapter_handle_t, uint32_t room, ur_platform_handle_t *to, uint32_t *count) {
  std::vector<ur_platform_handle_t> platforms;
  if (!platform().devices.empty())
    platforms.push_back(&platform());
  return list(platforms, room, to, count);
}

ur_result_t platform_info(ur_platform_handle_t, ur_platform_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_PLATFORM_INFO_NAME: return answer.text("NVIDIA CUDA");
  case UR_PLATFORM_INFO_VENDOR_NAME: return answer.text("NVIDIA Corporation");
  case UR_PLATFORM_INFO_PROFILE: return answer.text("FULL_PROFILE");
  case UR_PLATFORM_INFO_EXTENSIONS: return answer.text("");
  case UR_PLATFORM_INFO_BACKEND: return answer.value(UR_BACKEND_CUDA);
  case UR_PLATFORM_INFO_ADAPTER: return answer.value(&adapter);
  case UR_PLATFORM_INFO_VERSION: {
    int version = 0;
    driver().cuDriverGetVersion(&version);
    return answer.text("CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
  }
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t platform_api_version(ur_platform_handle_t, ur_api_version_t *to) {
  *to = UR_API_VERSION_CURRENT;
  return UR_RESULT_SUCCESS;
}

ur_result_t platform_backend_option(ur_platform_handle_t, const char *, const char **to) {
  *to = "";
  return UR_RESULT_SUCCESS;
}

ur_result_t device_get(ur_platform_handle_t from, ur_device_type_t type, uint32_t room, ur_device_handle_t *to,
                       uint32_t *count) {
  const bool wanted = type == UR_DEVICE_TYPE_GPU || type == UR_DEVICE_TYPE_ALL || type == UR_DEVICE_TYPE_DEFAULT;
  return list(wanted ? from->devices : std::vector<ur_device_handle_t>{}, room, to, count);
}

ur_result_t context_create(uint32_t count, const ur_device_handle_t *devices, const ur_context_properties_t *,
                           ur_context_handle_t *to) {
  *to = new ur_context_handle_t_;
  (*to)->devices.assign(devices, devices + count);
  return UR_RESULT_SUCCESS;
}

ur_result_t context_info(ur_context_handle_t context, ur_context_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_CONTEXT_INFO_NUM_DEVICES: return answer.number(static_cast<uint32_t>(context->devices.size()));
  case UR_CONTEXT_INFO_DEVICES: return answer.list(context->devices);
  case UR_CONTEXT_INFO_REFERENCE_COUNT: return answer.number(context->references);
  case UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT:
  case UR_CONTEXT_INFO_USM_FILL2D_SUPPORT: return answer.flag(false);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t context_native(ur_context_handle_t context, ur_native_handle_t *to) {
  if (const ur_result_t code = enter(context->devices.front()))
    return code;
  *to = reinterpret_cast<ur_native_handle_t>(context->devices.front()->context);
  return UR_RESULT_SUCCESS;
}

ur_result_t context_deleter(ur_context_handle_t context, ur_context_extended_deleter_t deleter, void *data) {
  context->deleters.emplace_back(deleter, data);
  return UR_RESULT_SUCCESS;
}

} // namespace oxysycl

ur_context_handle_t_::~ur_context_handle_t_() {
  for (const auto &[deleter, data] : deleters)
    deleter(data);
}
