namespace detail {
{% if vector %}
/// N elements that are loaded and stored at once.
template <typename T, int N>
struct alignas(N * sizeof(T)) Vec {
  T data[N];

  T& operator[](int i) { return data[i]; }
  const T& operator[](int i) const { return data[i]; }
};

template <int N, typename T>
inline Vec<T, N> load(const T* from) {
  return *reinterpret_cast<const Vec<T, N>*>(from);
}

template <int N, typename T>
inline void store(T* to, const Vec<T, N>& value) {
  *reinterpret_cast<Vec<T, N>*>(to) = value;
}

template <int N, typename T>
inline bool aligned(const T* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % (N * sizeof(T)) == 0;
}
{% endif %}{% if strided %}
/// N elements in vectors of M, to which alone they have to be aligned.
template <int N, int M, typename T>
inline Vec<T, N> load(const T* from) {
  Vec<T, N> value;
#ifdef __clang__
#pragma unroll
#endif
  for (int i = 0; i < N; i += M) {
    const auto part = load<M>(from + i);
#ifdef __clang__
#pragma unroll
#endif
    for (int k = 0; k < M; ++k) value[i + k] = part[k];
  }
  return value;
}

template <int N, int M, typename T>
inline void store(T* to, const Vec<T, N>& value) {
#ifdef __clang__
#pragma unroll
#endif
  for (int i = 0; i < N; i += M) {
    Vec<T, M> part;
#ifdef __clang__
#pragma unroll
#endif
    for (int k = 0; k < M; ++k) part[k] = value[i + k];
    store(to + i, part);
  }
}
{% endif %}{% if for_lanes %}
/// Calls `body` for the runs of N elements between `begin` and `end` that are those of one of so many lanes. Where runs are
/// single elements, all lanes do whole rounds first: a compiler for CPUs masks a loop that its lanes leave one by one. What
/// `body` refers to is in registers only if it is inlined.
template <int N = 1, typename Body>
[[gnu::always_inline, gnu::flatten]]
inline void for_lanes(int64_t lane, int64_t lanes, int64_t begin, int64_t end, const Body& body) {
  int64_t first = begin;
  if constexpr (N == 1) {
    for (; first + lanes <= end; first += lanes) body(first + lane);
  }
  for (int64_t i = first + lane * N; i < end; i += lanes * N) body(i);
}
{% endif %}{% if vector_width %}
/// The widest vector of at most `most` elements that divides a row without a rest.
constexpr int vector_width(int most, int64_t row) {
  return most > 1 && row % most != 0 ? vector_width(most / 2, row) : most;
}
{% endif %}{% if wrapping %}
/// Integer arithmetic that wraps around.
template <typename T>
constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

template <typename T>
constexpr T wrapping_sub(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

template <typename T>
constexpr T wrapping_mul(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
{% endif %}{% if division %}
/// a / b and a % b; 0 where C++ leaves them undefined.
template <typename T>
constexpr T quotient(T a, T b) {
  const bool undefined = b == 0 || (b == static_cast<T>(-1) && a == std::numeric_limits<T>::min() && a != 0);
  return undefined ? 0 : static_cast<T>(a / b);
}

template <typename T>
constexpr T remainder(T a, T b) {
  const bool undefined = b == 0 || (b == static_cast<T>(-1) && a == std::numeric_limits<T>::min());
  return undefined ? 0 : static_cast<T>(a % b);
}
{% endif %}{% if shift %}
/// Shifts by an amount taken modulo the type's width.
template <typename T, typename Amount>
constexpr T shift_left(T a, Amount by) {
  return static_cast<T>(static_cast<uint64_t>(a) << (static_cast<uint64_t>(by) % (8 * sizeof(T))));
}

template <typename T, typename Amount>
constexpr T shift_right(T a, Amount by) {
  return static_cast<T>(a >> (static_cast<uint64_t>(by) % (8 * sizeof(T))));
}
{% endif %}{% if to_integer %}
/// The integer part, as near as the type comes; 0 for NaN.
template <typename T>
constexpr T to_integer(float x) {
  constexpr float low = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float high = static_cast<float>(std::numeric_limits<T>::max());
  const bool inside = x > low && x < high;
  // Not a conversion that saturates by itself: the OpenCL run time of CPUs has none for sub-groups of 32.
  const T whole = static_cast<T>(inside ? x : 0.0f);
  return inside ? whole : x <= low ? std::numeric_limits<T>::min() : x >= high ? std::numeric_limits<T>::max() : whole;
}
{% endif %}{% if saturate %}
/// The nearest integer that a narrower type has.
template <typename T>
inline T saturate(int64_t x) {
  constexpr int64_t low = std::numeric_limits<T>::min();
  constexpr int64_t high = std::numeric_limits<T>::max();
  return static_cast<T>(x < low ? low : x > high ? high : x);
}
{% endif %}{% if clamp %}
/// x, or the bound that it is beyond; NaN and -0.0 stay what they are.
template <typename T>
inline T clamp(T x, T low, T high) {
  return x < low ? low : x > high ? high : x;
}
{% endif %}{% if saturating %}
/// Integer arithmetic that ends at the type's bounds.
template <typename T>
inline T saturating_add(T a, T b) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  if (b > 0 && a > high - b) return high;
  if (b < 0 && a < low - b) return low;
  return static_cast<T>(a + b);
}

template <typename T>
inline T saturating_sub(T a, T b) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  if (b > 0 && a < low + b) return low;
  if (b < 0 && a > high + b) return high;
  return static_cast<T>(a - b);
}
{% endif %}{% if sign %}
/// 1 with the sign of x, which 0 has too; NaN for NaN.
inline float signum(float x) {
  return x != x ? x : ::sycl::copysign(1.0f, x);
}
{% endif %}{% if fraction %}
/// What follows the point, with the sign of x.
inline float fract(float x) {
  return x - ::sycl::trunc(x);
}
{% endif %}{% if power %}
/// x to an integer power, by squaring.
inline float powi(float x, int32_t exponent) {
#ifdef __clang__
#pragma clang fp contract(off)
#endif
  float power = 1.0f;
  for (int32_t rest = exponent; rest != 0; rest /= 2) {
    if (rest % 2 != 0) power *= x;
    x *= x;
  }
  return exponent < 0 ? 1.0f / power : power;
}
{% endif %}{% if float_remainder %}
/// x % y without loss, by long division of the significands: `fmod` of some devices is wrong for subnormal numbers.
inline float float_remainder(float x, float y) {
  constexpr uint32_t infinity = 0x7f800000, hidden = 0x00800000;
  const uint32_t bits = ::sycl::bit_cast<uint32_t>(x), sign = bits & 0x80000000;
  const uint32_t a = bits ^ sign, b = ::sycl::bit_cast<uint32_t>(y) & 0x7fffffff;
  if (a >= infinity || b == 0 || b > infinity) return std::numeric_limits<float>::quiet_NaN();
  if (a < b) return x;
  int32_t exponent = b < hidden ? 1 : static_cast<int32_t>(b / hidden);
  const uint32_t divisor = b < hidden ? b : b % hidden + hidden;
  uint64_t rest = a < hidden ? a : a % hidden + hidden;
  rest %= divisor;
  // 40 binary places at a time, which is all that 64 bits have room for.
  for (int32_t places = static_cast<int32_t>(a / hidden) - exponent; places > 0; places -= 40) {
    rest = (rest << (places < 40 ? places : 40)) % divisor;
  }
  for (; rest != 0 && rest < hidden && exponent > 1; --exponent) rest *= 2;
  const bool subnormal = rest < hidden;
  const uint32_t magnitude = static_cast<uint32_t>(subnormal ? rest : rest - hidden + exponent * uint64_t{hidden});
  return ::sycl::bit_cast<float>(sign | magnitude);
}
{% endif %}{% if carried %}
/// x, in a form that compilers do not see through while they look for sums and products: the OpenCL run time of CPUs would
/// combine what a loop carries from round to round in another order.
inline float carried(float x) {
  return ::sycl::copysign(x, x);
}
{% endif %}{% if short_rows %}
/// The work-items that share a row: those of a sub-group, or of a work-group.
template <bool Short>
inline auto row_group(const ::sycl::nd_item<2>& item) {
  if constexpr (Short) {
    return item.get_sub_group();
  } else {
    return item.get_group();
  }
}
{% endif %}{% if reduce_nan %}
/// The largest and the smallest of a group's parts that are numbers; NaN where none is.
template <typename Group>
inline float group_max(const Group& group, float part) {
  const bool number = part == part;
  const float known = number ? part : -std::numeric_limits<float>::infinity();
  const float most = ::sycl::reduce_over_group(group, known, ::sycl::maximum<float>());
  return ::sycl::any_of_group(group, number) ? most : part;
}

template <typename Group>
inline float group_min(const Group& group, float part) {
  const bool number = part == part;
  const float known = number ? part : std::numeric_limits<float>::infinity();
  const float least = ::sycl::reduce_over_group(group, known, ::sycl::minimum<float>());
  return ::sycl::any_of_group(group, number) ? least : part;
}
{% endif %}{% if scan %}
/// a + b, which wraps around where these are integers.
template <typename T>
constexpr T added(T a, T b) {
  using Sum = std::conditional_t<std::is_integral<T>::value, uint64_t, T>;
  return static_cast<T>(static_cast<Sum>(a) + static_cast<Sum>(b));
}

/// What came before and the terms of a group's work-items up to this one, added up. What came before goes on to the sum of
/// all.
template <typename Group, typename T>
inline T inclusive_sum(const Group& group, T term, T& before) {
  const T sum = added(before, ::sycl::inclusive_scan_over_group(group, term, ::sycl::plus<T>()));
  before = ::sycl::group_broadcast(group, sum, group.get_local_linear_range() - 1);
  return sum;
}

/// The same without this work-item's own term.
template <typename Group, typename T>
inline T exclusive_sum(const Group& group, T term, T& before) {
  const T sum = added(before, ::sycl::exclusive_scan_over_group(group, term, ::sycl::plus<T>()));
  before = ::sycl::group_broadcast(group, added(sum, term), group.get_local_linear_range() - 1);
  return sum;
}
{% endif %}{% if bits %}
/// The bits of an integer, turned around by so many places.
template <typename T>
inline T rotate_left(T x, uint32_t by) {
  return ::sycl::rotate(x, static_cast<T>(by % (8 * sizeof(T))));
}

template <typename T>
inline T rotate_right(T x, uint32_t by) {
  return rotate_left<T>(x, 8 * sizeof(T) - by % (8 * sizeof(T)));
}

/// How many bits are set, and how many are not before the first and after the last of them.
template <typename T>
inline uint32_t count_ones(T x) {
  return static_cast<uint32_t>(::sycl::popcount(x));
}

template <typename T>
inline uint32_t leading_zeros(T x) {
  return static_cast<uint32_t>(::sycl::clz(x));
}

template <typename T>
inline uint32_t trailing_zeros(T x) {
  return static_cast<uint32_t>(::sycl::ctz(x));
}
{% endif %}{% if is_told %}
/// Whether a caller tells how many positions a buffer has. With INT64_MAX it does not: one is looked at, and the caller
/// vouches for the others.
constexpr bool is_told(int64_t extent) { return extent != INT64_MAX; }
{% endif %}
/// The elements of a buffer: contiguous runs along up to two strided dimensions.
struct Region {
  const void* base;
  int64_t size;
  int64_t extent[2];
  int64_t stride[2];
  int64_t width;

