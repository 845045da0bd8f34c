// Programs: PTX or machine code, loaded by the driver, for one device or several.
#include <algorithm>
#include <cstdlib>

#include "functions.hpp"

namespace oxysycl {

namespace {

// Loads the code for a device, unless it is loaded.
ur_result_t build(ur_program_handle_t_::part &part) {
  if (part.module != nullptr)
    return UR_RESULT_SUCCESS;
  if (const ur_result_t code = enter(part.device))
    return code;
  char log[8192] = {};
  int options[] = {cuda::error_log, cuda::error_log_bytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const cuda::result code = driver().cuModuleLoadDataEx(&part.module, part.code.c_str(), 2, options, values);
  if (code == cuda::success) {
    part.status = UR_PROGRAM_BUILD_STATUS_SUCCESS;
    return UR_RESULT_SUCCESS;
  }
  part.status = UR_PROGRAM_BUILD_STATUS_ERROR;
  const int capability = 10 * part.device->attribute(cuda::major_version) + part.device->attribute(cuda::minor_version);
  part.log = "NVIDIA's driver cannot load the code for a device of compute capability " +
             std::to_string(capability / 10) + "." + std::to_string(capability % 10) + ": " + words(code);
  if (capability < 75)
    part.log += "; the code is for 7.5 and later";
  if (log[0] != '\0')
    part.log += std::string("\n") + log;
  judge(part.device, code, "cannot load a program");
  return UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE;
}

ur_result_t build_all(ur_program_handle_t program) {
  for (auto &part : program->parts)
    if (const ur_result_t code = build(part))
      return code;
  return UR_RESULT_SUCCESS;
}

ur_program_handle_t copy(ur_context_handle_t context, ur_program_handle_t from) {
  auto *made = new ur_program_handle_t_;
  retain(context);
  made->context = context;
  for (const auto &part : from->parts)
    made->parts.push_back({part.device, part.code, nullptr, {}, UR_PROGRAM_BUILD_STATUS_NONE});
  return made;
}

} // namespace

ur_result_t program_create(ur_context_handle_t context, uint32_t count, ur_device_handle_t *devices, size_t *lengths,
                           const uint8_t **binaries, const ur_program_properties_t *, ur_program_handle_t *to) {
  auto *made = new ur_program_handle_t_;
  retain(context);
  made->context = context;
  for (uint32_t i = 0; i < count; ++i)
    made->parts.push_back({devices[i], {reinterpret_cast<const char *>(binaries[i]), lengths[i]}});
  *to = made;
  return UR_RESULT_SUCCESS;
}

ur_result_t program_build(ur_context_handle_t, ur_program_handle_t program, const char *) { return build_all(program); }

ur_result_t program_build_exp(ur_program_handle_t program, uint32_t count, ur_device_handle_t *devices,
                              ur_exp_program_flags_t, const char *) {
  for (uint32_t i = 0; i < count; ++i) {
    auto *part = program->find(devices[i]);
    if (part == nullptr)
      return UR_RESULT_ERROR_INVALID_DEVICE;
    if (const ur_result_t code = build(*part))
      return code;
  }
  return UR_RESULT_SUCCESS;
}

// Code is whole as it comes: it is loaded when it is linked.
ur_result_t program_compile(ur_context_handle_t, ur_program_handle_t, const char *) { return UR_RESULT_SUCCESS; }

ur_result_t program_compile_exp(ur_program_handle_t, uint32_t, ur_device_handle_t *, ur_exp_program_flags_t,
                                const char *) {
  return UR_RESULT_SUCCESS;
}

ur_result_t program_link(ur_context_handle_t context, uint32_t count, const ur_program_handle_t *programs,
                         const char *, ur_program_handle_t *to) {
  if (count != 1)
    return fail("several programs cannot be linked to one for NVIDIA's GPUs");
  *to = copy(context, programs[0]);
  return build_all(*to);
}

ur_result_t program_link_exp(ur_context_handle_t context, uint32_t, ur_device_handle_t *, ur_exp_program_flags_t,
                             uint32_t count, const ur_program_handle_t *programs, const char *options,
                             ur_program_handle_t *to) {
  return program_link(context, count, programs, options, to);
}

ur_result_t program_info(ur_program_handle_t program, ur_program_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_PROGRAM_INFO_REFERENCE_COUNT: return answer.number(program->references);
  case UR_PROGRAM_INFO_CONTEXT: return answer.value(program->context);
  case UR_PROGRAM_INFO_NUM_DEVICES: return answer.number(static_cast<uint32_t>(program->parts.size()));
  case UR_PROGRAM_INFO_DEVICES: {
    std::vector<ur_device_handle_t> devices;
    for (const auto &part : program->parts)
      devices.push_back(part.device);
    return answer.list(devices);
  }
  case UR_PROGRAM_INFO_BINARY_SIZES: {
    std::vector<size_t> sizes;
    for (const auto &part : program->parts)
      sizes.push_back(part.code.size());
    return answer.list(sizes);
  }
  case UR_PROGRAM_INFO_BINARIES: {
    auto *const places = static_cast<unsigned char **>(to);
    for (size_t i = 0; places != nullptr && i < program->parts.size(); ++i)
      if (places[i] != nullptr)
        std::memcpy(places[i], program->parts[i].code.data(), program->parts[i].code.size());
    if (needed != nullptr)
      *needed = program->parts.size() * sizeof(unsigned char *);
    return UR_RESULT_SUCCESS;
  }
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t program_build_info(ur_program_handle_t program, ur_device_handle_t device, ur_program_build_info_t what,
                               size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  const auto *part = program->find(device);
  if (part == nullptr)
    return UR_RESULT_ERROR_INVALID_DEVICE;
  switch (what) {
  case UR_PROGRAM_BUILD_INFO_STATUS: return answer.value(part->status);
  case UR_PROGRAM_BUILD_INFO_OPTIONS: return answer.text("");
  case UR_PROGRAM_BUILD_INFO_LOG: return answer.text(part->log);
  case UR_PROGRAM_BUILD_INFO_BINARY_TYPE:
    return answer.value(part->module ? UR_PROGRAM_BINARY_TYPE_EXECUTABLE : UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t program_global(ur_device_handle_t device, ur_program_handle_t program, const char *name, size_t *size,
                           void **to) {
  auto *part = program->find(device);
  if (part == nullptr || part->module == nullptr)
    return UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE;
  if (const ur_result_t code = enter(device))
    return code;
  cuda::address address = 0;
  size_t bytes = 0;
  const cuda::result code = driver().cuModuleGetGlobal_v2(&address, &bytes, part->module, name);
  if (code == cuda::not_found)
    return UR_RESULT_ERROR_INVALID_VALUE;
  if (size != nullptr)
    *size = bytes;
  if (to != nullptr)
    *to = reinterpret_cast<void *>(address);
  return judge(device, code, std::string("cannot find the variable ") + name);
}

// Kernels.

ur_result_t kernel_create(ur_program_handle_t program, const char *name, ur_kernel_handle_t *to) {
  std::vector<ur_kernel_handle_t_::part> parts;
  for (auto &part : program->parts) {
    if (part.module == nullptr)
      continue;
    if (const ur_result_t code = enter(part.device))
      return code;
    ur_kernel_handle_t_::part found{part.device, part.module, nullptr};
    const cuda::result code = driver().cuModuleGetFunction(&found.function, part.module, name);
    if (code == cuda::not_found)
      return UR_RESULT_ERROR_INVALID_KERNEL_NAME;
    if (code != cuda::success)
      return judge(part.device, code, "cannot find the kernel " + readable(name));
    parts.push_back(found);
  }
  if (parts.empty())
    return UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE;
  auto *made = new ur_kernel_handle_t_;
  retain(program);
  made->program = program;
  made->name = name;
  made->readable = std::make_shared<const std::string>(readable(name));
  made->parts = std::move(parts);
  *to = made;
  return UR_RESULT_SUCCESS;
}

namespace {

int function_attribute(cuda::function function, int which) {
  int value = 0;
  driver().cuFuncGetAttribute(&value, which, function);
  return value;
}

} // namespace

ur_result_t kernel_info(ur_kernel_handle_t kernel, ur_kernel_info_t what, size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  switch (what) {
  case UR_KERNEL_INFO_FUNCTION_NAME: return answer.text(kernel->name);
  case UR_KERNEL_INFO_REFERENCE_COUNT: return answer.number(kernel->references);
  case UR_KERNEL_INFO_CONTEXT: return answer.value(kernel->program->context);
  case UR_KERNEL_INFO_PROGRAM: return answer.value(kernel->program);
  case UR_KERNEL_INFO_ATTRIBUTES: return answer.text("");
  case UR_KERNEL_INFO_NUM_REGS:
    return answer.number(function_attribute(kernel->parts.front().function, cuda::function_registers));
  case UR_KERNEL_INFO_SPILL_MEM_SIZE: {
    std::vector<uint32_t> bytes;
    for (const auto &part : kernel->parts)
      bytes.push_back(function_attribute(part.function, cuda::function_local_bytes));
    return answer.list(bytes);
  }
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t kernel_group_info(ur_kernel_handle_t kernel, ur_device_handle_t device, ur_kernel_group_info_t what,
                              size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  const auto *part = kernel->find(device);
  if (part == nullptr)
    return UR_RESULT_ERROR_INVALID_DEVICE;
  struct triple {
    size_t sizes[3];
  };
  const auto attribute = [&](int which) { return static_cast<size_t>(function_attribute(part->function, which)); };
  switch (what) {
  case UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE: return answer.size(attribute(cuda::function_max_threads));
  // No size is required: one that the source requires is checked by the SYCL run time.
  case UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE:
  case UR_KERNEL_GROUP_INFO_COMPILE_MAX_WORK_GROUP_SIZE: return answer.value(triple{});
  case UR_KERNEL_GROUP_INFO_COMPILE_MAX_LINEAR_WORK_GROUP_SIZE: return answer.size(0);
  case UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE: return answer.size(attribute(cuda::function_shared_bytes));
  case UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return answer.size(32);
  case UR_KERNEL_GROUP_INFO_PRIVATE_MEM_SIZE: return answer.size(attribute(cuda::function_local_bytes));
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

ur_result_t kernel_sub_group_info(ur_kernel_handle_t kernel, ur_device_handle_t device, ur_kernel_sub_group_info_t what,
                                  size_t room, void *to, size_t *needed) {
  const answer answer(room, to, needed);
  const auto *part = kernel->find(device);
  if (part == nullptr)
    return UR_RESULT_ERROR_INVALID_DEVICE;
  switch (what) {
  case UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE:
  case UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL: return answer.number(32);
  case UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS:
    return answer.number(function_attribute(part->function, cuda::function_max_threads) / 32);
  case UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS: return answer.number(0);
  default: return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
}

// What it says concerns memory that other devices could not reach by themselves.
ur_result_t kernel_exec_info(ur_kernel_handle_t, ur_kernel_exec_info_t, size_t, const ur_kernel_exec_info_properties_t *,
                             const void *) {
  return UR_RESULT_SUCCESS;
}

} // namespace oxysycl

ur_program_handle_t_::~ur_program_handle_t_() {
  for (auto &part : parts)
    if (part.module != nullptr && oxysycl::enter(part.device) == UR_RESULT_SUCCESS)
      oxysycl::driver().cuModuleUnload(part.module);
  oxysycl::release(context);
}

ur_program_handle_t_::part *ur_program_handle_t_::find(ur_device_handle_t device) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const part &part) { return part.device == device; });
  return found == parts.end() ? nullptr : &*found;
}

ur_kernel_handle_t_::~ur_kernel_handle_t_() { oxysycl::release(program); }

const ur_kernel_handle_t_::part *ur_kernel_handle_t_::find(ur_device_handle_t device) const {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const part &part) { return part.device == device; });
  return found == parts.end() ? nullptr : &*found;
}

cuda::function ur_kernel_handle_t_::with_offset(const part &of) const {
  const std::string variant = name + "_with_offset";
  cuda::function found = nullptr;
  const cuda::result code = oxysycl::driver().cuModuleGetFunction(&found, of.module, variant.c_str());
  return code == cuda::success ? found : nullptr;
}
