// Unified shared memory.
#include <map>

#include "functions.hpp"

namespace oxysycl {

namespace {

struct allocation {
  ur_usm_type_t type;
  ur_device_handle_t device;
  size_t size;
};

// What the driver gives is aligned to this at least.
constexpr uint32_t alignment = 256;

std::mutex mutex;

// By address. Never destroyed: memory is freed late.
std::map<uintptr_t, allocation> &allocations() {
  static auto *const all = new std::map<uintptr_t, allocation>;
  return *all;
}

ur_result_t keep(ur_usm_type_t type, ur_device_handle_t device, size_t size, void *memory, void **to) {
  std::lock_guard lock(mutex);
  allocations()[reinterpret_cast<uintptr_t>(memory)] = {type, device, size};
  *to = memory;
  return UR_RESULT_SUCCESS;
}

template <typename Allocate>
ur_result_t allocate(ur_usm_type_t type, ur_device_handle_t device, const ur_usm_desc_t *wanted, size_t size,
                     void **to, Allocate allocate) {
  if (wanted != nullptr && wanted->align > alignment)
    return UR_RESULT_ERROR_INVALID_VALUE;
  if (const ur_result_t code = enter(device))
    return code;
  cuda::address memory = 0;
  const cuda::result code = allocate(&memory);
  if (code == cuda::out_of_memory)
    return type == UR_USM_TYPE_HOST ? UR_RESULT_ERROR_OUT_OF_HOST_MEMORY : UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  if (code != cuda::success)
    return judge(device, code, "cannot allocate " + std::to_string(size) + " bytes");
  return keep(type, device, size, reinterpret_cast<void *>(memory), to);
}

} // namespace

ur_result_t usm_host_alloc(ur_context_handle_t context, const ur_usm_desc_t *wanted, ur_usm_pool_handle_t, size_t size,
                           void **to) {
  return allocate(UR_USM_TYPE_HOST, context->devices.front(), wanted, size, to, [&](cuda::address *memory) {
    return driver().cuMemHostAlloc(reinterpret_cast<void **>(memory), size, cuda::host_portable);
  });
}

ur_result_t usm_device_alloc(ur_context_handle_t, ur_device_handle_t device, const ur_usm_desc_t *wanted,
                             ur_usm_pool_handle_t, size_t size, void **to) {
  return allocate(UR_USM_TYPE_DEVICE, device, wanted, size, to,
                  [&](cuda::address *memory) { return driver().cuMemAlloc_v2(memory, size); });
}

ur_result_t usm_shared_alloc(ur_context_handle_t, ur_device_handle_t device, const ur_usm_desc_t *wanted,
                             ur_usm_pool_handle_t, size_t size, void **to) {
  return allocate(UR_USM_TYPE_SHARED, device, wanted, size, to, [&](cuda::address *memory) {
    return driver().cuMemAllocManaged(memory, size, cuda::managed_global);
  });
}

ur_result_t usm_free(ur_context_handle_t, void *memory) {
  allocation freed;
  {
    std::lock_guard lock(mutex);
    const auto found = allocations().find(reinterpret_cast<uintptr_t>(memory));
    if (found == allocations().end())
      return fail("cannot free memory that was not allocated here, or was freed already");
    freed = found->second;
    allocations().erase(found);
  }
  if (const ur_result_t code = enter(freed.device))
    return code;
  const cuda::result code = freed.type == UR_USM_TYPE_HOST
                                ? driver().cuMemFreeHost(memory)
                                : driver().cuMemFree_v2(reinterpret_cast<cuda::address>(memory));
  return judge(freed.device, code, "cannot free memory");
}

ur_result_t usm_info(ur_context_handle_t, const void *memory, ur_usm_alloc_info_t what, size_t room, void *to,
                     size_t *needed) {
  const answer answer(room, to, needed);
  const auto address = reinterpret_cast<uintptr_t>(memory);
  std::lock_guard lock(mutex);
  auto found = allocations().upper_bound(address);
  const bool within = found != allocations().begin() && address - (--found)->first < found->second.size;
  const allocation about = within ? found->second : allocation{UR_USM_TYPE_UNKNOWN, nullptr, 0};
  switch (what) {
  case UR_USM_ALLOC_INFO_TYPE: return answer.value(about.type);
  case UR_USM_ALLOC_INFO_BASE_PTR: return answer.value(within ? found->first : uintptr_t{0});
  case UR_USM_ALLOC_INFO_SIZE: return answer.size(about.size);
  case UR_USM_ALLOC_INFO_DEVICE: return answer.value(about.device);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

} // namespace oxysycl
