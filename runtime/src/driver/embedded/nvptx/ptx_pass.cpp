// Device pass of the embedded toolchain for NVIDIA's GPUs, as a program of its own, so that a crash or a hang of the
// compiler is no more than an error message.
//
//   ptx_pass RESOURCES UNIT.cpp OUT [NAME FILE]... -- OPTION...
//
// Compiles the kernels of a SYCL translation unit to PTX and writes the modules to OUT.0.ptx, OUT.1.ptx and so on, and
// beside each, in OUT.0.sub_group, the sub-group size that its kernels ask for, 0 if they don't. An include of NAME finds the
// text of FILE. Diagnostics go to standard error; exit status 1 on failure.
//
// The public interface of the run-time compiler chooses the form of the code by the device at hand, and there need not be
// any. So this calls the function that libsycl itself calls. Link with -rdynamic: `open` below has to be found first.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// The interface between libsycl.so.9 and libsycl-jit.so.23.1, as both lay it out in memory.
template <typename T> struct view {
  const T *begin;
  size_t size;
};
template <typename T> struct array {
  T *values;
  size_t size;
};
struct text {
  char *chars;
};
struct file {
  const char *path, *contents;
};
struct binary {
  uint32_t format;
  uint64_t address_bits;
  const uint8_t *start;
  size_t size;
};
struct property {
  text name;
  bool is_number;
  uint32_t number;
  array<uint8_t> bytes;
};
struct property_set {
  text name;
  array<property> properties;
};
struct image {
  binary code;
  array<text> symbols;
  array<property_set> sets;
};
struct result {
  int error;
  array<image> images;
  text options;
  array<char> ir;
  text log;
  // Makes it a type that is returned in memory, as the original is. What it holds is never freed: the process ends.
  ~result() {}
};
constexpr uint32_t ptx = 3;
using compile_sycl = result (*)(file unit, view<file> includes, view<const char *> options, view<char> ir, bool saves_ir,
                                uint32_t format);

std::string resources;

std::string read(const char *path) {
  std::ifstream from(path, std::ios::binary);
  if (!from)
    throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(from), {}};
}

void write(const std::string &path, const uint8_t *bytes, size_t size) {
  std::ofstream to(path, std::ios::binary);
  if (!to.write(reinterpret_cast<const char *>(bytes), size).flush())
    throw std::runtime_error("cannot write " + path);
}

// The sub-group size that the kernels of an image ask for: the compiler makes one image for each.
uint32_t sub_group_size(const image &image) {
  for (size_t s = 0; s < image.sets.size; ++s) {
    const property_set &set = image.sets.values[s];
    for (size_t p = 0; p < set.properties.size; ++p)
      if (std::strcmp(set.properties.values[p].name.chars, "reqd_sub_group_size") == 0)
        return set.properties.values[p].number;
  }
  return 0;
}

// Passes on what the compiler said of the unit, without what its back end notes of every function.
void show(const char *log) {
  std::istringstream lines(log ? log : "");
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("NOTE:", 0) != 0 && line.find_first_not_of(" \t\r") != std::string::npos)
      std::cerr << line << '\n';
}

void compile(const char *unit, const std::string &out, const std::vector<std::string> &names,
             const std::vector<std::string> &texts, const std::vector<const char *> &options) {
  void *library = dlopen("libsycl-jit.so.23.1", RTLD_NOW);
  if (library == nullptr)
    throw std::runtime_error(dlerror());
  const auto run = reinterpret_cast<compile_sycl>(dlsym(library, "compileSYCL"));
  if (run == nullptr)
    throw std::runtime_error(dlerror());
  std::vector<file> includes;
  for (size_t i = 0; i < names.size(); ++i)
    includes.push_back({names[i].c_str(), texts[i].c_str()});
  const std::string source = read(unit);
  const result made = run({"unit.cpp", source.c_str()}, {includes.data(), includes.size()},
                          {options.data(), options.size()}, {nullptr, 0}, false, ptx);
  show(made.log.chars);
  if (made.error != 0)
    throw std::runtime_error("device compilation failed");
  for (size_t i = 0; i < made.images.size; ++i) {
    const image &image = made.images.values[i];
    const std::string path = out + "." + std::to_string(i), size = std::to_string(sub_group_size(image));
    write(path + ".ptx", image.code.start, image.code.size);
    write(path + ".sub_group", reinterpret_cast<const uint8_t *>(size.data()), size.size());
  }
}

// The compiler has its device functions inside, under a prefix that it forgets where it looks for NVIDIA's. It then looks
// for them on the file system: there it is shown copies.
const char *shown(const char *path, std::string &copy) {
  if (path == nullptr || std::strncmp(path, "/lib/clang/", 11) != 0)
    return path;
  copy = resources + path;
  return copy.c_str();
}

} // namespace

#define SHOW(NAME)                                                                                                     \
  extern "C" int NAME(const char *path, int flags, ...) {                                                              \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    const int mode = va_arg(rest, int);                                                                                \
    va_end(rest);                                                                                                      \
    static const auto system = reinterpret_cast<int (*)(const char *, int, ...)>(dlsym(RTLD_NEXT, #NAME));             \
    std::string copy;                                                                                                  \
    return system(shown(path, copy), flags, mode);                                                                     \
  }
SHOW(open)
SHOW(open64)

int main(int argc, char **argv) {
  int status = 0;
  try {
    std::vector<std::string> names, texts;
    int next = 4;
    for (; next + 1 < argc && std::strcmp(argv[next], "--") != 0; next += 2) {
      names.emplace_back(argv[next]);
      texts.push_back(read(argv[next + 1]));
    }
    if (next >= argc || std::strcmp(argv[next], "--") != 0) {
      std::fputs("usage: ptx_pass RESOURCES UNIT.cpp OUT [NAME FILE]... -- OPTION...\n", stderr);
      return 2;
    }
    resources = argv[1];
    compile(argv[2], argv[3], names, texts, {argv + next + 1, argv + argc});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  std::fflush(stderr);
  // Not by way of the libraries' own clean-up, whose order at exit is known to go wrong.
  std::_Exit(status);
}