  bool empty() const { return extent[0] <= 0 || extent[1] <= 0 || width <= 0; }
  int64_t span() const { return (extent[0] - 1) * stride[0] + (extent[1] - 1) * stride[1] + width; }
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(base); }
  uintptr_t end() const { return begin() + static_cast<uintptr_t>(span() * size); }

  /// Whether an address space could hold it; sizes beyond that would overflow.
  bool addressable() const {
    constexpr int64_t most = int64_t{1} << 48;
    int64_t outer = 0, inner = 0;
    return !__builtin_mul_overflow(extent[0], stride[0], &outer) && outer <= most &&
           !__builtin_mul_overflow(extent[1], stride[1], &inner) && inner <= most && width <= most;
  }

  /// Whether rows that both have lie equally far apart in both.
  bool same_layout(const Region& other) const {
    return size == other.size && (stride[0] == other.stride[0] || extent[0] <= 1 || other.extent[0] <= 1) &&
           (stride[1] == other.stride[1] || extent[1] <= 1 || other.extent[1] <= 1);
  }
};
{% if overlap %}
/// The least number of steps that go further than `distance`.
inline int64_t steps_beyond(int64_t distance, int64_t stride) {
  return distance / stride + (distance % stride < 0 ? 0 : 1);
}

/// Whether two regions share an element. Where unlike layouts interleave it cannot be ruled out.
inline bool overlap(const Region& a, const Region& b) {
  if (a.empty() || b.empty() || a.end() <= b.begin() || b.end() <= a.begin()) return false;
  const int64_t bytes = static_cast<int64_t>(b.begin() - a.begin());
  if (!a.same_layout(b) || bytes % a.size != 0) return true;
  // Rows of one place count as one row.
  int64_t stride[2], rows_a[2], rows_b[2];
  for (int d = 0; d < 2; ++d) {
    const int64_t apart = a.extent[d] > 1 ? a.stride[d] : b.extent[d] > 1 ? b.stride[d] : 0;
    stride[d] = std::max<int64_t>(apart, 1);
    rows_a[d] = apart == 0 ? 1 : a.extent[d];
    rows_b[d] = apart == 0 ? 1 : b.extent[d];
  }
  const int outer = stride[0] < stride[1] ? 1 : 0;
  const int inner = 1 - outer;
  const int64_t run_a = (rows_a[inner] - 1) * stride[inner] + a.width;
  const int64_t run_b = (rows_b[inner] - 1) * stride[inner] + b.width;
  // Only runs that meet can share an element: a few, unless they interleave.
  const int64_t apart = bytes / a.size;
  for (int64_t i = std::max(1 - rows_a[outer], steps_beyond(-run_b - apart, stride[outer])); i < rows_b[outer]; ++i) {
    const int64_t run = apart + i * stride[outer];
    if (run >= run_a) break;
    const int64_t k = std::max(1 - rows_a[inner], steps_beyond(-b.width - run, stride[inner]));
    if (k < rows_b[inner] && run + k * stride[inner] < a.width) return true;
  }
  return false;
}
{% endif %}{% if distinct_rows %}
/// Whether no two rows of a region share an element.
inline bool distinct_rows(const Region& region) {
  if (region.empty()) return true;
  const int inner = region.stride[0] < region.stride[1] || region.extent[0] == 1 ? 0 : 1;
  const int outer = 1 - inner;
  const int64_t run = (region.extent[inner] - 1) * region.stride[inner] + region.width;
  return (region.extent[inner] <= 1 || region.stride[inner] >= region.width) &&
         (region.extent[outer] <= 1 || region.stride[outer] >= run);
}
{% endif %}
/// Why nothing was submitted.
enum Refusal : int32_t { kNull = 1, kSize, kMisaligned, kOverlap, kDevice, kException{% if values %}, kValue{% endif %} };

