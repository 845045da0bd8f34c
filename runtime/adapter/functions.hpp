// The functions of this adapter, by the names that `tables.cpp` gives them to the loader under.
#pragma once

#include "objects.hpp"

namespace oxysycl {

ur_platform_handle_t the_platform();

// failure.cpp
ur_result_t adapter_last_error(ur_adapter_handle_t, const char **message, int32_t *code);

// platform.cpp
ur_result_t adapter_keep(ur_adapter_handle_t);
ur_result_t adapter_logger(ur_adapter_handle_t, ur_logger_callback_t, void *, ur_logger_level_t);
ur_result_t adapter_logger_level(ur_adapter_handle_t, ur_logger_level_t);
ur_result_t adapter_get(uint32_t room, ur_adapter_handle_t *to, uint32_t *count);
ur_result_t adapter_info(ur_adapter_handle_t, ur_adapter_info_t what, size_t room, void *to, size_t *needed);
ur_result_t platform_get(ur_adapter_handle_t, uint32_t room, ur_platform_handle_t *to, uint32_t *count);
ur_result_t platform_info(ur_platform_handle_t, ur_platform_info_t what, size_t room, void *to, size_t *needed);
ur_result_t platform_api_version(ur_platform_handle_t, ur_api_version_t *to);
ur_result_t platform_backend_option(ur_platform_handle_t, const char *, const char **to);
ur_result_t device_get(ur_platform_handle_t from, ur_device_type_t type, uint32_t room, ur_device_handle_t *to,
                       uint32_t *count);
ur_result_t context_create(uint32_t count, const ur_device_handle_t *devices, const ur_context_properties_t *,
                           ur_context_handle_t *to);
ur_result_t context_info(ur_context_handle_t context, ur_context_info_t what, size_t room, void *to, size_t *needed);
ur_result_t context_native(ur_context_handle_t context, ur_native_handle_t *to);
ur_result_t context_deleter(ur_context_handle_t context, ur_context_extended_deleter_t deleter, void *data);

// device.cpp
ur_result_t device_info(ur_device_handle_t device, ur_device_info_t what, size_t room, void *to, size_t *needed);
ur_result_t device_keep(ur_device_handle_t);
ur_result_t device_select_binary(ur_device_handle_t, const ur_device_binary_t *binaries, uint32_t count,
                                 uint32_t *selected);
ur_result_t device_timestamps(ur_device_handle_t, uint64_t *device, uint64_t *host);
ur_result_t device_native(ur_device_handle_t device, ur_native_handle_t *to);

// memory.cpp
ur_result_t usm_host_alloc(ur_context_handle_t context, const ur_usm_desc_t *wanted, ur_usm_pool_handle_t, size_t size,
                           void **to);
ur_result_t usm_device_alloc(ur_context_handle_t, ur_device_handle_t device, const ur_usm_desc_t *wanted,
                             ur_usm_pool_handle_t, size_t size, void **to);
ur_result_t usm_shared_alloc(ur_context_handle_t, ur_device_handle_t device, const ur_usm_desc_t *wanted,
                             ur_usm_pool_handle_t, size_t size, void **to);
ur_result_t usm_free(ur_context_handle_t, void *memory);
ur_result_t usm_info(ur_context_handle_t, const void *memory, ur_usm_alloc_info_t what, size_t room, void *to,
                     size_t *needed);

// program.cpp
ur_result_t program_create(ur_context_handle_t context, uint32_t count, ur_device_handle_t *devices, size_t *lengths,
                           const uint8_t **binaries, const ur_program_properties_t *, ur_program_handle_t *to);
ur_result_t program_build(ur_context_handle_t, ur_program_handle_t program, const char *);
ur_result_t program_build_exp(ur_program_handle_t program, uint32_t count, ur_device_handle_t *devices,
                              ur_exp_program_flags_t, const char *);
ur_result_t program_compile(ur_context_handle_t, ur_program_handle_t, const char *);
ur_result_t program_compile_exp(ur_program_handle_t, uint32_t, ur_device_handle_t *, ur_exp_program_flags_t,
                                const char *);
ur_result_t program_link(ur_context_handle_t context, uint32_t count, const ur_program_handle_t *programs, const char *,
                         ur_program_handle_t *to);
ur_result_t program_link_exp(ur_context_handle_t context, uint32_t, ur_device_handle_t *, ur_exp_program_flags_t,
                             uint32_t count, const ur_program_handle_t *programs, const char *options,
                             ur_program_handle_t *to);
ur_result_t program_info(ur_program_handle_t program, ur_program_info_t what, size_t room, void *to, size_t *needed);
ur_result_t program_build_info(ur_program_handle_t program, ur_device_handle_t device, ur_program_build_info_t what,
                               size_t room, void *to, size_t *needed);
ur_result_t program_global(ur_device_handle_t device, ur_program_handle_t program, const char *name, size_t *size,
                           void **to);
ur_result_t kernel_create(ur_program_handle_t program, const char *name, ur_kernel_handle_t *to);
ur_result_t kernel_info(ur_kernel_handle_t kernel, ur_kernel_info_t what, size_t room, void *to, size_t *needed);
ur_result_t kernel_group_info(ur_kernel_handle_t kernel, ur_device_handle_t device, ur_kernel_group_info_t what,
                              size_t room, void *to, size_t *needed);
ur_result_t kernel_sub_group_info(ur_kernel_handle_t kernel, ur_device_handle_t device, ur_kernel_sub_group_info_t what,
                                  size_t room, void *to, size_t *needed);
ur_result_t kernel_exec_info(ur_kernel_handle_t, ur_kernel_exec_info_t, size_t,
                             const ur_kernel_exec_info_properties_t *, const void *);

// queue.cpp
ur_result_t queue_create(ur_context_handle_t context, ur_device_handle_t device, const ur_queue_properties_t *wanted,
                         ur_queue_handle_t *to);
ur_result_t queue_info(ur_queue_handle_t queue, ur_queue_info_t what, size_t room, void *to, size_t *needed);
ur_result_t queue_finish(ur_queue_handle_t queue);
ur_result_t queue_flush(ur_queue_handle_t);
ur_result_t queue_native(ur_queue_handle_t queue, ur_queue_native_desc_t *, ur_native_handle_t *to);
ur_result_t event_info(ur_event_handle_t event, ur_event_info_t what, size_t room, void *to, size_t *needed);
ur_result_t event_profiling_info(ur_event_handle_t event, ur_profiling_info_t what, size_t room, void *to,
                                 size_t *needed);
ur_result_t event_wait(uint32_t count, const ur_event_handle_t *events);
ur_result_t event_native(ur_event_handle_t event, ur_native_handle_t *to);

// enqueue.cpp
ur_result_t enqueue_wait(ur_queue_handle_t queue, uint32_t count, const ur_event_handle_t *events,
                         ur_event_handle_t *to);
ur_result_t enqueue_barrier(ur_queue_handle_t queue, uint32_t count, const ur_event_handle_t *events,
                            ur_event_handle_t *to);
ur_result_t enqueue_barrier_ext(ur_queue_handle_t queue, const ur_exp_enqueue_ext_properties_t *, uint32_t count,
                                const ur_event_handle_t *events, ur_event_handle_t *to);
ur_result_t enqueue_fill(ur_queue_handle_t queue, void *memory, size_t pattern_size, const void *pattern, size_t size,
                         uint32_t count, const ur_event_handle_t *events, ur_event_handle_t *to);
ur_result_t enqueue_copy(ur_queue_handle_t queue, bool blocking, void *destination, const void *source, size_t size,
                         uint32_t count, const ur_event_handle_t *events, ur_event_handle_t *to);
ur_result_t enqueue_prefetch(ur_queue_handle_t queue, const void *, size_t, ur_usm_migration_flags_t, uint32_t count,
                             const ur_event_handle_t *events, ur_event_handle_t *to);
ur_result_t enqueue_advise(ur_queue_handle_t queue, const void *, size_t, ur_usm_advice_flags_t, ur_event_handle_t *to);
ur_result_t kernel_suggested_group(ur_kernel_handle_t, ur_queue_handle_t, uint32_t dimensions, const size_t *,
                                   const size_t *global, size_t *to);
ur_result_t enqueue_launch(ur_queue_handle_t queue, ur_kernel_handle_t kernel, uint32_t dimensions,
                           const size_t *offset, const size_t *global, const size_t *local, uint32_t argument_count,
                           const ur_exp_kernel_arg_properties_t *given, const ur_kernel_launch_ext_properties_t *,
                           uint32_t count, const ur_event_handle_t *events, ur_event_handle_t *to);

} // namespace oxysycl
