//! The bounds must hold, and must not be idle: random programs in `f32`, whose exact result lies in `f64`.

use fastrand::Rng;
use oxysycl_codegen::ir::Library;

use super::*;

/// A float of any magnitude, now and then a special one.
fn any_float(rng: &mut Rng) -> f32 {
    const SPECIAL: [f32; 10] = [
        0.0,
        -0.0,
        1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-40,
    ];
    match rng.u8(0..8) {
        0 => *rng.choice(&SPECIAL).unwrap(),
        1 => f32::from_bits(rng.u32(..)),
        _ => (rng.f32() * 2.0 - 1.0) * 10f32.powi(rng.i32(-3..4)),
    }
}

/// Whether a device that computed `device` did as `real` says.
fn allows(real: Real, device: f32) -> bool {
    match real {
        unknown if unknown.is_unknown() => true,
        nan if nan.is_nan() => device.is_nan(),
        real => real.value() == f64::from(device) || (real.value() - f64::from(device)).abs() <= real.error(),
    }
}

type Unary = (&'static str, fn(f32) -> f32, fn(Real) -> Real);
type Binary = (&'static str, fn(f32, f32) -> f32, fn(Real, Real) -> Real);

const UNARY: [Unary; 24] = [
    ("neg", |a| -a, |a| -a),
    ("abs", f32::abs, Real::abs),
    ("ceil", f32::ceil, Real::ceil),
    ("floor", f32::floor, Real::floor),
    ("round", f32::round, Real::round),
    ("trunc", f32::trunc, Real::trunc),
    ("sqrt", f32::sqrt, Real::sqrt),
    ("recip", f32::recip, Real::recip),
    ("exp", f32::exp, Real::exp),
    ("ln", f32::ln, Real::ln),
    ("sin", f32::sin, Real::sin),
    ("cos", f32::cos, Real::cos),
    ("tanh", f32::tanh, Real::tanh),
    ("erf", libm::erff, Real::erf),
    ("rsqrt", |a| a.sqrt().recip(), Real::rsqrt),
    ("round_ties_even", f32::round_ties_even, Real::round_ties_even),
    ("fract", f32::fract, Real::fract),
    ("signum", f32::signum, Real::signum),
    ("exp_m1", f32::exp_m1, Real::exp_m1),
    ("ln_1p", f32::ln_1p, Real::ln_1p),
    ("log10", f32::log10, Real::log10),
    ("tan", f32::tan, Real::tan),
    ("sinh", f32::sinh, Real::sinh),
    ("cosh", f32::cosh, Real::cosh),
];

const BINARY: [Binary; 12] = [
    ("add", |a, b| a + b, |a, b| a + b),
    ("sub", |a, b| a - b, |a, b| a - b),
    ("mul", |a, b| a * b, |a, b| a * b),
    ("div", |a, b| a / b, |a, b| a / b),
    ("rem", |a, b| a % b, |a, b| a % b),
    ("max", f32::max, Real::max),
    ("min", f32::min, Real::min),
    ("copysign", f32::copysign, Real::copysign),
    (
        "clamp",
        |a, b| a.clamp(-b.abs().max(0.0), b.abs().max(0.0)),
        |a, b| a.clamp(-b.abs().max(0.0.into()), b.abs().max(0.0.into())),
    ),
    ("powi 5", |a, _| a.powi(5), |a, _| a.powi(5)),
    ("powi -3", |a, _| a.powi(-3), |a, _| a.powi(-3)),
    (
        "mul_add",
        |a, b| a.mul_add(b, 0.7),
        |a, b| a.mul_add(b, 0.7.into()),
    ),
];

/// Runs a random program in `f32` and in its shadow: each step combines earlier results.
fn program(seed: u64) -> Vec<(String, f32, Real)> {
    let mut rng = Rng::with_seed(seed);
    let mut trace: Vec<(String, f32, Real)> = Vec::new();
    for _ in 0..4 {
        let x = any_float(&mut rng);
        trace.push((format!("{x:e}"), x, x.into()));
    }
    for _ in 0..12 {
        let (a, b) = (rng.usize(..trace.len()), rng.usize(..trace.len()));
        let ((_, x, rx), (_, y, ry)) = (&trace[a], &trace[b]);
        let step = if rng.bool() {
            let (name, f, g) = rng.choice(UNARY).unwrap();
            (format!("{name} #{a}"), f(*x), g(*rx))
        } else {
            let (name, f, g) = rng.choice(BINARY).unwrap();
            (format!("{name} #{a} #{b}"), f(*x, *y), g(*rx, *ry))
        };
        trace.push(step);
    }
    trace
}

#[test]
fn no_program_leaves_its_bounds() {
    for seed in 0..60_000 {
        let trace = program(seed);
        for (step, device, real) in &trace {
            assert!(
                allows(*real, *device),
                "seed {seed}, {step}: {device:e} against {real:?}\n{trace:#?}"
            );
        }
    }
}

#[test]
fn most_of_what_programs_compute_is_known() {
    let steps: Vec<_> = (0..2000).flat_map(program).collect();
    let unknown = steps.iter().filter(|(.., real)| real.is_unknown()).count();
    assert!(unknown * 20 < steps.len(), "{unknown} of {}", steps.len());
}

/// A device that is wrong in the last place but one is caught.
#[test]
fn bounds_are_tight() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..1000 {
        let (a, b) = (rng.f32() + 0.5, rng.f32() + 0.5);
        let product = Real::from(a) * Real::from(b);
        assert!(allows(product, a * b));
        assert!(!allows(product, (a * b).next_up().next_up()));
        let sum = Real::from(a) + Real::from(b);
        assert!(sum.error() <= f64::from((a + b).next_up() - (a + b)));
    }
}

#[test]
fn exact_operations_have_no_error() {
    let (a, b) = (Real::from(3.0), Real::from(0.25));
    for exact in [
        a + b,
        a - b,
        a * b,
        a / b,
        a % b,
        b.sqrt(),
        a.mul_add(b, a),
        a.recip().recip().floor(),
    ] {
        assert!(exact.error() == 0.0 || exact.value() == 3.0, "{exact:?}");
    }
    assert_eq!((a / Real::from(-0.0)).value(), f64::NEG_INFINITY);
}

#[test]
fn every_bound_of_the_table_is_kept_and_used() {
    let x = Real::from(0.7);
    let ulp_of = |r: Real| r.error() / ulp(r.value().abs());
    let near = |r: Real, ulps: f64| (ulp_of(r) - ulps).abs() < 1e-6;
    assert!(near(x.rsqrt(), 2.0) && near(x.exp(), 3.0) && near(x.exp2(), 3.0) && near(x.ln(), 3.0));
    assert!(near(x.log2(), 3.0) && near(x.sin(), 4.0) && near(x.cos(), 4.0) && near(x.tanh(), 5.0));
    assert!(near(x.exp_m1(), 3.0) && near(x.ln_1p(), 2.0) && near(x.log10(), 3.0) && near(x.tan(), 5.0));
    assert!(near(x.sinh(), 4.0) && near(x.cosh(), 4.0));
    assert!(near(x.erf(), 16.0) && near(x.powf(Real::from(1.3)), 16.0));
    assert!(near(x.sqrt(), 0.5) && near(x.recip(), 0.5) && near(x * x, 0.5));
}

#[test]
fn bounds_are_those_of_the_device() {
    let x = Real::from(0.7);
    let lost = |f: fn(Real) -> Real| f(x).error() / ulp(f(x).value().abs());
    let (exp, sin) = computed_by(Library::Cuda, || (lost(Real::exp), lost(Real::sin)));
    assert!(
        (exp - 2.5).abs() < 1e-6 && (sin - 2.5).abs() < 1e-6,
        "{exp} {sin}"
    );
    assert!(
        (lost(Real::exp) - 3.0).abs() < 1e-6,
        "elsewhere they are as before"
    );
}

/// Sums terms as a device may: in any order, by 16 or more work-items that take some neighbours at a time.
fn device_sum(terms: &[f32], rng: &mut Rng) -> f32 {
    let mut terms = terms.to_vec();
    rng.shuffle(&mut terms);
    let items = rng.choice([16, 64, 256]).expect("a choice of three");
    let neighbours = rng.choice([1, 8, 16]).expect("a choice of three");
    let mut partial = vec![0.0f32; items];
    for (i, term) in terms.iter().enumerate() {
        partial[i / neighbours % items] += term;
    }
    while partial.len() > 1 {
        partial = partial.chunks(2).map(|pair| pair.iter().sum()).collect();
    }
    partial[0]
}

#[test]
fn sums_stay_within_their_bound_in_any_order() {
    let mut rng = Rng::with_seed(7);
    for n in [0, 1, 2, 15, 16, 17, 100, 769, 5120] {
        for _ in 0..20 {
            let terms: Vec<f32> = (0..n).map(|_| rng.f32() - 0.3).collect();
            let mut real = Real::from(0.0);
            terms
                .iter()
                .for_each(|term| Real::gather(&mut real, (*term).into()));
            let real = real.summed();
            let device = device_sum(&terms, &mut rng);
            assert!(allows(real, device), "{n} terms: {device} against {real:?}");
            let magnitude: f64 = terms.iter().map(|t| f64::from(t.abs())).sum();
            assert!(real.error() <= magnitude * f64::from(f32::EPSILON) * (f64::from(n) / 16.0 + 21.0));
        }
    }
}

#[test]
fn sums_know_when_they_overflow() {
    let sum = |terms: &[f32]| {
        let mut real = Real::from(0.0);
        terms
            .iter()
            .for_each(|term| Real::gather(&mut real, (*term).into()));
        real.summed()
    };
    assert_eq!(sum(&[3e38, 3e38]).value(), f64::INFINITY);
    assert_eq!(sum(&[-3e38, -3e38]).value(), f64::NEG_INFINITY);
    assert!(sum(&[3e38, 3e38, -3e38, -3e38]).is_unknown(), "the order decides");
    assert!(sum(&[f32::INFINITY, 1.0]).is_infinite());
    let either = sum(&[f32::NEG_INFINITY, 3e38, 3e38]);
    assert!(
        either.is_unknown(),
        "the finite ones may overflow, to NaN in the end"
    );
    assert!(sum(&[f32::NAN, 1.0]).is_nan() && !sum(&[f32::NAN, 1.0]).is_unknown());
}

#[test]
fn the_poles_of_the_tangent_are_seen() {
    let blurred = |x: f32| Real::from(x) + Real::from(1e-3) * Real::from(0.1).exp();
    assert!(!blurred(1.5).tan().is_unknown() && !blurred(-4.0).tan().is_unknown());
    let near_pole = blurred(std::f32::consts::FRAC_PI_2 - 0.001_105_2);
    assert!(near_pole.tan().is_unknown(), "{near_pole:?}");
    assert!(
        (blurred(0.0) * Real::from(1e10)).tan().is_unknown(),
        "several poles"
    );
    assert!(Real::INFINITY.tan().is_nan());
}

/// A number beside a rounding edge rounds to either side, and becomes either integer.
#[test]
fn what_jumps_may_go_either_way() {
    let edge = Real::from(1.0) / Real::from(3.0) * Real::from(3.0) - Real::from(123.5);
    let integer = |side| decide(side, || crate::native::cast::<Real, i64>(edge.round_ties_even()));
    let all = [Side::Value, Side::Least, Side::Most].map(|side| integer(side).0);
    assert!(
        integer(Side::Value).1 && all.contains(&-122) && all.contains(&-123),
        "{all:?} of {edge:?}"
    );
    let less = |side| decide(side, || edge < Real::from(-122.5));
    assert_eq!(
        [less(Side::Least), less(Side::Most)],
        [(true, true), (false, true)]
    );
    let known = decide(Side::Least, || Real::from(2.5) < Real::from(2.0));
    assert_eq!(known, (false, false), "exact numbers leave nothing open");
}

#[test]
fn what_is_unknown_stays_so() {
    let near_zero = (Real::from(0.1) + Real::from(0.2)) - (Real::from(0.1) + Real::from(0.2));
    assert!(near_zero.error() > 0.0);
    let unknown = Real::from(1.0) / near_zero;
    assert!(unknown.is_unknown());
    assert!(
        (unknown * Real::from(0.0)).is_unknown()
            && unknown.exp().is_unknown()
            && unknown.max(1.0.into()).is_unknown()
    );
}
