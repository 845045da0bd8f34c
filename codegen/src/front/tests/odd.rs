//! No syntax makes the macros panic: whatever is not understood is an error with a position.

use fastrand::Rng;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::{sycl_fn, sycl_kernel};

/// Kernels and functions with a bit of everything.
const SEEDS: [(&str, &str); 4] = [
    (
        "symbol = \"norm_{T}_{N}\", header = \"a/b.hpp\", types(T = [f32, f16]), select(N = \"N\", T = \"T_{T}\"), instances(N = [1, 2]),
         shapes(x = [rows @ sx, N], y = [rows @ sy, N]), alias(y = x), work_group = 256, sub_group = 16, vector = auto",
        "pub fn norm<T: Float, const N: i64, const FLAG: bool>(x: &[T], y: &mut [T], rows: i64, sx: i64, sy: i64, eps: f32) {
            let half = N / 2;
            for row in groups(rows) {
                let u = x.row(row * sx);
                let mut v = y.row_mut(row * sy);
                let (mut sum, mut most): (f32, f32) = (0.0, f32::NEG_INFINITY);
                for i in lanes(N) { sum += u.load(i) * u.load(i); most = most.max(u.load(i)); }
                let scale = rsqrt(group_sum(sum) / N as f32 + eps) * if FLAG { group_max(most) } else { 1.0 };
                for i in lanes(half) {
                    let (a, b) = if FLAG { (i, i + half) } else { (2 * i, 2 * i + 1) };
                    v.store(a, -u.load(a) * scale);
                    if i == 0 { v.store(b, { let t = u.load(b); t + 1.0 }); }
                }
                for s in 0..=3 { v.store(s, v.load(s).abs()); }
            }
        }",
    ),
    (
        "shapes(a = [n, m], b = [n, m], t = [n]), optional(t), specialize(flag in [false, true], m in [1, -2])",
        "fn two(a: &[f32], b: &mut [f32], t: &[i64], n: i64, m: i64, flag: bool) {
            let mut k = 0; k += n;
            for (r, h) in groups((n, m)) {
                let q = if t.is_empty() { 0 } else { t.load(r) }; let w; if flag && q > 0 { w = 1.0; } else { w = 2.0f32; }
                let z = match q { 0 | 4..=7 => 1.0, ..-1 => { let t = w; t + 1.0 } LIMIT => 2.0, _ => w };
                match flag { true => b.store(r * m + h, z), false => () }
                b.store(r * m + h, a.load(r * m + h) * w);
            }
        }",
    ),
    (
        "shapes(a = [n], b = [n])",
        "fn flat(a: &[f32], b: &mut [i32], n: i64) {
            for i in elements(n) {
                const C: f32 = 0.5;
                let v = silu(a.load(i)) + module::C * C;
                let mut c = v as i64; c %= 7; c <<= 1; c = !c;
                b.store(i, c.wrapping_add(1) ^ (i & 3) | 1);
            }
        }",
    ),
    (
        "",
        "fn helper(mut x: f32, n: i32) -> f32 { for s in 0..n { if s % 2 == 0 { x *= 2.0 } else { x -= 1.0; } } x.max(0.0) }",
    ),
];

/// What takes the place of a token now and then.
const ODD: &str = "0 -1 1.5 1e400 340282350000000000000000000000000000000000 0xff_u8 1i128 1f64 'c' \"text\" b'x' 'label r#type self Self _ .. ..= ... -> => :: ? @ & && * ! # ; , . $
    if else match for in while loop let mut ref move fn struct impl return break continue as unsafe async await dyn const static where
    groups elements lanes group_sum group_max load store row row_mut f32 f64 i64 usize bool T N x y i row sum Some None true false
    () (,) [] [0; 3] {} {1} (1, 2) |x|x &x x? x.0 x[0] x!() #[cfg(a)] <T> <T as U>::V x::<f32>(1) 0..4 if(x){1}else{2} unsafe{1} 'a:{1} let(a,b)=c;";

#[test]
fn mutations_of_kernels_never_panic() {
    let odd: Vec<TokenTree> = ODD.parse::<TokenStream>().expect("tokens").into_iter().collect();
    let mut rng = Rng::with_seed(1);
    for round in 0..1200 {
        let (attribute, item) = SEEDS[round % SEEDS.len()];
        let attribute: TokenStream = attribute.parse().expect("tokens");
        let item: TokenStream = item.parse().expect("tokens");
        let changes = 1 + round % 3;
        let (attribute, item) = if rng.u32(0..5) == 0 {
            (mutated(attribute, changes, &odd, &mut rng), item)
        } else {
            (attribute, mutated(item, changes, &odd, &mut rng))
        };
        let expanded = match round % SEEDS.len() {
            3 => sycl_fn(attribute, item),
            _ => sycl_kernel(attribute, item),
        };
        assert!(!expanded.is_empty());
    }
}

