//! Running a kernel in all the ways that need no device.

use std::thread;

use fastrand::Rng;
use oxysycl::__private::{ConstantType, HostArgument, Variant};
use oxysycl::Kernel;
use oxysycl::codegen::ir::{self, ParamKind};
use oxysycl::codegen::source::Constant;
use oxysycl::native::{Real, Shadow, shuffle};
use oxysycl::prelude::*;

/// Calls a kernel in every way and compares: `agree!(kernel [types] {consts} (name: argument => accessor, ..))`.
macro_rules! agree {
    ($kernel:ident $([$($ty:ty),+])? $({$($value:tt),+})? ($($name:ident: $argument:expr => $get:ident),* $(,)?)) => {
        $crate::support::assert_agreement(
            &$crate::support::Call {
                kernel: $kernel::kernel(),
                dtypes: vec![$($(<$ty as oxysycl::prelude::Element>::DTYPE),+)?],
                consts: vec![$($($value as i64),+)?],
                arguments: vec![$($argument.into()),*],
            },
            |arguments| {
                let [$($name),*] = arguments else { unreachable!("one argument for each name") };
                $kernel::<$($($ty,)+)? $($($value,)+)?>($($name.$get()),*)
            },
        )
    };
}
pub(crate) use agree;

/// A call of a kernel.
pub(crate) struct Call {
    pub(crate) kernel: &'static Kernel,
    pub(crate) dtypes: Vec<DType>,
    pub(crate) consts: Vec<i64>,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument, before the element type of buffers is known.
pub(crate) enum Argument {
    /// A buffer of that many elements.
    Drawn(usize),
    /// A buffer of these numbers.
    Given(Vec<i64>),
    Scalar(Constant),
}

/// A buffer of `len` numbers.
pub(crate) fn buffer(len: usize) -> Argument {
    Argument::Drawn(len)
}

/// A buffer of these integers.
pub(crate) fn given(numbers: &[i64]) -> Argument {
    Argument::Given(numbers.to_vec())
}

impl<T: ConstantType> From<T> for Argument {
    fn from(value: T) -> Self {
        Argument::Scalar(value.constant())
    }
}

/// What numbers buffers hold.
#[derive(Clone, Copy)]
enum Numbers {
    /// Such that sums and products of them are exact, in any order.
    Small,
    /// With fractions, none of them zero.
    Fractions,
}

impl Numbers {
    fn draw(self, len: usize, rng: &mut Rng) -> Vec<f32> {
        let number = |_| match self {
            Numbers::Small => rng.i32(-4..=4) as f32,
            Numbers::Fractions => (rng.f32() + 0.05) * if rng.bool() { 1.5 } else { -1.5 },
        };
        (0..len).map(number).collect()
    }
}

/// Calls a kernel natively, through its twins and its lowering; panics where they do not agree.
pub(crate) fn assert_agreement(call: &Call, function: impl Fn(&mut [HostArgument])) {
    let ir = call.kernel.ir().unwrap_or_else(|problems| panic!("{problems}"));
    assert_same_header(call.kernel, &ir);
    let variant = call
        .kernel
        .variants()
        .iter()
        .find(|variant| variant.dtypes == call.dtypes)
        .expect("the kernel has these element types");
    for numbers in [Numbers::Small, Numbers::Fractions] {
        let drawn = call.draw(&ir, numbers);
        let run = |twin: &dyn Fn(&mut [HostArgument]), shadow: bool| {
            let mut arguments: Vec<HostArgument> = drawn.iter().map(|a| a.host(shadow)).collect();
            twin(&mut arguments);
            arguments
        };
        let direct = run(&function, false);
        let sized = run(&|arguments| (variant.native)(&call.consts, arguments), false);
        let shadow = run(&|arguments| (variant.shadow)(&call.consts, arguments), true);
        compare(&drawn, &direct, &sized, "the twin with run-time sizes");
        judge(&drawn, &direct, &shadow, "the function");
        for seed in 0..6 {
            let shuffled = shuffle(seed, || {
                run(&|arguments| (variant.shuffled)(&call.consts, arguments), false)
            });
            match numbers {
                Numbers::Small if has_exact_terms(&ir) => {
                    compare(&drawn, &direct, &shuffled, "the shuffled twin")
                }
                _ => judge(&drawn, &shuffled, &shadow, "the shuffled twin"),
            }
        }
    }
}

/// Whether what a kernel sums is exact if the numbers in its buffers are small.
fn has_exact_terms(ir: &ir::Kernel) -> bool {
    let mut exact = true;
    ir::walk_exprs(&ir.body, &mut |e| {
        exact &= !matches!(&e.kind, ir::ExprKind::Math(math, _) if !math.is_exact());
    });
    exact
}

/// The header of a kernel comes out the same when it is lowered anew.
#[track_caller]
fn assert_same_header(kernel: &'static Kernel, ir: &ir::Kernel) {
    let header = oxysycl::codegen::header(ir);
    assert_eq!(header, oxysycl::codegen::header(ir));
    let anew = thread::spawn(|| oxysycl::codegen::header(&kernel.ir().expect("it was lowered before")));
    assert_eq!(header, anew.join().expect("lowering does not panic"));
}

/// An argument with its element type.
enum Drawn {
    Floats(DType, Vec<f32>),
    Integers(DType, Vec<i64>),
    Scalar(Constant),
}

impl Call {
    fn draw(&self, ir: &ir::Kernel, numbers: Numbers) -> Vec<Drawn> {
        let mut rng = Rng::with_seed(7);
        let draw = |(argument, param): (&Argument, &ir::Param)| match (argument, &param.kind) {
            (Argument::Scalar(value), ParamKind::Scalar(_)) => Drawn::Scalar(*value),
            (argument, ParamKind::Buffer(buffer)) => {
                let dtype = match buffer.element {
                    ir::Element::DType(dtype) => dtype,
                    ir::Element::Param(id) => self.dtypes[id],
                };
                match argument {
                    Argument::Given(numbers) => Drawn::Integers(dtype, numbers.clone()),
                    Argument::Drawn(len) if dtype.is_float() => {
                        Drawn::Floats(dtype, numbers.draw(*len, &mut rng))
                    }
                    Argument::Drawn(len) => {
                        Drawn::Integers(dtype, (0..*len).map(|_| rng.i64(-100..=100)).collect())
                    }
                    Argument::Scalar(_) => panic!("`{}` is a buffer", param.name),
                }
            }
            _ => panic!("`{}` is a scalar", param.name),
        };
        self.arguments.iter().zip(&ir.params).map(draw).collect()
    }
}

fn elements<E: Element<Value = V>, V: Copy>(numbers: &[V]) -> HostArgument {
    HostArgument::buffer(numbers.iter().map(|n| E::narrow(*n)).collect::<Vec<E>>())
}

fn shadows<E: Float>(numbers: &[f32]) -> HostArgument {
    HostArgument::buffer(
        numbers
            .iter()
            .map(|n| Shadow::from(E::narrow(*n)))
            .collect::<Vec<Shadow<E>>>(),
    )
}

impl Drawn {
    fn host(&self, shadow: bool) -> HostArgument {
        match (self, shadow) {
            (Drawn::Floats(DType::F32, numbers), false) => elements::<f32, _>(numbers),
            (Drawn::Floats(DType::F16, numbers), false) => elements::<f16, _>(numbers),
            (Drawn::Floats(_, numbers), false) => elements::<bf16, _>(numbers),
            (Drawn::Floats(DType::F32, numbers), true) => shadows::<f32>(numbers),
            (Drawn::Floats(DType::F16, numbers), true) => shadows::<f16>(numbers),
            (Drawn::Floats(_, numbers), true) => shadows::<bf16>(numbers),
            (Drawn::Integers(DType::I8, numbers), _) => elements::<i8, _>(numbers),
            (Drawn::Integers(DType::I32, numbers), _) => elements::<i32, _>(numbers),
            (Drawn::Integers(DType::U8, numbers), _) => elements::<u8, _>(numbers),
            (Drawn::Integers(DType::Bool, numbers), _) => {
                HostArgument::buffer(numbers.iter().map(|n| *n > 0).collect::<Vec<bool>>())
            }
            (Drawn::Integers(_, numbers), _) => elements::<i64, _>(numbers),
            (Drawn::Scalar(value), _) => HostArgument::Scalar(*value),
        }
    }

