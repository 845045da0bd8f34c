// How far a device's functions are from the exact ones: over all floats, the largest error in units in the last place.
//
// Compiled by itself, as any header; `function_errors` fills one number for each function of `functions`.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace gpu {

constexpr int functions = 18;

/// The distance of neighbouring floats at `exact`, in the binade that it is in.
inline double unit(double exact) {
  const double size = sycl::fabs(exact);
  if (size < 0x1p-126) return 0x1p-149;
  return sycl::ldexp(1.0, static_cast<int>(sycl::ilogb(size)) - 23);
}

/// The function called `number`, in single and in double precision.
template <typename T>
inline T apply(int number, T x) {
  switch (number) {
    case 0: return sycl::exp(x);
    case 1: return sycl::exp2(x);
    case 2: return sycl::expm1(x);
    case 3: return sycl::log(x);
    case 4: return sycl::log2(x);
    case 5: return sycl::log10(x);
    case 6: return sycl::log1p(x);
    case 7: return sycl::sin(x);
    case 8: return sycl::cos(x);
    case 9: return sycl::tan(x);
    case 10: return sycl::sinh(x);
    case 11: return sycl::cosh(x);
    case 12: return sycl::tanh(x);
    case 13: return sycl::erf(x);
    case 14: return sycl::erfc(x);
    case 15: return sycl::rsqrt(x);
    case 16: return sycl::sqrt(x);
    default: return T(1) / x;
  }
}

struct ErrorKernel {
  /// The largest error, as the bits of a positive double, and the float at which it is.
  uint64_t* worst;
  uint32_t* where;
  int number;

  void operator()(sycl::nd_item<1> item) const {
    double largest = 0;
    uint32_t at = 0;
    for (uint64_t bits = item.get_global_id(0); bits < uint64_t{1} << 32; bits += item.get_global_range(0)) {
      const float x = sycl::bit_cast<float>(static_cast<uint32_t>(bits));
      const double exact = apply<double>(number, static_cast<double>(x));
      const float found = apply<float>(number, x);
      double error = 0;
      if (sycl::isnan(exact) || sycl::isinf(exact)) {
        const bool same = sycl::isnan(exact) ? sycl::isnan(found) : static_cast<double>(found) == exact;
        error = same ? 0 : 1e30;
      } else if (sycl::isnan(found)) {
        error = 1e30;
      } else if (sycl::isinf(found)) {
        error = sycl::fabs(exact) >= 0x1.ffffffp+127 && (exact < 0) == (found < 0) ? 0.5 : 1e30;
      } else {
        error = sycl::fabs(static_cast<double>(found) - exact) / unit(exact);
      }
      if (error > largest) {
        largest = error;
        at = static_cast<uint32_t>(bits);
      }
    }
    sycl::atomic_ref<uint64_t, sycl::memory_order::relaxed, sycl::memory_scope::device> most(worst[number]);
    const uint64_t mine = sycl::bit_cast<uint64_t>(largest);
    if (most.fetch_max(mine) < mine) where[number] = at;
  }
};

/// Quotients of pairs of floats that a hash makes: how many are not the nearest float.
struct QuotientKernel {
  uint64_t* wrong;

  void operator()(sycl::nd_item<1> item) const {
    uint64_t count = 0;
    for (uint64_t i = item.get_global_id(0); i < uint64_t{1} << 32; i += item.get_global_range(0)) {
      uint64_t hash = (i + 1) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
      hash ^= hash >> 32;
      const float a = sycl::bit_cast<float>(static_cast<uint32_t>(hash));
      const float b = sycl::bit_cast<float>(static_cast<uint32_t>(hash * 0x94d049bb133111ebu >> 32));
      // Twice as many digits and two more: rounding twice is rounding once, but for subnormal results.
      const double exact = static_cast<double>(a) / static_cast<double>(b);
      const float nearest = static_cast<float>(exact), found = a / b;
      const bool subnormal = sycl::fabs(exact) < 0x1p-126 && exact != 0;
      const bool same = sycl::isnan(nearest) ? sycl::isnan(found) : found == nearest;
      if (!same && !subnormal) ++count;
    }
    sycl::atomic_ref<uint64_t, sycl::memory_order::relaxed, sycl::memory_scope::device> all(*wrong);
    all += count;
  }
};

}  // namespace gpu

/// Fills `worst` and `where`, which hold zeros, for one function.
extern "C" void function_errors(sycl::queue* queue, uint64_t* worst, uint32_t* where, int32_t number) {
  queue->parallel_for(sycl::nd_range<1>(132 * 8 * 256, 256), gpu::ErrorKernel{worst, where, number});
}

/// Adds to `wrong` how many of 2^32 quotients are not the nearest float.
extern "C" void wrong_quotients(sycl::queue* queue, uint64_t* wrong) {
  queue->parallel_for(sycl::nd_range<1>(132 * 8 * 256, 256), gpu::QuotientKernel{wrong});
}
