// How device code is handed to the SYCL run time when a library is loaded: the structures of libsycl.so.9, which icpx fills in
// the same way.
#include <cstdint>

namespace {

struct entry {
  uint64_t reserved;
  uint16_t version, kind;
  uint32_t flags;
  void *address;
  const char *name;
  uint64_t size, data;
  void *aux;
};

struct property {
  const char *name;
  const void *value;
  uint32_t type; // 1: a number, in `size`; 2: bytes at `value`
  uint64_t size;
};

struct property_set {
  const char *name;
  const property *begin, *end;
};

struct image {
  uint16_t version;
  uint8_t kind, format; // 4: SYCL; 1: a device's own, 2: SPIR-V
  const char *target, *compile_options, *link_options;
  const unsigned char *begin, *end;
  const entry *entries_begin, *entries_end;
  const property_set *sets_begin, *sets_end;
};

struct images {
  uint16_t version, count;
  const image *list;
  void *unused_begin, *unused_end;
};

} // namespace

extern "C" void __sycl_register_lib(const images *);

// Defines NAME_begin and NAME_end around the bytes of FILE.
#define OXYSYCL_EMBED(NAME, FILE)                                                                                      \
  __asm__(".section .rodata\n.balign 16\n.local " #NAME "_begin\n" #NAME "_begin: .incbin \"" FILE "\"\n"              \
          ".local " #NAME "_end\n" #NAME "_end: .byte 0\n.previous");                                                  \
  extern "C" const unsigned char NAME##_begin[] __attribute__((visibility("hidden")));                                 \
  extern "C" const unsigned char NAME##_end[] __attribute__((visibility("hidden")))

#define OXYSYCL_ENTRY(NAME) {0, 1, 8, 0, nullptr, NAME, 0, 0, nullptr}
