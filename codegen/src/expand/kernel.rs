//! `#[sycl_kernel]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, Ident, ItemFn, Type, parse_quote};

use super::function::{param_name, source, unreadable, with_errors};
use super::{group, neighbour, shadow, shuffled};
use crate::check;
use crate::diagnostics::Errors;
use crate::front::{self, Externals, Paths};
use crate::ir::{DType, Kernel, ParamKind, Scalar};

const LAUNCH: &str = "Submits the kernel to `queue`: the same arguments, with views of device memory for slices.\n\n\
                      Compiles it first where neither the process nor the disk cache has it. Returns once it is \
                      submitted; the queue is in order, so a copy that follows sees the result.\n\n\
                      # Errors\nNothing is submitted if a buffer is too short for its shape, a size is negative, buffers \
                      overlap that may not, the device lacks something, or the kernel does not compile.";

/// Expands `#[sycl_kernel(..)]`.
pub fn sycl_kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => return unreadable(&item, error),
    };
    group::show(&mut function);
    let attribute = group::show_tokens(attribute);
    let mut errors = Errors::default();
    let (kernel, paths) = front::kernel(attribute.clone(), &function, Externals::Unknown, &mut errors);
    check::check(&kernel, &mut errors);
    neighbour::check(&function, &paths, &mut errors);
    let expansion = Expansion {
        function: &function,
        kernel: &kernel,
        paths: &paths,
    };
    match errors.finish(()) {
        Ok(()) => {
            let beside = expansion.beside(expansion.bodies(&attribute));
            let name = &function.sig.ident;
            let native = with_used_sizes(&function, &kernel);
            quote! {
                // A kernel may be launched only, or be there only for the command.
                #[allow(dead_code)]
                #native
                #beside
                ::oxysycl::__private::submit! {
                    ::oxysycl::__private::Registered(#name::kernel)
                }
            }
        }
        // What else names the kernel still finds it, so that its author reads of nothing but these errors.
        Err(error) if expansion.is_whole() => {
            let beside = expansion.beside(Bodies::default());
            with_errors(&quote!(#item #beside), &function.sig.ident, error)
        }
        Err(error) => with_errors(&item, &function.sig.ident, error),
    }
}

/// The function, where parameters that only the attribute reads do not count as unused.
fn with_used_sizes(function: &ItemFn, kernel: &Kernel) -> ItemFn {
    let mut function = function.clone();
    let sizes = kernel.sizes();
    for (id, input) in function.sig.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(arg) = input
            && sizes.contains(&id)
        {
            arg.attrs.push(parse_quote!(#[allow(unused_variables)]));
        }
    }
    function
}

struct Expansion<'a> {
    function: &'a ItemFn,
    kernel: &'a Kernel,
    paths: &'a Paths,
}

/// Bodies of the functions beside a kernel.
struct Bodies {
    sized: TokenStream,
    shuffled: TokenStream,
    shadow: TokenStream,
    launch: TokenStream,
    kernel: TokenStream,
}

impl Default for Bodies {
    /// Those of a kernel that is refused.
    fn default() -> Self {
        let refused = quote!({ ::core::unreachable!("this does not compile") });
        Bodies {
            sized: refused.clone(),
            shuffled: refused.clone(),
            shadow: refused.clone(),
            launch: refused.clone(),
            kernel: refused,
        }
    }
}

impl Expansion<'_> {
    /// Whether the front end could make sense of the whole signature.
    fn is_whole(&self) -> bool {
        let generics = &self.function.sig.generics;
        self.kernel.params.len() == self.function.sig.inputs.len()
            && self.kernel.types.len() + self.kernel.consts.len() == generics.params.len()
            && generics
                .type_params()
                .all(|t| front::element_bound(generics, t).is_some())
    }

    fn bodies(&self, attribute: &TokenStream) -> Bodies {
        let block = &self.function.block;
        let f32s = self.arguments().filter(|(_, ty)| shadow::is_f32(ty));
        let prologue = f32s.map(|(name, _)| shadow::prologue(name));
        let shadow = shadow::rewrite(block, self.paths).stmts;
        Bodies {
            sized: block.to_token_stream(),
            shuffled: shuffled::rewrite(block).to_token_stream(),
            shadow: quote!({ #(#prologue)* #(#shadow)* }),
            launch: self.launch(),
            kernel: self.registration(attribute),
        }
    }

    /// The enum beside the function, with its functions.
    fn beside(&self, bodies: Bodies) -> TokenStream {
        let (name, vis) = (&self.function.sig.ident, &self.function.vis);
        let docs = format!("Twins, typed launch and registration of [`{name}`](fn@{name}).");
        let signature = &self.function.sig;
        let (all, where_clause) = (&signature.generics.params, &signature.generics.where_clause);
        let types = signature.generics.type_params();
        let types = quote!(<#(#types),*>);
        let consts = signature.generics.const_params().map(|c| {
            let (name, ty) = (&c.ident, &c.ty);
            quote!(#name: #ty,)
        });
        let consts = quote!(#(#consts)*);
        let inputs = &signature.inputs;
        let shadows = self.arguments().map(|(name, ty)| match ty {
            Type::Reference(reference) => {
                let (mutability, element) = (&reference.mutability, slice_element(ty));
                quote!(#name: &#mutability [<#element as ::oxysycl::prelude::Element>::Shadow])
            }
            ty => quote!(#name: #ty),
        });
        let views = self.arguments().map(|(name, ty)| match ty {
            Type::Reference(_) => {
                let element = slice_element(ty);
                quote!(#name: ::oxysycl::View<'_, #element>)
            }
            ty => quote!(#name: #ty),
        });
        let queue = queue();
        let Bodies {
            sized,
            shuffled,
            shadow,
            launch,
            kernel,
        } = bodies;
        // What rustc has to say of it, it says at the kernel's name.
        let at = Span::call_site().located_at(name.span());
        quote_spanned! {at=>
            #[doc = #docs]
            #[allow(non_camel_case_types, dead_code)]
            #vis enum #name {}

            #[allow(dead_code, unused, non_snake_case, clippy::all)]
            impl #name {
                /// The kernel with its const parameters as ordinary arguments, so that any size can be run.
                #vis fn sized #types(#consts #inputs) #where_clause #sized

                /// The kernel with its work-items in shuffled order, each with its own part of what lanes gather.
                #vis fn shuffled #types(#consts #inputs) #where_clause #shuffled

                /// The kernel in `f64`, with a running bound of the error that `f32` may make.
                #vis fn shadow #types(#consts #(#shadows),*) #where_clause #shadow

                #[doc = #LAUNCH]
                #vis fn launch<#all>(
                    #queue: &::oxysycl::Queue,
                    #(#views),*
                ) -> ::core::result::Result<(), ::oxysycl::LaunchError> #where_clause #launch

                /// The kernel as the command and the run time know it.
                #vis fn kernel() -> &'static ::oxysycl::Kernel #kernel
            }
        }
    }

    fn launch(&self) -> TokenStream {
        let queue = queue();
        let names = self.arguments().map(|(name, _)| name);
        let generics = &self.function.sig.generics;
        let dtypes = generics.type_params().map(|t| {
            let name = &t.ident;
            quote!(<#name as ::oxysycl::prelude::Element>::DTYPE)
        });
        let consts = generics.const_params().map(|c| {
            let name = &c.ident;
            quote!(#name as i64)
        });
        quote!({
            ::oxysycl::__private::launch(#queue, Self::kernel(), &[#(#dtypes),*], &[#(#consts),*], (#(#names,)*))
        })
    }

    fn registration(&self, attribute: &TokenStream) -> TokenStream {
        let attribute = attribute.to_string();
        let item = source(self.function, self.paths);
        let lines = self.lines();
        let variants = self
            .kernel
            .combinations()
            .into_iter()
            .map(|dtypes| self.variant(&dtypes));
        quote!({
            static KERNEL: ::oxysycl::Kernel = ::oxysycl::Kernel::new(
                ::oxysycl::__private::KernelSource { attribute: #attribute, item: #item, lines: #lines },
                &[#(#variants),*],
                ::core::module_path!(),
            );
            &KERNEL
        })
    }

    /// Lines from the function's first word to its closing brace.
    fn lines(&self) -> usize {
        let function = self.function;
        let (vis, sig) = (function.vis.to_token_stream(), function.sig.to_token_stream());
        let first = vis.into_iter().chain(sig).next();
        let first = first.map_or(Span::call_site(), |token| token.span());
        let last = function.block.brace_token.span.close();
        // The two lie in different places only if a macro put them together.
        (last.end().line + 1).saturating_sub(first.start().line)
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

    fn arguments(&self) -> impl Iterator<Item = (&Ident, &Type)> {
        self.function.sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some((param_name(&arg.pat), &*arg.ty)),
            FnArg::Receiver(_) => None,
        })
    }
}

/// The queue that a launch takes. A kernel may have a parameter of that name itself.
fn queue() -> Ident {
    Ident::new("queue", Span::mixed_site())
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