/// The reason for this thread's last refusal.
inline std::string& last_error() {
  static thread_local std::string reason;
  return reason;
}

/// Held while a reason is told.
inline std::mutex& telling() {
  static std::mutex mutex;
  return mutex;
}

/// Keeps the reason, and tells it on standard error once for each subject: a caller that ignores the code must not take
/// an untouched output for a result.
inline int32_t refuse(Refusal code, const char* subject, const std::string& what) {
  static std::vector<std::pair<Refusal, const char*>> told;
  last_error() = std::string(subject) + " " + what;
  const std::lock_guard<std::mutex> lock(telling());
  const std::pair<Refusal, const char*> reason{code, subject};
  if (std::find(told.begin(), told.end(), reason) == told.end()) {
    told.push_back(reason);
    std::fprintf(stderr, "%s\n", last_error().c_str());
  }
  return code;
}

inline int32_t refuse_size(const char* subject, int64_t size) {
  return refuse(kSize, subject, "is " + std::to_string(size) + ", but sizes and strides are not negative");
}
{% if buffers %}
/// 0 if a buffer can be used.
inline int32_t check(const char* subject, const Region& region) {
  if (!region.addressable()) return refuse(kSize, subject, "is larger than any memory");
  if (region.empty()) return 0;
  if (region.base == nullptr) return refuse(kNull, subject, "is null");
  if (region.begin() % region.size != 0) return refuse(kMisaligned, subject, "is not aligned to its elements");
  return 0;
}
{% endif %}
/// Whether this process was forked from one that had launched before. Threads of the SYCL run time do not come along, and a
/// call that waits for one never returns.
inline bool& forked() {
  static bool since_launch = false;
  return since_launch;
}

