#include "cuda.hpp"

#include <dlfcn.h>

namespace cuda {

static const driver *load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return nullptr;
  static driver functions;
#define OXYSYCL_LOAD(NAME, ...)                                                                                        \
  functions.NAME = reinterpret_cast<result (*)(__VA_ARGS__)>(dlsym(library, #NAME));                                   \
  if (functions.NAME == nullptr)                                                                                       \
    return nullptr;
  OXYSYCL_CUDA(OXYSYCL_LOAD)
#undef OXYSYCL_LOAD
  return functions.cuInit(0) == success ? &functions : nullptr;
}

const driver *find() {
  static const driver *const found = load();
  return found;
}

} // namespace cuda
