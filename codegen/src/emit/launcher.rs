//! The launcher: refusals, then submission of the variant that fits.

use super::Emission;
use super::body::Inner;
use super::decision::{Decision, decide, named, text};
use super::functor::{Nothing, scalar_stmt, wants_sub_group};
use super::helper::Helper;
use super::printer::{Level, Printer};
use super::usage::params_of;
use super::writer::Writer;
use crate::check;
use crate::ir::{
    Assertion, Buffer, Dim, Expr, ExprKind, Grid, ParamId, ParamKind, Scalar, Stmt, StmtKind, walk,
};
use crate::schedule::{Width, extents, is_constant};

/// `NAME_submit`, which chooses the grid, and `NAME_launch`, which refuses or submits.
pub(super) fn launcher(emission: &Emission<'_>) -> String {
    let launcher = Launcher { emission };
    let mut out = Writer::at(0);
    launcher.submit(&mut out);
    out.line("");
    launcher.launch(&mut out);
    out.finish()
}

struct Launcher<'a> {
    emission: &'a Emission<'a>,
}

impl Launcher<'_> {
    fn printer(&self) -> Printer<'_> {
        Printer {
            spelling: &self.emission.spelling,
            helpers: &self.emission.helpers,
            kernel: Some(self.emission.kernel),
            surroundings: &Nothing,
            data: &self.emission.data,
            indexing: false,
        }
    }

    /// What a refusal is about, as a literal. It begins with the kernel, which may share its header.
    fn subject(&self, name: &str) -> String {
        format!("\"{}: {name}\"", self.emission.kernel.name)
    }

    /// Submits one variant.
    fn submit(&self, out: &mut Writer) {
        let emission = self.emission;
        let template = emission.variant_params();
        if !template.is_empty() {
            out.line(format!("template <{}>", template.join(", ")));
        }
        let mut params = vec![format!("::sycl::queue& {}", emission.inner.queue)];
        params.extend(emission.members().iter().map(|(ty, name)| format!("{ty} {name}")));
        let inline = if template.is_empty() { "inline " } else { "" };
        out.call(
            &format!("{inline}void {}_submit", emission.head.spelled),
            &params,
            " {",
        );
        out.indented(|out| {
            let (work_group, sub_group) = (emission.schedule.work_group, emission.schedule.sub_group);
            let vectors = self.vectors();
            let Inner { queue, local, groups, .. } = &emission.inner;
            out.line(format!(
                "const int64_t {local} = detail::work_group({queue}.get_device(), {vectors}, {work_group}, {sub_group});"
            ));
            let printer = self.printer();
            let total = match &emission.kernel.grid {
                Grid::Elements { .. } => format!("({vectors} + {local} - 1) / {local}"),
                Grid::Groups { extents, .. } => {
                    let parts: Vec<String> = extents.iter().map(|e| printer.operand(e, Level::Mul)).collect();
                    parts.join(" * ")
                }
            };
            out.line("// Ranges stay below 2^31; the kernel loops over the rest.");
            out.line(format!("const int64_t {groups} = std::min<int64_t>({total}, INT32_MAX / {local});"));
            let members: Vec<String> = emission.members().into_iter().map(|(_, name)| name).collect();
            let decided: Vec<String> = emission.decisions.iter().map(|d| d.name.clone()).collect();
            let args = emission.variant_args(&decided, &emission.inner.width);
            out.line(format!("{queue}.parallel_for("));
            out.line(format!("    ::sycl::nd_range<1>({groups} * {local}, {local}),"));
            out.line(format!("    {}{args}{{{}}});", emission.head.class, members.join(", ")));
        });
        out.line("}");
    }

    /// How many vectors the longest row has, or the elements are.
    fn vectors(&self) -> String {
        let printer = self.printer();
        let width = &self.emission.inner.width;
        let of = |e: &Expr| match self.emission.schedule.width {
            None => printer.value(e),
            Some(_) if is_constant(e) => format!("{} / {width}", printer.operand(e, Level::Mul)),
            Some(_) => format!("({} + {width} - 1) / {width}", printer.operand(e, Level::Add)),
        };
        let all: Vec<String> = extents(self.emission.kernel).into_iter().map(of).collect();
        match all.as_slice() {
            [] => "1".to_owned(),
            [one] => one.clone(),
            many => format!("std::max<int64_t>({{{}}})", many.join(", ")),
        }
    }

    fn launch(&self, out: &mut Writer) {
        let emission = self.emission;
        let template = emission.template_params();
        out.line(
            "/// Submits the kernel, or says why not: 0, or a `Refusal` with its reason in `last_error`.",
        );
        if !template.is_empty() {
            out.line(format!("template <{}>", template.join(", ")));
        }
        let used = used_params(emission);
        let mut params = vec![format!("void* {}", emission.inner.queue_pointer)];
        params.extend(
            used.iter()
                .map(|id| format!("{} {}", emission.param_type(*id), emission.spelling.params[*id])),
        );
        let inline = if template.is_empty() { "inline " } else { "" };
        out.call(
            &format!("{inline}int32_t {}_launch", emission.head.spelled),
            &params,
            " try {",
        );
        out.indented(|out| {
            let queue = &emission.inner.queue_pointer;
            out.line(format!(
                "if ({queue} == nullptr) return detail::refuse(detail::kNull, {}, \"is null\");",
                self.subject("queue")
            ));
            self.values(out);
            self.given(out);
            self.sizes(out);
            self.regions(out);
            self.variants(out);
            out.line("return 0;");
        });
        out.line("} catch (const std::exception& error) {");
        let sycl = self.subject("SYCL");
        out.line(format!(
            "  return detail::refuse(detail::kException, {sycl}, std::string(\"says: \") + error.what());"
        ));
        out.line("} catch (...) {");
        out.line(format!(
            "  return detail::refuse(detail::kException, {sycl}, \"failed without saying why\");"
        ));
        out.line("}");
    }

    /// Refuses values that there is no variant for.
    fn values(&self, out: &mut Writer) {
        let emission = self.emission;
        for (id, ty, values) in emission.kernel.specialized() {
            let subject = self.subject(&emission.kernel.params[id].name);
            let spelled = &emission.spelling.params[id];
            let texts: Vec<String> = values.iter().map(|value| text(*value, ty)).collect();
            let known: Vec<String> = values.iter().map(|value| named(*value, ty)).collect();
            let known = known.join(", ");
            match (ty, values) {
                (Scalar::Bool, [value]) => {
                    let (other, not) = if *value == 0 { ("true", "") } else { ("false", "!") };
                    out.block(format!("if ({not}{spelled})"), |out| {
                        out.line(format!("return detail::refuse(detail::kValue, {subject}, \"is {other}; it may be {known}\");"));
                    });
                }
                (Scalar::Bool, _) => {}
                _ => {
                    let others: Vec<String> =
                        texts.iter().map(|text| format!("{spelled} != {text}")).collect();
                    out.chain("if (", &others, " && ", ") {");
                    out.indented(|out| out.line(format!("return detail::refuse(detail::kValue, {subject}, \"is \" + std::to_string({spelled}) + \"; it may be {known}\");")));
                    out.line("}");
                }
            }
        }
    }

    /// Which optional buffers there are.
    fn given(&self, out: &mut Writer) {
        let spelling = &self.emission.spelling;
        for (id, _) in self
            .emission
            .kernel
            .buffers()
            .filter(|(_, buffer)| buffer.optional)
        {
            let (given, pointer) = (&spelling.given[id], &spelling.params[id]);
            out.line(format!("const bool {given} = {pointer} != nullptr;"));
        }
    }

    fn sizes(&self, out: &mut Writer) {
        let emission = self.emission;
        for id in emission.kernel.sizes() {
            let (name, spelled) = (&emission.kernel.params[id].name, &emission.spelling.params[id]);
            let subject = self.subject(name);
            out.line(format!(
                "if ({spelled} < 0) return detail::refuse_size({subject}, {spelled});"
            ));
        }
        let printer = self.printer();
        self.host(out, &emission.kernel.host, &printer);
        let zero: Vec<String> = emission
            .kernel
            .grid
            .axes()
            .into_iter()
            .map(|(_, extent)| {
                let none = match extent.kind {
                    // A parameter that counts was refused above if it is negative.
                    ExprKind::Param(_) => "== 0",
                    _ => "<= 0",
                };
                format!("{} {none}", printer.operand(extent, Level::Add))
            })
            .collect();
        out.line(format!("if ({}) return 0;", zero.join(" || ")));
    }

    fn host(&self, out: &mut Writer, block: &[Stmt], printer: &Printer<'_>) {
        let locals = &self.emission.kernel.locals;
        for stmt in block {
            match &stmt.kind {
                StmtKind::Assert(cond, Assertion { condition, reason }) => {
                    let reason = reason.as_ref().map(|reason| format!(": {reason}"));
                    let subject =
                        super::literal::text(&format!("{}: {condition}", self.emission.kernel.name));
                    let what = super::literal::text(&format!("does not hold{}", reason.unwrap_or_default()));
                    let cond = printer.operand(cond, Level::Unary);
                    out.line(format!(
                        "if (!{cond}) return detail::refuse(detail::kSize, {subject}, {what});"
                    ));
                }
                _ => scalar_stmt(out, stmt, locals, printer, &mut |out, inner| {
                    self.host(out, inner, printer);
                }),
            }
        }
    }

    /// One region per buffer, its checks, and the overlaps of what is written with everything else.
    fn regions(&self, out: &mut Writer) {
        let emission = self.emission;
        let kernel = emission.kernel;
        let Inner { regions, code, .. } = &emission.inner;
        for (id, buffer) in kernel.buffers() {
            out.line(format!(
                "const detail::Region {}{{{}}};",
                regions[id],
                self.region(id, buffer)
            ));
        }
        let may_be_empty = |id: &ParamId| {
            !kernel
                .buffer(*id)
                .shape
                .iter()
                .all(|dim| is_constant(&dim.extent))
        };
        let accessed = check::certainly_accessed(kernel);
        let empty: Vec<String> = accessed
            .into_iter()
            .filter(may_be_empty)
            .map(|id| format!("{}.empty()", regions[id]))
            .collect();
        if !empty.is_empty() {
            out.chain("if (", &empty, " || ", ") return 0;");
        }
        for (id, _) in kernel.buffers() {
            let subject = self.subject(&kernel.params[id].name);
            out.line(format!(
                "if (const int32_t {code} = detail::check({subject}, {})) return {code};",
                regions[id]
            ));
        }
        for (id, buffer) in kernel.buffers().filter(|(_, b)| b.mutable) {
            let subject = self.subject(&kernel.params[id].name);
            if buffer.shape.iter().any(|dim| dim.stride.is_some()) {
                emission.helpers.uses(Helper::DistinctRows);
                out.block(format!("if (!detail::distinct_rows({}))", regions[id]), |out| {
                    out.line(format!("return detail::refuse(detail::kOverlap, {subject}, \"has rows that overlap: its stride is less than a row\");"));
                });
            }
            for (other, other_buffer) in kernel.buffers().filter(|(other, _)| *other != id) {
                // Of two written buffers the later one checks.
                if other_buffer.mutable && other < id {
                    continue;
                }
                self.overlap(out, id, other, buffer.aliases.contains(&other));
            }
        }
    }

    fn overlap(&self, out: &mut Writer, id: ParamId, other: ParamId, alias: bool) {
        let emission = self.emission;
        emission.helpers.uses(Helper::Overlap);
        let spelled = |id: ParamId| &emission.spelling.params[id];
        let (a, b) = (&emission.inner.regions[id], &emission.inner.regions[other]);
        let same = if alias {
            format!(
                "!({} == {} && {a}.same_layout({b})) && ",
                spelled(id),
                spelled(other)
            )
        } else {
            String::new()
        };
        let subject = self.subject(&emission.kernel.params[id].name);
        let object = &emission.kernel.params[other].name;
        let but = if alias {
            ", but is not the same buffer with the same strides"
        } else {
            ""
        };
        out.block(format!("if ({same}detail::overlap({a}, {b}))"), |out| {
            out.line(format!(
                "return detail::refuse(detail::kOverlap, {subject}, \"overlaps {object}{but}\");"
            ));
        });
    }

    /// The members of a buffer's region.
    fn region(&self, id: ParamId, buffer: &Buffer) -> String {
        let emission = self.emission;
        let printer = self.printer();
        let layout = Layout::of(&buffer.shape);
        let pointer = &emission.spelling.params[id];
        let (element, _) = printer.element(&buffer.element);
        let product = |dims: &[&Dim]| {
            let parts: Vec<String> = dims.iter().map(|d| self.extent(&d.extent, Level::Mul)).collect();
            parts.join(" * ")
        };
        let mut extents = ["1".to_owned(), "1".to_owned()];
        let mut strides = ["0".to_owned(), "0".to_owned()];
        for (at, (dim, inner)) in layout.outer.iter().enumerate() {
            extents[at] = self.extent(&dim.extent, Level::Ternary);
            strides[at] = match &dim.stride {
                Some(stride) => printer.value(stride),
                None => inner
                    .iter()
                    .map(|e| self.extent(e, Level::Mul))
                    .collect::<Vec<_>>()
                    .join(" * "),
            };
        }
        let width = match &*emission.spelling.given[id] {
            "" => product(&layout.run),
            given => format!("{given} ? {} : 0", product(&layout.run)),
        };
        format!(
            "{pointer}, sizeof({element}), {{{}}}, {{{}}}, {width}",
            extents.join(", "),
            strides.join(", "),
        )
    }

    /// An extent of a region: what the drop-in does not tell counts as one.
    fn extent(&self, e: &Expr, level: Level) -> String {
        let untold = self.emission.kernel.unbounded();
        let told: Vec<String> = params_of(e)
            .iter()
            .filter(|id| untold.contains_key(id))
            .map(|id| format!("detail::is_told({})", self.emission.spelling.params[*id]))
            .collect();
        let printer = self.printer();
        if told.is_empty() {
            return printer.operand(e, level);
        }
        self.emission.helpers.uses(Helper::IsTold);
        let text = format!("{} ? {} : 1", told.join(" && "), printer.operand(e, Level::Or));
        if level > Level::Ternary {
            format!("({text})")
        } else {
            text
        }
    }

    /// The vector variant where pointers and strides are aligned, else one element at a time.
    fn variants(&self, out: &mut Writer) {
        let emission = self.emission;
        let Inner {
            queue, queue_pointer, ..
        } = &emission.inner;
        out.line(format!(
            "auto& {queue} = *static_cast<::sycl::queue*>({queue_pointer});"
        ));
        if wants_sub_group(emission) {
            let size = emission.schedule.sub_group;
            let subject = self.subject("device");
            out.block(format!("if (!detail::has_sub_group({queue}.get_device(), {size}))"), |out| {
                out.line(format!("return detail::refuse(detail::kDevice, {subject}, \"has no sub-groups of {size} work-items\");"));
            });
        }
        let submit = |decided: &[String], width: &str| {
            let mut args = vec![queue.clone()];
            args.extend(emission.members().into_iter().map(|(_, name)| name));
            format!(
                "{}_submit{}({});",
                emission.head.spelled,
                emission.variant_args(decided, width),
                args.join(", ")
            )
        };
        let Some(width) = emission.schedule.width else {
            return decide(out, &emission.decisions, &[], &|out, decided| {
                out.line(submit(decided, ""));
            });
        };
        let name = &emission.inner.width;
        out.line(format!("constexpr int {name} = {};", self.width(width)));
        let aligned: Vec<String> = emission
            .schedule
            .vectors
            .bases
            .iter()
            .map(|id| format!("detail::aligned<{name}>({})", emission.spelling.params[*id]))
            .chain(emission.schedule.vectors.divisible.iter().map(|number| {
                let number = self
                    .printer()
                    .operand(&number.written(emission.kernel), Level::Unary);
                format!("{number} % {name} == 0")
            }))
            .collect();
        let vectors = |out: &mut Writer, decided: &[String]| {
            out.chain("if (", &aligned, " && ", ") {");
            out.indented(|out| out.line(submit(decided, name)));
            out.line("} else {");
            out.indented(|out| out.line(submit(decided, "1")));
            out.line("}");
        };
        if emission.decisions.is_empty() {
            return vectors(out, &[]);
        }
        let function = &emission.inner.submit;
        let (params, decided): (Vec<String>, Vec<String>) = emission
            .decisions
            .iter()
            .map(|decision| (format!("auto {}", decision.constant), decision.constant.clone()))
            .unzip();
        out.block(
            format!("const auto {function} = [&]({})", params.join(", ")),
            |out| {
                vectors(out, &decided);
            },
        );
        out.end_block(";");
        decide(out, &emission.decisions, &[], &|out, decided| {
            let constant = |(decision, value): (&Decision, &String)| match decision.ty {
                Scalar::Bool => format!("std::{value}_type()"),
                ty => format!("std::integral_constant<{}, {value}>()", ty.cpp()),
            };
            let args: Vec<String> = emission.decisions.iter().zip(decided).map(constant).collect();
            out.call(function, &args, ";");
        });
    }

    /// As wide as the widest element allows, and such that constant rows come out even.
    fn width(&self, width: Width) -> String {
        let emission = self.emission;
        let most = match width {
            Width::Fixed(elements) => elements.to_string(),
            Width::Bytes(bytes) => {
                let elements = emission.schedule.vectors.bases.iter().map(|id| {
                    match &emission.kernel.params[*id].kind {
                        ParamKind::Buffer(buffer) => self.printer().element(&buffer.element).0,
                        ParamKind::Scalar(_) => unreachable!("vectors lie in buffers"),
                    }
                });
                let mut distinct: Vec<String> = Vec::new();
                for element in elements {
                    if !distinct.contains(&element) {
                        distinct.push(element);
                    }
                }
                let sizes: Vec<String> = distinct.iter().map(|e| format!("sizeof({e})")).collect();
                match sizes.as_slice() {
                    [size] => format!("{bytes} / {size}"),
                    many => format!("{bytes} / std::max({{{}}})", many.join(", ")),
                }
            }
        };
        let printer = self.printer();
        let rows = extents(emission.kernel).into_iter().filter(|e| is_constant(e));
        rows.fold(most, |most, row| {
            emission.helpers.uses(Helper::VectorWidth);
            format!("detail::vector_width({most}, {})", printer.value(row))
        })
    }
}

