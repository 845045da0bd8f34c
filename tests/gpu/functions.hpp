// How far a device's functions are from the exact ones: over all floats, the largest error in units in the last place.
//
// Compiled by itself, as any header; `function_errors` fills one number for each function of one number, of which it tries all
// floats, and `function_of_two_errors` for each function of two, of which it tries 2^32 pairs.
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

namespace gpu {

/// The distance of neighbouring floats at `exact`, in the binade that it is in.
inline double unit(double exact) {
  const double size = sycl::fabs(exact);
  if (size < 0x1p-126) return 0x1p-149;
  return sycl::ldexp(1.0, static_cast<int>(sycl::ilogb(size)) - 23);
}

/// The function of one number called `number`, in single and in double precision.
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
    case 17: return sycl::asin(x);
    case 18: return sycl::acos(x);
    case 19: return sycl::atan(x);
    default: return T(1) / x;
  }
}

/// The function of two numbers called `number`.
template <typename T>
inline T apply(int number, T x, T y) {
  switch (number) {
    case 0: return sycl::atan2(x, y);
    case 1: return sycl::hypot(x, y);
    default: return sycl::pow(x, y);
  }
}

/// How far `found` is from `exact`, in units in the last place.
inline double error_of(float found, double exact) {
  if (sycl::isnan(exact)) return sycl::isnan(found) ? 0 : 1e30;
  if (sycl::isinf(exact)) return static_cast<double>(found) == exact ? 0 : 1e30;
  if (sycl::isnan(found)) return 1e30;
  if (sycl::isinf(found)) return sycl::fabs(exact) >= 0x1.ffffffp+127 && (exact < 0) == (found < 0) ? 0.5 : 1e30;
  return sycl::fabs(static_cast<double>(found) - exact) / unit(exact);
}

/// Puts `largest`, which `which` led to, into `worst` and `where` if it is the largest so far.
inline void note(uint64_t& worst, uint64_t& where, double largest, uint64_t which) {
  sycl::atomic_ref<uint64_t, sycl::memory_order::relaxed, sycl::memory_scope::device> most(worst);
  const uint64_t mine = sycl::bit_cast<uint64_t>(largest);
  if (most.fetch_max(mine) < mine) where = which;
}

/// 64 bits that depend on all of `i`.
inline uint64_t hash(uint64_t i) {
  uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
  return (bits ^ (bits >> 32)) * 0x94d049bb133111ebu;
}

/// The float of these bits; of every other pair, one of a size near 1.
inline float operand(uint32_t bits, bool near_one) {
  const uint32_t exponent = 120 + ((bits >> 23) & 15);
  return sycl::bit_cast<float>(near_one ? (bits & 0x807fffffu) | (exponent << 23) : bits);
}

struct ErrorKernel {
  /// The largest error, as the bits of a positive double, and the float at which it is.
  uint64_t* worst;
  uint64_t* where;
  int number;

  void operator()(sycl::nd_item<1> item) const {
    double largest = 0;
    uint64_t at = 0;
    for (uint64_t bits = item.get_global_id(0); bits < uint64_t{1} << 32; bits += item.get_global_range(0)) {
      const float x = sycl::bit_cast<float>(static_cast<uint32_t>(bits));
      const double error = error_of(apply<float>(number, x), apply<double>(number, static_cast<double>(x)));
      if (error > largest) {
        largest = error;
        at = bits;
      }
    }
    note(worst[number], where[number], largest, at);
  }
};

struct ErrorOfTwoKernel {
  /// The largest error, as the bits of a positive double, and the pair at which it is, the first number in the upper half.
  uint64_t* worst;
  uint64_t* where;
  int number;

  void operator()(sycl::nd_item<1> item) const {
    double largest = 0;
    uint64_t at = 0;
    for (uint64_t i = item.get_global_id(0); i < uint64_t{1} << 32; i += item.get_global_range(0)) {
      const uint64_t bits = hash(i);
      const float x = operand(static_cast<uint32_t>(bits >> 32), i % 2 == 0);
      const float y = operand(static_cast<uint32_t>(bits), i % 2 == 0);
      const double exact = apply<double>(number, static_cast<double>(x), static_cast<double>(y));
      const double error = error_of(apply<float>(number, x, y), exact);
      if (error > largest) {
        largest = error;
        at = uint64_t{sycl::bit_cast<uint32_t>(x)} << 32 | sycl::bit_cast<uint32_t>(y);
      }
    }
    note(worst[number], where[number], largest, at);
  }
};

/// Quotients of pairs of floats that a hash makes: how many are not the nearest float.
struct QuotientKernel {
  uint64_t* wrong;

  void operator()(sycl::nd_item<1> item) const {
    uint64_t count = 0;
    for (uint64_t i = item.get_global_id(0); i < uint64_t{1} << 32; i += item.get_global_range(0)) {
      const uint64_t bits = hash(i);
      const float a = sycl::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
      const float b = sycl::bit_cast<float>(static_cast<uint32_t>(bits));
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

/// Fills `worst` and `where`, which hold zeros, for one function of one number.
extern "C" void function_errors(sycl::queue* queue, uint64_t* worst, uint64_t* where, int32_t number) {
  queue->parallel_for(sycl::nd_range<1>(132 * 8 * 256, 256), gpu::ErrorKernel{worst, where, number});
}

/// The same for one function of two.
extern "C" void function_of_two_errors(sycl::queue* queue, uint64_t* worst, uint64_t* where, int32_t number) {
  queue->parallel_for(sycl::nd_range<1>(132 * 8 * 256, 256), gpu::ErrorOfTwoKernel{worst, where, number});
}

/// Adds to `wrong` how many of 2^32 quotients are not the nearest float.
extern "C" void wrong_quotients(sycl::queue* queue, uint64_t* wrong) {
  queue->parallel_for(sycl::nd_range<1>(132 * 8 * 256, 256), gpu::QuotientKernel{wrong});
}
