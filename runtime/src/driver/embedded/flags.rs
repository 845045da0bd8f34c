//! Compiler options of the two passes. They are part of the driver's identity.

/// What the device pass is given: the numerics contract, and one SPIR-V module for each set of device requirements.
pub(super) const DEVICE: [&str; 19] = [
    "-ffp-model=precise",
    "-sycl-std=2020",
    "-std=c++20",
    "-O3",
    "-ftemplate-backtrace-limit=0",
    "-fno-sycl-unnamed-lambda",
    "-fhonor-nans",
    "-fhonor-infinities",
    "-fno-associative-math",
    "-fno-approx-func",
    "-no-ftz",
    "-fno-sycl-instrument-device-code",
    "-ffp-contract=off",
    // That the one above is meant to override a part of the first.
    "-Wno-overriding-option",
    "-foffload-fp32-prec-div",
    "-foffload-fp32-prec-sqrt",
    "-fsycl-device-code-split=auto",
    // Every member of a functor stays a parameter, as the integration header has it.
    "-fno-sycl-dead-args-optimization",
    "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING",
];

/// What g++ is given for everything.
pub(super) const HOST: [&str; 9] = [
    "-std=c++20",
    "-O2",
    "-fPIC",
    "-ffp-contract=off",
    // Objects with unique symbols are shared by all libraries of a process, whatever their version script says: the second
    // module with a kernel type of one name would use the first one's.
    "-fno-gnu-unique",
    // SYCL's own attributes.
    "-Wno-attributes",
    // A note about functors with aligned members, which never cross from one compiler to another by value.
    "-Wno-psabi",
    "-ftemplate-backtrace-limit=0",
    "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING",
];