/// Parameters that the launcher looks at, in the order of the signature.
pub(super) fn used_params(emission: &Emission<'_>) -> Vec<ParamId> {
    let mut used = emission.usage.params.clone();
    used.extend(emission.kernel.buffers().map(|(id, _)| id));
    used.extend(emission.kernel.sizes());
    used.extend(emission.kernel.specialized().map(|(id, ..)| id));
    walk(&emission.kernel.host, &mut |stmt| {
        stmt.exprs(&mut |e| used.extend(params_of(e)));
    });
    used.into_iter().collect()
}

/// A shape as strided dimensions around a contiguous run.
struct Layout<'a> {
    /// Strided dimensions with the extents inside each.
    outer: Vec<(&'a Dim, Vec<&'a Expr>)>,
    run: Vec<&'a Dim>,
}

impl<'a> Layout<'a> {
    fn of(shape: &'a [Dim]) -> Layout<'a> {
        let first_run = shape
            .iter()
            .rposition(|dim| dim.stride.is_some())
            .map_or(0, |at| at + 1);
        let outer = shape[..first_run].iter().enumerate().map(|(at, dim)| {
            let next = &shape[at + 1];
            // Without a stride of its own a dimension steps over the next one whole.
            let step = [Some(&next.extent), next.stride.as_ref()]
                .into_iter()
                .flatten()
                .collect();
            (dim, step)
        });
        Layout {
            outer: outer.collect(),
            run: shape[first_run..].iter().collect(),
        }
    }
}
