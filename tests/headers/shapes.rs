//! How launches are dealt to work-groups, for all sorts of rows and devices: nothing is left out, done twice, or more than a
//! device takes.

use oxysycl::ops::{act_and_mul::act_and_mul, qknorm::qknorm};
use oxysycl::runtime::{Runtime, Source, Unit};
use oxysycl::{Kernel, Queue, Selector};

/// The shapes of rows that are split, and of those that are not.
const APART: &str = r#"
    const d::Shape apart = device.apart(rows, vectors, most);
    if (const char* what = wrong(apart)) return fail(what);
    if (apart.parts != 1) return fail("rows are split");
    if (!device.cpu && apart.rows * apart.lanes % std::min<int64_t>({32, most, largest}) != 0) return fail("part of a sub-group");
    const d::Shape split = device.split(rows, vectors, most);
    if (const char* what = wrong(split)) return fail(what);
    if (split.parts * split.chunk < vectors) return fail("vectors are left out");
    if ((split.parts - 1) * split.chunk >= std::max<int64_t>(vectors, 1)) return fail("a part is empty");
    if (split.parts > 1 && split.rows > 1) return fail("long rows share a work-group");
"#;

/// The shapes of rows whose work-items work together.
const TOGETHER: &str = r#"
    const d::Shape together = device.together(rows, vectors, most, 16);
    if (const char* what = wrong(together)) return fail(what);
    const d::Shape several = device.by_sub_group(rows, 16);
    if (const char* what = wrong(several)) return fail(what);
    for (const d::Shape& shape : {together, several}) {
      if (shape.parts != 1) return fail("rows are split");
      if (shape.lanes % device.sub_group(16) != 0) return fail("part of a sub-group");
    }
    if (together.rows != 1) return fail("rows share a work-group");
    if (several.lanes != device.sub_group(16)) return fail("a row is not a sub-group's");
"#;

/// A function that draws rows and devices, and looks at their `shapes`.
fn source(kernel: &'static Kernel, shapes: &str) -> Source {
    let header = oxysycl::codegen::header(&kernel.ir().unwrap());
    let text = format!(
        r#"{header}
#include <random>

inline std::string& reason() {{
  static std::string text;
  return text;
}}

extern "C" [[gnu::visibility("default")]] const char* shapes_last_error() {{ return reason().c_str(); }}

extern "C" [[gnu::visibility("default")]] int32_t shapes(void* queue, int64_t cases) {{
  namespace d = sgl::sycl_kernel::detail;
  std::mt19937_64 random(1);
  const auto below = [&](int64_t end) {{ return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); }};
  for (int64_t i = 0; i < cases; ++i) {{
    const int64_t largest = 32ll << below(6), units = 1 + below(600);
    const d::Device device{{static_cast<::sycl::queue*>(queue)->get_device(), below(2) == 0, below(2) == 0, units, largest, {{16, 32}}, nullptr}};
    const int64_t rows = 1 + below(1ll << below(45)), vectors = below(1ll << below(45)), most = 16ll << below(5);
    const auto wrong = [&](const d::Shape& s) -> const char* {{
      if (s.rows < 1 || s.lanes < 1 || s.groups < 1 || s.parts < 1 || s.chunk < 0) return "nothing to do";
      if (s.rows * s.lanes > largest) return "work-groups are too large";
      if (s.groups > 65535 || s.groups * s.rows > INT32_MAX || s.parts * s.lanes > INT32_MAX) return "too many work-groups";
      if ((s.groups - 1) * s.rows >= rows) return "work-groups without rows";
      return nullptr;
    }};
    const auto fail = [&](const char* what) {{
      reason() = std::string(what) + ": " + std::to_string(rows) + " rows of " + std::to_string(vectors) + ", at most " +
                 std::to_string(most) + " of " + std::to_string(largest) + ", " + std::to_string(units) + " units, " +
                 (device.cpu ? "CPU" : device.nvidia ? "NVIDIA" : "GPU");
      return 1;
    }};
{shapes}
  }}
  return 0;
}}
"#
    );
    Source::Header {
        name: "shapes.hpp".to_owned(),
        text,
    }
}

fn expect_right(kernel: &'static Kernel, dtype: &str, shapes: &str) {
    let queue = Queue::new(&Selector::default()).expect("the CPU device is always there");
    let unit = Unit {
        source: source(kernel, shapes),
        defines: vec![(dtype.to_owned(), String::new())],
        include_dirs: Vec::new(),
        target: queue.device().target.clone(),
    };
    let module = Runtime::global().unwrap().module(&unit).unwrap();
    let function = module.function("shapes", Some("shapes_last_error")).unwrap();
    // SAFETY: its C type is `int32_t` of a queue and an `int64_t`; it touches no memory of others.
    unsafe { function.call(&queue, (200_000_i64,)) }.unwrap();
}

#[test]
fn rows_apart_and_split_are_done_once() {
    expect_right(act_and_mul::kernel(), "SGL_ACT_DTYPE_fp32", APART);
}

#[test]
fn rows_together_are_done_once() {
    expect_right(qknorm::kernel(), "SGL_QKNORM_DTYPE_fp16", TOGETHER);
}
