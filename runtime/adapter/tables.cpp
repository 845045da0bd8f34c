// Which function is where in the tables that the loader asks for.
#include <algorithm>

#include "functions.hpp"

namespace oxysycl {

ur_dditable_t table;

namespace {

// Stands wherever nothing else does. It ignores its arguments, which is well on every machine that this is built for: the
// caller cleans up after itself.
ur_result_t unsupported() { return UR_RESULT_ERROR_UNSUPPORTED_FEATURE; }

// A table with nothing of ours in it.
template <typename Table> void clear(Table &functions) {
  static_assert(sizeof(Table) % sizeof(&unsupported) == 0);
  auto *const all = reinterpret_cast<ur_result_t (**)()>(&functions);
  std::fill_n(all, sizeof(Table) / sizeof(&unsupported), &unsupported);
}

void fill(ur_adapter_dditable_t &to) {
  to.pfnGet = adapter_get;
  to.pfnRelease = adapter_keep;
  to.pfnRetain = adapter_keep;
  to.pfnGetLastError = adapter_last_error;
  to.pfnGetInfo = adapter_info;
  to.pfnSetLoggerCallback = adapter_logger;
  to.pfnSetLoggerCallbackLevel = adapter_logger_level;
}

void fill(ur_platform_dditable_t &to) {
  to.pfnGet = platform_get;
  to.pfnGetInfo = platform_info;
  to.pfnGetApiVersion = platform_api_version;
  to.pfnGetBackendOption = platform_backend_option;
}

void fill(ur_device_dditable_t &to) {
  to.pfnGet = device_get;
  to.pfnGetInfo = device_info;
  to.pfnRetain = device_keep;
  to.pfnRelease = device_keep;
  to.pfnSelectBinary = device_select_binary;
  to.pfnGetNativeHandle = device_native;
  to.pfnGetGlobalTimestamps = device_timestamps;
}

void fill(ur_context_dditable_t &to) {
  to.pfnCreate = context_create;
  to.pfnRetain = retain<ur_context_handle_t>;
  to.pfnRelease = release<ur_context_handle_t>;
  to.pfnGetInfo = context_info;
  to.pfnGetNativeHandle = context_native;
  to.pfnSetExtendedDeleter = context_deleter;
}

void fill(ur_queue_dditable_t &to) {
  to.pfnGetInfo = queue_info;
  to.pfnCreate = queue_create;
  to.pfnRetain = retain<ur_queue_handle_t>;
  to.pfnRelease = release<ur_queue_handle_t>;
  to.pfnGetNativeHandle = queue_native;
  to.pfnFinish = queue_finish;
  to.pfnFlush = queue_flush;
}

void fill(ur_event_dditable_t &to) {
  to.pfnGetInfo = event_info;
  to.pfnGetProfilingInfo = event_profiling_info;
  to.pfnWait = event_wait;
  to.pfnRetain = retain<ur_event_handle_t>;
  to.pfnRelease = release<ur_event_handle_t>;
  to.pfnGetNativeHandle = event_native;
}

void fill(ur_program_dditable_t &to) {
  to.pfnCreateWithBinary = program_create;
  to.pfnBuild = program_build;
  to.pfnCompile = program_compile;
  to.pfnLink = program_link;
  to.pfnRetain = retain<ur_program_handle_t>;
  to.pfnRelease = release<ur_program_handle_t>;
  to.pfnGetGlobalVariablePointer = program_global;
  to.pfnGetInfo = program_info;
  to.pfnGetBuildInfo = program_build_info;
}

void fill(ur_program_exp_dditable_t &to) {
  to.pfnBuildExp = program_build_exp;
  to.pfnCompileExp = program_compile_exp;
  to.pfnLinkExp = program_link_exp;
}

void fill(ur_kernel_dditable_t &to) {
  to.pfnCreate = kernel_create;
  to.pfnGetInfo = kernel_info;
  to.pfnGetGroupInfo = kernel_group_info;
  to.pfnGetSubGroupInfo = kernel_sub_group_info;
  to.pfnRetain = retain<ur_kernel_handle_t>;
  to.pfnRelease = release<ur_kernel_handle_t>;
  to.pfnGetSuggestedLocalWorkSize = kernel_suggested_group;
  to.pfnSetExecInfo = kernel_exec_info;
}

void fill(ur_usm_dditable_t &to) {
  to.pfnHostAlloc = usm_host_alloc;
  to.pfnDeviceAlloc = usm_device_alloc;
  to.pfnSharedAlloc = usm_shared_alloc;
  to.pfnFree = usm_free;
  to.pfnGetMemAllocInfo = usm_info;
}

void fill(ur_enqueue_dditable_t &to) {
  to.pfnEventsWait = enqueue_wait;
  to.pfnEventsWaitWithBarrier = enqueue_barrier;
  to.pfnEventsWaitWithBarrierExt = enqueue_barrier_ext;
  to.pfnUSMFill = enqueue_fill;
  to.pfnUSMMemcpy = enqueue_copy;
  to.pfnUSMPrefetch = enqueue_prefetch;
  to.pfnUSMAdvise = enqueue_advise;
}

void fill(ur_enqueue_exp_dditable_t &to) { to.pfnKernelLaunchWithArgsExp = enqueue_launch; }

// Images, samplers, buffers, graphs, virtual memory and the like: nothing is supported.
template <typename Table> void fill(Table &) {}

template <typename Table> ur_result_t give(Table *to, Table &own) {
  clear(own);
  fill(own);
  *to = own;
  return UR_RESULT_SUCCESS;
}

} // namespace

} // namespace oxysycl

