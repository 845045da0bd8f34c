// The part of NVIDIA's driver interface that is used here, after its public documentation. The driver is loaded by name
// when it is first needed, so that nothing of NVIDIA's is needed to build this, nor on machines without one of its GPUs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda {

using result = int;
using device = int;
using context = struct context_ *;
using stream = struct stream_ *;
using event = struct event_ *;
using module = struct module_ *;
using function = struct function_ *;
using address = unsigned long long;

// Results that are told apart.
constexpr result success = 0, out_of_memory = 2, not_found = 500, not_ready = 600;
// After one of these nothing works on the device any more, until the process ends.
constexpr result fatal[] = {
    214, // uncorrectable memory error
    220, // link between GPUs
    700, // illegal address
    702, // launch timeout
    710, // assertion
    714, // hardware stack
    715, // illegal instruction
    716, // misaligned address
    717, // address space
    718, // program counter
    719, // launch failed
};

// Attributes of devices.
constexpr int max_block = 1, max_block_x = 2, max_block_y = 3, max_block_z = 4, max_grid_x = 5, max_grid_y = 6,
              max_grid_z = 7, constant_memory = 9, registers = 12, clock_khz = 13, processors = 16, integrated = 18,
              ecc = 32, pci_bus = 33, pci_device = 34, memory_clock_khz = 36, memory_bus = 37, cache_bytes = 38,
              pci_domain = 50, major_version = 75, minor_version = 76, managed_memory = 83, concurrent_managed = 89,
              shared_memory = 97;

// Attributes of functions.
constexpr int function_max_threads = 0, function_shared_bytes = 1, function_local_bytes = 3, function_registers = 4,
              function_max_dynamic_shared = 8;

// Options of the compiler in the driver.
constexpr int info_log = 3, info_log_bytes = 4, error_log = 5, error_log_bytes = 6;

// Flags.
constexpr unsigned event_no_timing = 2, event_timing = 0, stream_non_blocking = 1, host_portable = 1, managed_global = 1;

// Every function: the name of the version that is used, and its parameters.
#define OXYSYCL_CUDA(F)                                                                                                \
  F(cuInit, unsigned)                                                                                                  \
  F(cuDriverGetVersion, int *)                                                                                         \
  F(cuGetErrorName, result, const char **)                                                                             \
  F(cuGetErrorString, result, const char **)                                                                           \
  F(cuDeviceGetCount, int *)                                                                                           \
  F(cuDeviceGet, device *, int)                                                                                        \
  F(cuDeviceGetName, char *, int, device)                                                                              \
  F(cuDeviceGetUuid, void *, device)                                                                                   \
  F(cuDeviceGetAttribute, int *, int, device)                                                                          \
  F(cuDeviceTotalMem_v2, size_t *, device)                                                                             \
  F(cuDevicePrimaryCtxRetain, context *, device)                                                                       \
  F(cuCtxSetCurrent, context)                                                                                          \
  F(cuMemGetInfo_v2, size_t *, size_t *)                                                                               \
  F(cuMemAlloc_v2, address *, size_t)                                                                                  \
  F(cuMemAllocManaged, address *, size_t, unsigned)                                                                    \
  F(cuMemFree_v2, address)                                                                                             \
  F(cuMemHostAlloc, void **, size_t, unsigned)                                                                         \
  F(cuMemFreeHost, void *)                                                                                             \
  F(cuMemcpyAsync, address, address, size_t, stream)                                                                   \
  F(cuMemsetD2D8Async, address, size_t, unsigned char, size_t, size_t, stream)                                         \
  F(cuMemsetD2D16Async, address, size_t, unsigned short, size_t, size_t, stream)                                       \
  F(cuMemsetD2D32Async, address, size_t, unsigned, size_t, size_t, stream)                                             \
  F(cuMemsetD8Async, address, unsigned char, size_t, stream)                                                           \
  F(cuMemsetD16Async, address, unsigned short, size_t, stream)                                                         \
  F(cuMemsetD32Async, address, unsigned, size_t, stream)                                                               \
  F(cuStreamCreate, stream *, unsigned)                                                                                \
  F(cuStreamDestroy_v2, stream)                                                                                        \
  F(cuStreamQuery, stream)                                                                                             \
  F(cuStreamSynchronize, stream)                                                                                       \
  F(cuStreamWaitEvent, stream, event, unsigned)                                                                        \
  F(cuEventCreate, event *, unsigned)                                                                                  \
  F(cuEventDestroy_v2, event)                                                                                          \
  F(cuEventRecord, event, stream)                                                                                      \
  F(cuEventQuery, event)                                                                                               \
  F(cuEventSynchronize, event)                                                                                         \
  F(cuEventElapsedTime, float *, event, event)                                                                         \
  F(cuModuleLoadDataEx, module *, const void *, unsigned, int *, void **)                                              \
  F(cuModuleUnload, module)                                                                                            \
  F(cuModuleGetFunction, function *, module, const char *)                                                             \
  F(cuModuleGetGlobal_v2, address *, size_t *, module, const char *)                                                   \
  F(cuFuncGetAttribute, int *, int, function)                                                                          \
  F(cuFuncSetAttribute, function, int, int)                                                                            \
  F(cuLaunchKernel, function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream, void **,   \
    void **)

struct driver {
#define OXYSYCL_MEMBER(NAME, ...) result (*NAME)(__VA_ARGS__) = nullptr;
  OXYSYCL_CUDA(OXYSYCL_MEMBER)
#undef OXYSYCL_MEMBER
};

// The driver's functions; null where there is no driver, or one that cannot be used.
const driver *find();

} // namespace cuda