inline int32_t refuse_forked(const char* subject) {
  return refuse(kDevice, subject,
                "was in use when this process was forked, and cannot be used in it: start new processes instead (spawn), or "
                "fork before the first launch");
}

/// How a launch is dealt to work-groups: rows along the first dimension of its range, the lanes of a row along the second.
struct Shape {
  int64_t rows;    // of a work-group
  int64_t lanes;   // work-items of each of these
  int64_t groups;  // work-groups along the rows, which loop over the rest
  int64_t parts;   // work-groups along a row
  int64_t chunk;   // vectors of a row that a work-group does
{% if rows %}
  ::sycl::nd_range<2> rows_and_lanes() const {
    return {::sycl::range<2>(groups * rows, parts * lanes), ::sycl::range<2>(rows, lanes)};
  }
{% endif %}{% if elements %}
  ::sycl::nd_range<1> lanes_alone() const { return {::sycl::range<1>(parts * lanes), ::sycl::range<1>(lanes)}; }
{% endif %}};

/// Work-groups along the rows, at most: no device allows fewer.
constexpr int64_t most_groups = 65535;

/// Lanes that keep a core of a CPU busy for longer than it takes to begin a work-group.
constexpr int64_t lanes_of_core = 4096;
{% if split %}
/// Work-groups that fill a compute unit of a GPU several times over: rows are split no further.
constexpr int64_t groups_of_unit = 64;
{% endif %}
#ifdef OXYSYCL_MODULE
/// Whether this thread shapes launches on a CPU as those on a GPU. Tests do.
inline bool& shaped_for_gpu() {
  static thread_local bool shaped = false;
  return shaped;
}
#endif

