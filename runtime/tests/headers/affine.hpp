// A hand-written header in the style of the generated ones, for the run time's own tests.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

#ifndef TEST_FACTOR
#define TEST_FACTOR 1
#endif

namespace test {

/// output = input * factor * TEST_FACTOR + offset
class AffineKernel {
public:
  AffineKernel(const float *input, float *output, float factor, int32_t offset, bool negate, int64_t numel)
      : input_(input), output_(output), numel_(numel), factor_(factor), offset_(offset), negate_(negate) {}

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t i = static_cast<int64_t>(item.get_global_id(0));
    if (i >= numel_)
      return;
    const float value = input_[i] * factor_ * static_cast<float>(TEST_FACTOR) + static_cast<float>(offset_);
    output_[i] = negate_ ? -value : value;
  }

private:
  const float *input_;
  float *output_;
  int64_t numel_;
  float factor_;
  int32_t offset_;
  bool negate_;
};

inline const char *&last_error() {
  thread_local const char *text = "";
  return text;
}

inline char *buffer() {
  thread_local char text[512];
  return text;
}

inline int32_t launch(::sycl::queue *queue, const void *input, void *output, float factor, int32_t offset, bool negate,
                      int64_t numel, int64_t work_group) noexcept {
  if (numel < 0) {
    last_error() = "affine: numel must not be negative";
    return 2;
  }
  if (numel == 0)
    return 0;
  try {
    const auto local = static_cast<size_t>(work_group);
    const size_t global = (static_cast<size_t>(numel) + local - 1) / local * local;
    queue->parallel_for(::sycl::nd_range<1>(global, local),
                        AffineKernel(static_cast<const float *>(input), static_cast<float *>(output), factor, offset,
                                     negate, numel));
    return 0;
  } catch (const ::std::exception &error) {
    size_t i = 0;
    for (const char *text = error.what(); text[i] != '\0' && i < 511; ++i)
      buffer()[i] = text[i];
    buffer()[i] = '\0';
    last_error() = buffer();
    return 3;
  }
}

} // namespace test

extern "C" {

int32_t affine(::sycl::queue *queue, const void *input, void *output, float factor, int32_t offset, bool negate,
               int64_t numel) {
  return test::launch(queue, input, output, factor, offset, negate, numel, 64);
}

/// The same with a work-group of any size, also of one that no device has.
int32_t affine_in_groups(::sycl::queue *queue, const void *input, void *output, int64_t numel, int64_t work_group) {
  return test::launch(queue, input, output, 1.0f, 0, false, numel, work_group);
}

void affine_void(::sycl::queue *queue, const void *input, void *output, int64_t numel) {
  test::launch(queue, input, output, 1.0f, 0, false, numel, 64);
}

/// Succeeds, and fails while the queue runs.
int32_t affine_fail_later(::sycl::queue *queue) {
  queue->submit([](::sycl::handler &handler) {
    handler.host_task([] { throw ::sycl::exception(::sycl::make_error_code(::sycl::errc::runtime), "on purpose"); });
  });
  return 0;
}

const char *affine_last_error() { return test::last_error(); }

}