// NAME is what the table is called in the name of its function, TYPE in that of its type, and MEMBER among all tables.
#define OXYSYCL_TABLE(NAME, TYPE, MEMBER)                                                                              \
  extern "C" __attribute__((visibility("default"))) ur_result_t urGet##NAME##ProcAddrTable(                            \
      ur_api_version_t, ur_##TYPE##_dditable_t *to) {                                                                  \
    return oxysycl::give(to, oxysycl::table.MEMBER);                                                                   \
  }
OXYSYCL_TABLE(Adapter, adapter, Adapter)
OXYSYCL_TABLE(Platform, platform, Platform)
OXYSYCL_TABLE(Context, context, Context)
OXYSYCL_TABLE(Event, event, Event)
OXYSYCL_TABLE(EventExp, event_exp, EventExp)
OXYSYCL_TABLE(Program, program, Program)
OXYSYCL_TABLE(ProgramExp, program_exp, ProgramExp)
OXYSYCL_TABLE(Kernel, kernel, Kernel)
OXYSYCL_TABLE(Queue, queue, Queue)
OXYSYCL_TABLE(QueueExp, queue_exp, QueueExp)
OXYSYCL_TABLE(Sampler, sampler, Sampler)
OXYSYCL_TABLE(Mem, mem, Mem)
OXYSYCL_TABLE(PhysicalMem, physical_mem, PhysicalMem)
OXYSYCL_TABLE(Enqueue, enqueue, Enqueue)
OXYSYCL_TABLE(EnqueueExp, enqueue_exp, EnqueueExp)
OXYSYCL_TABLE(USM, usm, USM)
OXYSYCL_TABLE(USMExp, usm_exp, USMExp)
OXYSYCL_TABLE(BindlessImagesExp, bindless_images_exp, BindlessImagesExp)
OXYSYCL_TABLE(CommandBufferExp, command_buffer_exp, CommandBufferExp)
OXYSYCL_TABLE(GraphExp, graph_exp, GraphExp)
OXYSYCL_TABLE(IPCExp, ipc_exp, IPCExp)
OXYSYCL_TABLE(MemoryExportExp, memory_export_exp, MemoryExportExp)
OXYSYCL_TABLE(UsmP2PExp, usm_p2p_exp, UsmP2PExp)
OXYSYCL_TABLE(VirtualMem, virtual_mem, VirtualMem)
OXYSYCL_TABLE(Device, device, Device)
OXYSYCL_TABLE(DeviceExp, device_exp, DeviceExp)
