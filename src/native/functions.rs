//! Functions of the prelude that Rust's numbers lack as methods.
#![allow(non_camel_case_types, reason = "types beside functions of the same name")]

use oxysycl_codegen::source::Callee;

use super::Real;

/// Declares functions of the prelude, each with a type of its name, by which a kernel's shadow and its device code find
/// theirs.
macro_rules! functions {
    ($($(#[$docs:meta])* $name:ident = $native:expr;)*) => {$(
        $(#[$docs])*
        pub fn $name(x: f32) -> f32 {
            $native(x)
        }

        #[doc = concat!("Beside the function [`", stringify!($name), "`](fn@", stringify!($name), ").")]
        pub enum $name {}

        impl $name {
            /// What a call of it is on the device.
            pub const CALLEE: Callee = Callee::Builtin(stringify!($name));

            /// In a kernel's shadow.
            pub fn shadow(x: Real) -> Real {
                x.$name()
            }
        }
    )*};
}

functions! {
    /// The error function, 2/√π · ∫ exp(−t²) dt from 0 to `x`. For any `x`; a device may be off by 16 ULP.
    erf = libm::erff;
    /// 1 − `erf(x)`, without the loss of digits where `erf(x)` is near 1. For any `x`; a device may be off by 16 ULP.
    erfc = libm::erfcf;
    /// 1 / √`x`: infinite for 0, NaN below. A device may be off by 2 ULP.
    rsqrt = |x: f32| x.sqrt().recip();
}
