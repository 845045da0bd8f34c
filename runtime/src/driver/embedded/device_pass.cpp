// Device pass of the embedded toolchain, as a program of its own, so that a crash or a hang of the compiler is no more than
// an error message.
//
//   device_pass UNIT.cpp OUT [NAME FILE]... -- OPTION...
//
// Compiles the kernels of a SYCL translation unit with the run-time compiler of libsycl, and writes its SPIR-V modules to
// OUT.0.spv, OUT.1.spv and so on. An include of NAME finds the text of FILE. Diagnostics go to standard error; exit status
// 1 on failure.
#define CL_TARGET_OPENCL_VERSION 300
#define SYCL_DISABLE_FSYCL_SYCLHPP_WARNING
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <CL/cl.h>
#include <sycl/backend.hpp>
#include <sycl/sycl.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;

static std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void write(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(text.data(), text.size()).flush())
    throw std::runtime_error("cannot write " + path);
}

static std::string spirv(cl_program program) {
  size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_IL, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    throw std::runtime_error("the OpenCL run time does not return the SPIR-V of a program");
  std::string text(size, '\0');
  clGetProgramInfo(program, CL_PROGRAM_IL, size, text.data(), nullptr);
  return text;
}

static void compile(const char *unit, const std::string &out, const std::vector<std::string> &names,
                    const std::vector<std::string> &texts, const std::vector<std::string> &options, std::string &log) {
  syclexp::include_files files;
  for (size_t i = 0; i < names.size(); ++i)
    files.add(names[i], texts[i]);
  sycl::queue queue{sycl::cpu_selector_v};
  auto source = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl,
                                                          read(unit), syclexp::properties{files});
  // To the object state, not further: a linked OpenCL program no longer returns its SPIR-V.
  auto object = syclexp::compile(
      source, syclexp::properties{syclexp::save_log{&log}, syclexp::build_options{options}});
  size_t count = 0;
  for (cl_program program : sycl::get_native<sycl::backend::opencl>(object))
    write(out + "." + std::to_string(count++) + ".spv", spirv(program));
}

int main(int argc, char **argv) {
  std::string log;
  int status = 0;
  try {
    std::vector<std::string> names, texts;
    int next = 3;
    for (; next + 1 < argc && std::strcmp(argv[next], "--") != 0; next += 2) {
      names.emplace_back(argv[next]);
      texts.push_back(read(argv[next + 1]));
    }
    if (next >= argc || std::strcmp(argv[next], "--") != 0) {
      std::fputs("usage: device_pass UNIT.cpp OUT [NAME FILE]... -- OPTION...\n", stderr);
      return 2;
    }
    compile(argv[1], argv[2], names, texts, {argv + next + 1, argv + argc}, log);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  std::fputs(log.c_str(), stderr);
  std::fflush(stderr);
  // Not by way of the libraries' own clean-up, whose order at exit is known to go wrong.
  std::_Exit(status);
}
