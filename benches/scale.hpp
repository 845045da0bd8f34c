// What a launch of `scale` is compared with: written by hand, with nothing that can be left out.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace by_hand {

struct Scale {
  static constexpr int width = 4;

  const float* input;
  float* output;
  float factor;
  int64_t numel;

  void operator()(::sycl::nd_item<1> item) const {
    const int64_t start = static_cast<int64_t>(item.get_global_id(0)) * width;
    const int64_t end = start + width < numel ? start + width : numel;
    for (int64_t i = start; i < end; ++i) output[i] = input[i] * factor;
  }
};

}  // namespace by_hand

extern "C" [[gnu::visibility("default")]] int32_t scale_by_hand(void* queue, const void* input, void* output, float factor,
                                                                int64_t numel) {
  constexpr int64_t local = 256;
  const int64_t each = local * by_hand::Scale::width, groups = (numel + each - 1) / each;
  static_cast<::sycl::queue*>(queue)->parallel_for(
      ::sycl::nd_range<1>(groups * local, local),
      by_hand::Scale{static_cast<const float*>(input), static_cast<float*>(output), factor, numel});
  return 0;
}
