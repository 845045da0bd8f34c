//! What the attributes put beside a function: its twins, its typed launch and its registration.

mod function;
mod group;
mod kernel;
mod neighbour;
mod shadow;
mod shuffled;
mod words;

pub use self::function::sycl_fn;
pub use self::kernel::sycl_kernel;

#[cfg(test)]
mod tests {
    use quote::quote;

    /// Errors beside an item silence what rustc says of the names in its module; those in a constant do not.
    #[test]
    fn errors_stand_in_a_constant_of_their_own() {
        let kernel = quote!(
            fn copy(x: &mut [f32], n: i64) {
                for i in elements(n) {
                    x.store(i, missing.cbrt());
                }
            }
        );
        let expanded = super::sycl_kernel(quote!(shapes(x = [n])), kernel).to_string();
        let (_, home) = expanded
            .split_once("const errors_of_copy : () = {")
            .expect("there is such a constant");
        assert!(home.contains("compile_error"), "{expanded}");
    }
}