/// What launches have to know of a device.
struct Device {
  ::sycl::device device;
  bool cpu;
  bool nvidia;
  int64_t compute_units;
  int64_t max_work_group;
  std::vector<size_t> sub_groups;
  const Device* next;

  /// Whether neighbouring work-items are neighbouring elements of a vector register.
  bool is_cpu() const {
#ifdef OXYSYCL_MODULE
    if (shaped_for_gpu()) return false;
#endif
    return cpu;
  }

  /// Work-items of its sub-groups in a kernel that asks for `wanted`: always 32 on NVIDIA's GPUs.
  int64_t sub_group(int64_t wanted) const { return nvidia ? 32 : wanted; }

  /// Whether it has the sub-groups that a kernel asks for.
  bool has_sub_group(int64_t wanted) const {
    const int64_t size = sub_group(wanted);
    return std::find(sub_groups.begin(), sub_groups.end(), static_cast<size_t>(size)) != sub_groups.end() &&
           max_work_group >= size;
  }

  /// Work-groups for so many rows of so many vectors. One to a row begins too often on a CPU.
  int64_t groups(int64_t rows, int64_t vectors) const {
    int64_t wanted = rows;
    if (is_cpu()) {
      const int64_t rows_of_group = std::max<int64_t>(lanes_of_core / std::max<int64_t>(vectors, 1), 1);
      wanted = std::min(rows, std::max((rows - 1) / rows_of_group + 1, 4 * compute_units));
    }
    return std::min(wanted, most_groups);
  }
{% if together %}
  /// Rows whose work-items work together: one to a work-group of whole sub-groups.
  Shape together(int64_t rows, int64_t vectors, int64_t most, int64_t wanted_sub_group) const {
    const int64_t size = sub_group(wanted_sub_group);
    const int64_t wanted = (std::min(vectors, most) + size - 1) / size * size;
    const int64_t lanes = std::max(std::min({wanted, most, max_work_group}) / size * size, size);
    return {1, lanes, groups(rows, vectors), 1, vectors};
  }
{% endif %}{% if short_rows %}
  /// Rows that are a sub-group's each: several to a work-group.
  Shape by_sub_group(int64_t rows, int64_t wanted_sub_group) const {
    const int64_t size = sub_group(wanted_sub_group);
    // There is a work-group for each compute unit if rows suffice.
    const int64_t wanted = std::max<int64_t>(rows / compute_units, 1);
    const int64_t rows_of_group = std::min({wanted, std::max<int64_t>(128 / size, 1), max_work_group / size});
    return {rows_of_group, size, std::min((rows - 1) / rows_of_group + 1, most_groups), 1, 1};
  }
{% endif %}{% if apart || split %}
  /// Rows whose work-items need nothing of each other: several short ones to a work-group.
  Shape apart(int64_t rows, int64_t vectors, int64_t most) const {
    most = std::min(most, max_work_group);
    if (is_cpu()) return {1, most, groups(rows, vectors), 1, vectors};
    int64_t lanes = 1, rows_of_group = 1;
    while (lanes < vectors && 2 * lanes <= most) lanes *= 2;
    // Work-groups are whole sub-groups of 32 or fewer, and there is one for each compute unit if rows suffice.
    const auto is_small = [&] { return rows_of_group * lanes < 32 || 2 * rows_of_group <= rows / compute_units; };
    while (2 * rows_of_group * lanes <= most && is_small()) rows_of_group *= 2;
    for (; rows_of_group > rows; rows_of_group /= 2) lanes *= 2;
    return {rows_of_group, lanes, std::min((rows - 1) / rows_of_group + 1, most_groups), 1, vectors};
  }
{% endif %}{% if split %}
  /// The same, with several work-groups to a long row: so many that the device is full, and none with too little to do.
  Shape split(int64_t rows, int64_t vectors, int64_t most) const {
    Shape shape = apart(rows, vectors, most);
    const int64_t last = std::max<int64_t>(vectors - 1, 0);
    const int64_t least = is_cpu() ? std::max(lanes_of_core, shape.lanes) : shape.lanes;
    const int64_t wanted = is_cpu() ? last + 1 : std::max<int64_t>(groups_of_unit * compute_units / rows, 1);
    // Ranges stay below 2^31.
    const int64_t parts = std::min({wanted, last / least + 1, INT32_MAX / shape.lanes});
    shape.chunk = last / parts / shape.lanes * shape.lanes + shape.lanes;
    shape.parts = last / shape.chunk + 1;
    return shape;
  }
{% endif %}};

