//! `#[sycl_kernel]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, GenericParam, Generics, Ident, ItemFn, Type};

use super::function::{param_name, source, with_errors};
use super::{shadow, shuffled};
use crate::check;
use crate::diagnostics::Errors;
use crate::front::{self, Externals, Paths};
use crate::ir::{DType, Kernel, ParamKind, Scalar};

/// Expands `#[sycl_kernel(..)]`.
pub fn sycl_kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => return with_errors(&item, error),
    };
    let mut errors = Errors::default();
    let (kernel, paths) = front::kernel(attribute.clone(), &function, Externals::Unknown, &mut errors);
    check::check(&kernel, &mut errors);
    match errors.finish(()) {
        Ok(()) => Expansion {
            attribute,
            function: &function,
            kernel: &kernel,
            paths: &paths,
        }
        .tokens(),
        Err(error) => with_errors(&item, error),
    }
}

struct Expansion<'a> {
    attribute: TokenStream,
    function: &'a ItemFn,
    kernel: &'a Kernel,
    paths: &'a Paths,
}

impl Expansion<'_> {
    fn tokens(&self) -> TokenStream {
        let (function, name, vis) = (self.function, &self.function.sig.ident, &self.function.vis);
        let docs = format!("Twins, typed launch and registration of [`{name}`](fn@{name}).");
        let (sized, shuffled, shadow) = (self.sized(), self.shuffled(), self.shadow());
        let (launch, kernel) = (self.launch(), self.registration());
        quote! {
            #function

            #[doc = #docs]
            #[allow(non_camel_case_types, dead_code)]
            #vis enum #name {}

            #[allow(dead_code, unused, non_snake_case, clippy::all)]
            impl #name {
                #sized
                #shuffled
                #shadow
                #launch
                #kernel
            }

            ::oxysycl::__private::submit! {
                ::oxysycl::__private::Registered(#name::kernel)
            }
        }
    }

    /// The function with const parameters as ordinary arguments.
    fn sized(&self) -> TokenStream {
        let (vis, block) = (&self.function.vis, &self.function.block);
        let (generics, consts) = (self.type_generics(), self.const_arguments());
        let (where_clause, inputs) = (
            &self.function.sig.generics.where_clause,
            &self.function.sig.inputs,
        );
        quote! {
            /// The kernel with its const parameters as ordinary arguments, so that any size can be run.
            #vis fn sized #generics(#consts #inputs) #where_clause #block
        }
    }

    fn shuffled(&self) -> TokenStream {
        let (vis, block) = (&self.function.vis, shuffled::rewrite(&self.function.block));
        let (generics, consts) = (self.type_generics(), self.const_arguments());
        let (where_clause, inputs) = (
            &self.function.sig.generics.where_clause,
            &self.function.sig.inputs,
        );
        quote! {
            /// The kernel with its work-items in shuffled order, each with its own part of what lanes gather.
            #vis fn shuffled #generics(#consts #inputs) #where_clause #block
        }
    }

    fn shadow(&self) -> TokenStream {
        let (vis, block) = (
            &self.function.vis,
            shadow::rewrite(&self.function.block, self.paths),
        );
        let (generics, consts) = (self.type_generics(), self.const_arguments());
        let where_clause = &self.function.sig.generics.where_clause;
        let inputs = self.arguments().map(|(name, ty)| match ty {
            Type::Reference(reference) => {
                let (mutability, element) = (&reference.mutability, slice_element(ty));
                quote!(#name: &#mutability [<#element as ::oxysycl::prelude::Element>::Shadow])
            }
            ty => quote!(#name: #ty),
        });
        let prologue = self.arguments().filter_map(|(name, ty)| match ty {
            Type::Path(path) if path.path.is_ident("f32") => Some(shadow::prologue(name)),
            _ => None,
        });
        let stmts = &block.stmts;
        quote! {
            /// The kernel in `f64`, with a running bound of the error that `f32` may make.
            #vis fn shadow #generics(#consts #(#inputs),*) #where_clause {
                #(#prologue)*
                #(#stmts)*
            }
        }
    }

    fn launch(&self) -> TokenStream {
        let (vis, generics) = (&self.function.vis, &self.function.sig.generics);
        let where_clause = &generics.where_clause;
        let params = generics.params.iter();
        let inputs = self.arguments().map(|(name, ty)| match ty {
            Type::Reference(_) => {
                let element = slice_element(ty);
                quote!(#name: ::oxysycl::View<'_, #element>)
            }
            ty => quote!(#name: #ty),
        });
        let names = self.arguments().map(|(name, _)| name);
        let dtypes = self.kernel.types.iter().map(|t| {
            let ident = Ident::new(&t.name, Span::call_site());
            quote!(<#ident as ::oxysycl::prelude::Element>::DTYPE)
        });
        let consts = self.kernel.consts.iter().map(|c| {
            let ident = Ident::new(&c.name, Span::call_site());
            quote!(#ident as i64)
        });
        // A kernel may have a parameter of that name itself.
        let queue = Ident::new("queue", Span::mixed_site());
        let docs = "Submits the kernel to `queue`: the same arguments, with views of device memory for slices.\n\n\
                    Compiles it first where neither the process nor the disk cache has it. Returns once it is submitted; \
                    the queue is in order, so a copy that follows sees the result.\n\n\
                    # Errors\nNothing is submitted if a buffer is too short for its shape, a size is negative, buffers \
                    overlap that may not, the device lacks something, or the kernel does not compile.";
        quote! {
            #[doc = #docs]
            #vis fn launch<#(#params),*>(
                #queue: &::oxysycl::Queue,
                #(#inputs),*
            ) -> ::core::result::Result<(), ::oxysycl::LaunchError> #where_clause {
                ::oxysycl::__private::launch(#queue, Self::kernel(), &[#(#dtypes),*], &[#(#consts),*], (#(#names,)*))
            }
        }
    }

    fn registration(&self) -> TokenStream {
        let vis = &self.function.vis;
        let attribute = self.attribute.to_string();
        let item = source(self.function, self.paths);
        let variants = self
            .combinations()
            .into_iter()
            .map(|dtypes| self.variant(&dtypes));
        quote! {
            /// The kernel as the command and the run time know it.
            #vis fn kernel() -> &'static ::oxysycl::Kernel {
                static KERNEL: ::oxysycl::Kernel = ::oxysycl::Kernel::new(
                    ::oxysycl::__private::KernelSource { attribute: #attribute, item: #item },
                    &[#(#variants),*],
                    ::core::module_path!(),
                );
                &KERNEL
            }
        }
    }

    fn variant(&self, dtypes: &[DType]) -> TokenStream {
        let name = &self.function.sig.ident;
        let types: Vec<TokenStream> = dtypes.iter().map(|d| rust_type(*d)).collect();
        let turbofish = if types.is_empty() {
            quote!()
        } else {
            quote!(::<#(#types),*>)
        };
        let tags = dtypes.iter().map(|d| dtype_path(*d));
        let tags: TokenStream = quote!(&[#(#tags),*]);
        let names: Vec<Ident> = (0..self.kernel.params.len())
            .map(|i| Ident::new(&format!("a{i}"), Span::mixed_site()))
            .collect();
        let consts: Vec<TokenStream> = self
            .kernel
            .consts
            .iter()
            .enumerate()
            .map(|(i, c)| const_value(i, c.ty))
            .collect();
        let host: Vec<TokenStream> = self
            .kernel
            .params
            .iter()
            .zip(&names)
            .map(|(param, name)| match &param.kind {
                ParamKind::Buffer(buffer) if buffer.mutable => quote!(#name.slice_mut()),
                ParamKind::Buffer(_) => quote!(#name.slice()),
                ParamKind::Scalar(_) => quote!(#name.scalar()),
            })
            .collect();
        let device = self
            .kernel
            .params
            .iter()
            .zip(&names)
            .map(|(param, name)| match &param.kind {
                ParamKind::Buffer(buffer) => {
                    let element = match buffer.element {
                        crate::ir::Element::Param(id) => types[id].clone(),
                        crate::ir::Element::DType(dtype) => rust_type(dtype),
                    };
                    quote!(#name.view::<#element>())
                }
                ParamKind::Scalar(ty) => {
                    let ty = Ident::new(ty.rust(), Span::call_site());
                    quote!(#name.scalar::<#ty>())
                }
            });
        let native = |twin: &str| {
            let twin = Ident::new(twin, Span::call_site());
            quote! {
                |consts: &[i64], args: &mut [::oxysycl::__private::HostArgument]| {
                    let [#(#names),*] = args else { ::core::unreachable!("arguments follow the signature") };
                    #name::#twin #turbofish(#(#consts,)* #(#host),*)
                }
            }
        };
        let (sized, shuffled, shadow) = (native("sized"), native("shuffled"), native("shadow"));
        quote! {
            ::oxysycl::__private::Variant {
                dtypes: #tags,
                native: #sized,
                shuffled: #shuffled,
                shadow: #shadow,
                launch: |queue: &::oxysycl::Queue, consts: &[i64], args: &[::oxysycl::__private::DeviceArgument<'_>]| {
                    let [#(#names),*] = args else { ::core::unreachable!("arguments follow the signature") };
                    ::oxysycl::__private::launch(queue, #name::kernel(), #tags, consts, (#(#device,)*))
                },
            }
        }
    }

    /// Every combination of element types, the last parameter changing fastest.
    fn combinations(&self) -> Vec<Vec<DType>> {
        self.kernel.types.iter().fold(vec![vec![]], |all, param| {
            all.iter()
                .flat_map(|head| {
                    param
                        .dtypes
                        .iter()
                        .map(|d| head.iter().copied().chain([*d]).collect())
                })
                .collect()
        })
    }

    fn type_generics(&self) -> Generics {
        let mut generics = self.function.sig.generics.clone();
        generics.where_clause = None;
        generics.params = generics
            .params
            .into_iter()
            .filter(|p| !matches!(p, GenericParam::Const(_)))
            .collect();
        generics
    }

    /// `HIDDEN_SIZE: i64,` for each const parameter.
    fn const_arguments(&self) -> TokenStream {
        let consts = self.function.sig.generics.const_params().map(|c| {
            let (name, ty) = (&c.ident, &c.ty);
            quote!(#name: #ty,)
        });
        quote!(#(#consts)*)
    }

    fn arguments(&self) -> impl Iterator<Item = (&Ident, &Type)> {
        self.function.sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some((param_name(&arg.pat), &*arg.ty)),
            FnArg::Receiver(_) => None,
        })
    }
}

fn slice_element(ty: &Type) -> TokenStream {
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => slice.elem.to_token_stream(),
            other => other.to_token_stream(),
        },
        other => other.to_token_stream(),
    }
}

fn rust_type(dtype: DType) -> TokenStream {
    let name = Ident::new(dtype.rust(), Span::call_site());
    match dtype {
        DType::F16 | DType::BF16 => quote!(::oxysycl::prelude::#name),
        _ => quote!(#name),
    }
}

fn dtype_path(dtype: DType) -> TokenStream {
    let name = Ident::new(&format!("{dtype:?}"), Span::call_site());
    quote!(::oxysycl::prelude::DType::#name)
}

fn const_value(at: usize, ty: Scalar) -> TokenStream {
    if ty == Scalar::Bool {
        return quote!(consts[#at] != 0);
    }
    let ty = Ident::new(ty.rust(), Span::call_site());
    quote!(consts[#at] as #ty)
}