/// Takes away, doubles, swaps or replaces some tokens, at any depth.
fn mutated(tokens: TokenStream, changes: usize, odd: &[TokenTree], rng: &mut Rng) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    for _ in 0..changes {
        if trees.is_empty() {
            break;
        }
        let at = rng.usize(..trees.len());
        if let TokenTree::Group(group) = &trees[at]
            && rng.u32(0..8) > 0
        {
            let delimiter = match rng.u32(0..200) {
                0 => Delimiter::None,
                1 => Delimiter::Bracket,
                _ => group.delimiter(),
            };
            let inner = mutated(group.stream(), 1, odd, rng);
            trees[at] = Group::new(delimiter, inner).into();
            continue;
        }
        match rng.u32(0..5) {
            0 => _ = trees.remove(at),
            1 => trees.insert(at, trees[at].clone()),
            2 => trees.insert(at, odd[rng.usize(..odd.len())].clone()),
            3 => {
                let other = rng.usize(..trees.len());
                trees.swap(at, other);
            }
            _ => trees[at] = odd[rng.usize(..odd.len())].clone(),
        }
    }
    trees.into_iter().collect()
}

#[test]
fn odd_items_never_panic() {
    for item in [
        "",
        "struct Kernel;",
        "fn kernel();",
        "fn kernel() {}",
        "fn kernel(..) {}",
        "fn kernel(_: i64, (a, b): (f32, f32), &x: &f32, [p, q]: [f32; 2]) {}",
        "fn kernel(self, &mut self, this: Self) {}",
        "fn r#fn(r#in: &[f32], r#type: &mut [f32]) { for r#for in elements(r#n) { r#type.store(r#for, r#in.load(r#for)); } }",
        "fn kernel<'a, T, const N: [u8; 2], const M: i64 = 3>(x: &'a [T]) where 'a: 'static {}",
        "fn kernel<T: Float>(x: &[T; 4], y: &[[T]], z: &&[T], w: *const T, v: Vec<T>, u: impl Float, t: dyn Float, s: !) {}",
        "async unsafe extern \"C\" fn kernel() -> impl Float { async move { loop {} } }",
        "fn kernel(n: i64) { for i in elements(n) { for j in elements(i) { for (k, l) in groups((i, j)) { } } } }",
        "fn kernel(n: i64) { for i in elements(n) { ; ; {} {;} {{}} if i > 0 {} else if i < 0 {} else {} } }",
        "fn kernel(n: i64) { for i in elements(n) { let _ = |x: f32| -> f32 { x }; let _ = async {}; let _ = const { 1 }; } }",
        "fn kernel(n: i64) { for i in elements(n) { let a @ b = i; let [c, ..] = d; let Foo { x, y: (z, ..) } = i; let 1..=5 = i else { return }; } }",
        "fn kernel(n: i64) { for i in elements(n) { a = b = c; a += b += c; (a, b) = (b, a); *a = 1; a.b = 2; a[0] = 3; _ = 4; } }",
        "fn kernel(n: i64) { for i in elements(n) { x.y.z(); x.y(z).load(1); x().load(2); (x).store(3, 4); self.load(5); load(6); store(7, 8); row(9); } }",
        "fn kernel(n: i64) { for i in elements(n) { let x = i as fn(f32) -> f32; let y = i as [f32; 3]; let z = &raw const i; let w = i..; let v = ..; } }",
        "fn kernel(n: i64) { for i in elements(n) { 'a: loop { break 'a 3; continue 'a; } while let Some(x) = y {} if let 1 = i && i > 2 {} matches!(x, y) } }",
        "fn kernel(n: i64) { for i in elements(n) { let x = 9223372036854775808 * 170141183460469231731687303715884105728; let y = 1e999; let z = 0x_f32; } }",
        "fn kernel(n: i64) { for i in elements(-n / 0 % 0 << 200) { for s in 5..=i64::MAX { for t in s..-s / 3 / 0 {} } } }",
        "fn kernel(n: i64) { group_sum(group_sum(1.0)); lanes(lanes(3)); for i in groups((((n)))) {} }",
    ] {
        for attribute in [
            "",
            "shapes(a = [n], b = [n])",
            ", ,",
            "symbol",
            "shapes",
            "types(T",
            "shapes(x = [1 @ 2 @ 3])",
        ] {
            let Ok(attribute) = attribute.parse::<TokenStream>() else {
                continue;
            };
            let item: TokenStream = item.parse().expect("tokens");
            _ = sycl_kernel(attribute.clone(), item.clone());
            _ = sycl_fn(attribute, item);
        }
    }
}