/// The device of a queue. It is asked at the first launch, and kept for ever: an answer may take longer than a launch.
inline const Device& device_of(const ::sycl::queue& queue) {
  static std::mutex mutex;
  static const Device* first = nullptr;
  const ::sycl::device device = queue.get_device();
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Device* known = first; known != nullptr; known = known->next) {
    if (known->device == device) return *known;
  }
  [[maybe_unused]] static const int watched = pthread_atfork(
      [] { telling().lock(); }, [] { telling().unlock(); },
      [] {
        telling().unlock();
        forked() = true;
      });
  const auto largest = static_cast<int64_t>(device.get_info<::sycl::info::device::max_work_group_size>());
  const auto sub_groups = device.get_info<::sycl::info::device::sub_group_sizes>();
  const auto compute_units = static_cast<int64_t>(device.get_info<::sycl::info::device::max_compute_units>());
  const bool nvidia = device.get_backend() == ::sycl::backend::ext_oneapi_cuda;
  return *(first = new Device{device, device.is_cpu(), nvidia, compute_units, largest, sub_groups, first});
}

/// Held while a launch is submitted to a queue that keeps no order.
inline std::mutex& submitting() {
  static std::mutex mutex;
  return mutex;
}

/// Submits a kernel that runs after all that the queue was given before, and before all that it is given later, whether or
/// not the queue itself keeps that order.
template <int Dimensions, typename Kernel>
inline void submit(::sycl::queue& queue, const ::sycl::nd_range<Dimensions>& range, const Kernel& kernel) {
  if (queue.is_in_order()) {
    queue.parallel_for(range, kernel);
    return;
  }
  const std::lock_guard<std::mutex> lock(submitting());
  queue.ext_oneapi_submit_barrier();
  queue.parallel_for(range, kernel);
  queue.ext_oneapi_submit_barrier();
}

}  // namespace detail
