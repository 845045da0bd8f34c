// What a device says about itself.
#include <cstdio>

#include "functions.hpp"

int ur_device_handle_t_::attribute(int which) const {
  int value = 0;
  oxysycl::driver().cuDeviceGetAttribute(&value, which, number);
  return value;
}

cuda::result ur_device_handle_t_::open() {
  std::call_once(opening, [this] {
    const cuda::driver &driver = oxysycl::driver();
    opened = driver.cuDevicePrimaryCtxRetain(&context, number);
    if (opened == cuda::success)
      opened = driver.cuCtxSetCurrent(context);
    if (opened == cuda::success)
      opened = driver.cuEventCreate(&origin, cuda::event_timing);
    if (opened == cuda::success)
      opened = driver.cuEventRecord(origin, nullptr);
    origin_ns = oxysycl::now();
  });
  return opened;
}

namespace oxysycl {

namespace {

constexpr uint32_t sub_group = 32;

std::string name(ur_device_handle_t device) {
  char text[256] = {};
  driver().cuDeviceGetName(text, sizeof text, device->number);
  return text;
}

std::string driver_version() {
  int version = 0;
  driver().cuDriverGetVersion(&version);
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string compute_capability(ur_device_handle_t device) {
  return std::to_string(device->attribute(cuda::major_version)) + "." +
         std::to_string(device->attribute(cuda::minor_version));
}

std::string pci_address(ur_device_handle_t device) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", device->attribute(cuda::pci_domain),
                device->attribute(cuda::pci_bus), device->attribute(cuda::pci_device));
  return text;
}

size_t total_memory(ur_device_handle_t device) {
  size_t bytes = 0;
  driver().cuDeviceTotalMem_v2(&bytes, device->number);
  return bytes;
}

ur_result_t free_memory(ur_device_handle_t device, const answer &answer) {
  size_t free = 0, total = 0;
  if (const ur_result_t code = enter(device))
    return code;
  if (const ur_result_t code = judge(device, driver().cuMemGetInfo_v2(&free, &total), "cannot ask for free memory"))
    return code;
  return answer.value<uint64_t>(free);
}

ur_device_usm_access_capability_flags_t managed(ur_device_handle_t device) {
  if (!device->attribute(cuda::managed_memory))
    return 0;
  ur_device_usm_access_capability_flags_t flags = UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ACCESS;
  if (device->attribute(cuda::concurrent_managed))
    flags |= UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_CONCURRENT_ACCESS;
  return flags;
}

constexpr ur_device_fp_capability_flags_t float_flags =
    UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST | UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO |
    UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF | UR_DEVICE_FP_CAPABILITY_FLAG_INF_NAN |
    UR_DEVICE_FP_CAPABILITY_FLAG_DENORM | UR_DEVICE_FP_CAPABILITY_FLAG_FMA;

constexpr ur_memory_order_capability_flags_t all_orders =
    UR_MEMORY_ORDER_CAPABILITY_FLAG_RELAXED | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQUIRE |
    UR_MEMORY_ORDER_CAPABILITY_FLAG_RELEASE | UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQ_REL |
    UR_MEMORY_ORDER_CAPABILITY_FLAG_SEQ_CST;

constexpr ur_memory_scope_capability_flags_t all_scopes =
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_ITEM | UR_MEMORY_SCOPE_CAPABILITY_FLAG_SUB_GROUP |
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP | UR_MEMORY_SCOPE_CAPABILITY_FLAG_DEVICE |
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_SYSTEM;

struct triple {
  size_t sizes[3];
};

ur_result_t text_info(ur_device_handle_t device, ur_device_info_t what, const answer &answer) {
  switch (what) {
  case UR_DEVICE_INFO_NAME: return answer.text(name(device));
  case UR_DEVICE_INFO_VENDOR: return answer.text("NVIDIA Corporation");
  case UR_DEVICE_INFO_DRIVER_VERSION: return answer.text(driver_version());
  case UR_DEVICE_INFO_BACKEND_RUNTIME_VERSION: return answer.text(driver_version());
  case UR_DEVICE_INFO_VERSION: return answer.text(compute_capability(device));
  case UR_DEVICE_INFO_PCI_ADDRESS: return answer.text(pci_address(device));
  case UR_DEVICE_INFO_PROFILE: return answer.text("FULL_PROFILE");
  case UR_DEVICE_INFO_EXTENSIONS:
    return answer.text("cl_khr_fp16 cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics");
  case UR_DEVICE_INFO_BUILT_IN_KERNELS:
  case UR_DEVICE_INFO_IL_VERSION: return answer.text("");
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t limit_info(ur_device_handle_t device, ur_device_info_t what, const answer &answer) {
  const auto attribute = [&](int which) { return static_cast<uint32_t>(device->attribute(which)); };
  switch (what) {
  case UR_DEVICE_INFO_MAX_COMPUTE_UNITS:
  case UR_DEVICE_INFO_NUM_COMPUTE_UNITS: return answer.number(attribute(cuda::processors));
  case UR_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS: return answer.number(3);
  case UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES:
    return answer.value(
        triple{attribute(cuda::max_block_x), attribute(cuda::max_block_y), attribute(cuda::max_block_z)});
  case UR_DEVICE_INFO_MAX_WORK_GROUPS:
  case UR_DEVICE_INFO_MAX_WORK_GROUPS_3D:
    return answer.value(triple{attribute(cuda::max_grid_x), attribute(cuda::max_grid_y), attribute(cuda::max_grid_z)});
  case UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE: return answer.size(attribute(cuda::max_block));
  case UR_DEVICE_INFO_MAX_NUM_SUB_GROUPS: return answer.number(attribute(cuda::max_block) / sub_group);
  case UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL: return answer.number(sub_group);
  case UR_DEVICE_INFO_MAX_REGISTERS_PER_WORK_GROUP: return answer.number(attribute(cuda::registers));
  case UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY: return answer.number(attribute(cuda::clock_khz) / 1000);
  case UR_DEVICE_INFO_MEMORY_CLOCK_RATE: return answer.number(attribute(cuda::memory_clock_khz) / 1000);
  case UR_DEVICE_INFO_MEMORY_BUS_WIDTH: return answer.number(attribute(cuda::memory_bus));
  case UR_DEVICE_INFO_ADDRESS_BITS: return answer.number(64);
  case UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE:
  case UR_DEVICE_INFO_GLOBAL_MEM_SIZE: return answer.value<uint64_t>(total_memory(device));
  case UR_DEVICE_INFO_GLOBAL_MEM_FREE: return free_memory(device, answer);
  case UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE: return answer.value<uint64_t>(attribute(cuda::cache_bytes));
  case UR_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE: return answer.value(UR_DEVICE_MEM_CACHE_TYPE_READ_WRITE_CACHE);
  case UR_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE: return answer.number(128);
  case UR_DEVICE_INFO_LOCAL_MEM_SIZE: return answer.value<uint64_t>(attribute(cuda::shared_memory));
  case UR_DEVICE_INFO_LOCAL_MEM_TYPE: return answer.value(UR_DEVICE_LOCAL_MEM_TYPE_LOCAL);
  case UR_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE: return answer.value<uint64_t>(attribute(cuda::constant_memory));
  case UR_DEVICE_INFO_MAX_CONSTANT_ARGS: return answer.number(9);
  case UR_DEVICE_INFO_MAX_PARAMETER_SIZE: return answer.size(4096);
  case UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN: return answer.number(256 * 8);
  case UR_DEVICE_INFO_PRINTF_BUFFER_SIZE: return answer.size(1 << 20);
  case UR_DEVICE_INFO_PROFILING_TIMER_RESOLUTION: return answer.size(1000);
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR: return answer.number(4);
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT:
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF: return answer.number(2);
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT:
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG:
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT:
  case UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE:
  case UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE: return answer.number(1);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t ability_info(ur_device_handle_t device, ur_device_info_t what, const answer &answer) {
  switch (what) {
  case UR_DEVICE_INFO_SINGLE_FP_CONFIG:
  case UR_DEVICE_INFO_DOUBLE_FP_CONFIG:
    return answer.value(float_flags | UR_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  case UR_DEVICE_INFO_HALF_FP_CONFIG: return answer.value(float_flags);
  case UR_DEVICE_INFO_QUEUE_PROPERTIES:
  case UR_DEVICE_INFO_QUEUE_ON_HOST_PROPERTIES:
    return answer.value<ur_queue_flags_t>(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                          UR_QUEUE_FLAG_PROFILING_ENABLE);
  case UR_DEVICE_INFO_QUEUE_ON_DEVICE_PROPERTIES: return answer.value<ur_queue_flags_t>(0);
  case UR_DEVICE_INFO_EXECUTION_CAPABILITIES:
    return answer.value<ur_device_exec_capability_flags_t>(UR_DEVICE_EXEC_CAPABILITY_FLAG_KERNEL);
  case UR_DEVICE_INFO_USM_HOST_SUPPORT:
  case UR_DEVICE_INFO_USM_DEVICE_SUPPORT:
    return answer.value<ur_device_usm_access_capability_flags_t>(UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ACCESS);
  case UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT: return answer.value(managed(device));
  case UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT:
  case UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT: return answer.value<ur_device_usm_access_capability_flags_t>(0);
  case UR_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES:
  case UR_DEVICE_INFO_ATOMIC_FENCE_ORDER_CAPABILITIES: return answer.value(all_orders);
  case UR_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES:
  case UR_DEVICE_INFO_ATOMIC_FENCE_SCOPE_CAPABILITIES: return answer.value(all_scopes);
  case UR_DEVICE_INFO_ERROR_CORRECTION_SUPPORT: return answer.flag(device->attribute(cuda::ecc));
  case UR_DEVICE_INFO_HOST_UNIFIED_MEMORY:
  case UR_DEVICE_INFO_IS_INTEGRATED_GPU: return answer.flag(device->attribute(cuda::integrated));
  case UR_DEVICE_INFO_ENDIAN_LITTLE:
  case UR_DEVICE_INFO_AVAILABLE:
  case UR_DEVICE_INFO_ATOMIC_64:
  case UR_DEVICE_INFO_USE_NATIVE_ASSERT:
  case UR_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: return answer.flag(true);
  case UR_DEVICE_INFO_PREFERRED_INTEROP_USER_SYNC: return answer.flag(true);
  case UR_DEVICE_INFO_COMPILER_AVAILABLE:
  case UR_DEVICE_INFO_LINKER_AVAILABLE:
  case UR_DEVICE_INFO_IMAGE_SUPPORT:
  case UR_DEVICE_INFO_IMAGE_SRGB:
  case UR_DEVICE_INFO_BUILD_ON_SUBDEVICE:
  case UR_DEVICE_INFO_ASYNC_BARRIER:
  case UR_DEVICE_INFO_MEM_CHANNEL_SUPPORT:
  case UR_DEVICE_INFO_HOST_PIPE_READ_WRITE_SUPPORT:
  case UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT:
  case UR_DEVICE_INFO_ESIMD_SUPPORT:
  case UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT:
  case UR_DEVICE_INFO_USM_POOL_SUPPORT:
  case UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS:
  case UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS:
  case UR_DEVICE_INFO_BFLOAT16_CONVERSIONS_NATIVE: return answer.flag(false);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

} // namespace

ur_result_t device_info(ur_device_handle_t device, ur_device_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_DEVICE_INFO_TYPE: return answer.value(UR_DEVICE_TYPE_GPU);
  case UR_DEVICE_INFO_PLATFORM: return answer.value(the_platform());
  case UR_DEVICE_INFO_PARENT_DEVICE: return answer.value<ur_device_handle_t>(nullptr);
  case UR_DEVICE_INFO_REFERENCE_COUNT: return answer.number(1);
  case UR_DEVICE_INFO_VENDOR_ID: return answer.number(0x10de);
  case UR_DEVICE_INFO_SUPPORTED_PARTITIONS: return answer.bytes(nullptr, 0);
  case UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES: return answer.number(0);
  case UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN: return answer.value<ur_device_affinity_domain_flags_t>(0);
  case UR_DEVICE_INFO_PARTITION_TYPE: return answer.bytes(nullptr, 0);
  case UR_DEVICE_INFO_UUID: {
    uint8_t uuid[16] = {};
    driver().cuDeviceGetUuid(uuid, device->number);
    return answer.value(uuid);
  }
  default: break;
  }
  for (const auto info : {text_info, limit_info, ability_info})
    if (const ur_result_t code = info(device, what, answer); code != UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION)
      return code;
  return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
}

ur_result_t device_keep(ur_device_handle_t) { return UR_RESULT_SUCCESS; }

ur_result_t device_select_binary(ur_device_handle_t, const ur_device_binary_t *binaries, uint32_t count,
                                 uint32_t *selected) {
  for (uint32_t i = 0; i < count; ++i)
    if (std::strcmp(binaries[i].pDeviceTargetSpec, UR_DEVICE_BINARY_TARGET_NVPTX64) == 0) {
      *selected = i;
      return UR_RESULT_SUCCESS;
    }
  return UR_RESULT_ERROR_INVALID_BINARY;
}

ur_result_t device_timestamps(ur_device_handle_t, uint64_t *device, uint64_t *host) {
  for (uint64_t *to : {device, host})
    if (to != nullptr)
      *to = now();
  return UR_RESULT_SUCCESS;
}

ur_result_t device_native(ur_device_handle_t device, ur_native_handle_t *to) {
  *to = static_cast<ur_native_handle_t>(device->number);
  return UR_RESULT_SUCCESS;
}

} // namespace oxysycl