    /// The elements that a run left in this argument, as bits; any NaN is every NaN.
    fn bits(&self, result: &HostArgument) -> Vec<u64> {
        let float = |x: f32| if x.is_nan() { u64::MAX } else { x.to_bits().into() };
        match self {
            Drawn::Floats(dtype, _) => values(*dtype, result).into_iter().map(float).collect(),
            Drawn::Integers(DType::I8, _) => result.slice::<i8>().iter().map(|x| *x as u64).collect(),
            Drawn::Integers(DType::I32, _) => result.slice::<i32>().iter().map(|x| *x as u64).collect(),
            Drawn::Integers(DType::U8, _) => result.slice::<u8>().iter().map(|x| *x as u64).collect(),
            Drawn::Integers(DType::Bool, _) => result.slice::<bool>().iter().map(|x| *x as u64).collect(),
            Drawn::Integers(_, _) => result.slice::<i64>().iter().map(|x| *x as u64).collect(),
            Drawn::Scalar(_) => vec![],
        }
    }
}

fn values(dtype: DType, result: &HostArgument) -> Vec<f32> {
    match dtype {
        DType::F32 => result.slice::<f32>().to_vec(),
        DType::F16 => result.slice::<f16>().iter().map(|x| x.widen()).collect(),
        _ => result.slice::<bf16>().iter().map(|x| x.widen()).collect(),
    }
}

#[track_caller]
fn compare(drawn: &[Drawn], expected: &[HostArgument], found: &[HostArgument], who: &str) {
    for (at, drawn) in drawn.iter().enumerate() {
        assert_eq!(
            drawn.bits(&expected[at]),
            drawn.bits(&found[at]),
            "argument {at} of {who}"
        );
    }
}

/// Whether every float that was stored is one that the shadow allows.
#[track_caller]
fn judge(drawn: &[Drawn], found: &[HostArgument], shadow: &[HostArgument], who: &str) {
    for (at, drawn) in drawn.iter().enumerate() {
        match drawn {
            Drawn::Floats(DType::F32, _) => bounded::<f32>(&found[at], &shadow[at], who),
            Drawn::Floats(DType::F16, _) => bounded::<f16>(&found[at], &shadow[at], who),
            Drawn::Floats(_, _) => bounded::<bf16>(&found[at], &shadow[at], who),
            Drawn::Integers(..) => assert_eq!(drawn.bits(&found[at]), drawn.bits(&shadow[at]), "{who}"),
            Drawn::Scalar(_) => {}
        }
    }
}

#[track_caller]
fn bounded<E: Float>(found: &HostArgument, shadow: &HostArgument, who: &str) {
    for (at, (found, shadow)) in found
        .slice::<E>()
        .iter()
        .zip(shadow.slice::<Shadow<E>>())
        .enumerate()
    {
        let (found, stored) = (found.widen(), shadow.stored());
        assert!(
            allows::<E>(stored, found),
            "element {at} of {who} is {found:e}; the shadow has {:e} within {:e}",
            stored.value(),
            stored.error()
        );
        let known = stored.error() <= 1e-3 * stored.value().abs() + 1e-3;
        assert!(
            known || !stored.value().is_finite(),
            "element {at}: the bound {:e} says nothing",
            stored.error()
        );
    }
}

fn allows<E: Float>(stored: Real, found: f32) -> bool {
    if stored.value().is_nan() {
        return found.is_nan();
    }
    let edge = |value: f64| E::narrow(value as f32).widen();
    edge(stored.value() - stored.error()) <= found && found <= edge(stored.value() + stored.error())
}

/// The header of a kernel.
pub(crate) fn header(kernel: &'static Kernel) -> String {
    oxysycl::codegen::header(&kernel.ir().expect("accepted"))
}

/// How many barriers the header of a kernel has.
pub(crate) fn barriers(kernel: &'static Kernel) -> usize {
    header(kernel).matches("group_barrier(").count()
}

/// The variants of a kernel.
pub(crate) fn variants(kernel: &'static Kernel) -> &'static [Variant] {
    kernel.variants()
}
