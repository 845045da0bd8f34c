//! The launcher: refusals, then submission of the variant that fits.

use super::decision::{Named, decide, named, text};
use super::helper::Helper;
use super::printer::{Level, Printer};
use super::writer::Writer;
use super::{Emission, Inner};
use crate::ir::{Element, ParamId, Scalar};
use crate::program::{
    Condition, Dealing, Expr, Extent, Grid, Most, ParamKind, Region, Step, Variant, Width, WorkGroup,
};

/// `NAME_submit`, which chooses the grid, and `NAME_launch`, which refuses or submits.
pub(super) fn launcher(emission: &Emission<'_>) -> String {
    let launcher = Launcher { emission };
    let mut out = Writer::at(0);
    launcher.submit(&mut out);
    out.line("");
    launcher.launch(&mut out);
    out.finish()
}

/// The largest of what work-items of a row share.
pub(super) fn shared(emission: &Emission<'_>) -> String {
    let printer = emission.printer();
    let shared = &emission.program.launch.grid.shared;
    let all: Vec<String> = shared.iter().map(|e| printer.value(e)).collect();
    match all.as_slice() {
        [] => "1".to_owned(),
        [one] => one.clone(),
        many => format!("std::max<int64_t>({{{}}})", many.join(", ")),
    }
}

struct Launcher<'a> {
    emission: &'a Emission<'a>,
}

impl Launcher<'_> {
    fn printer(&self) -> Printer<'_> {
        self.emission.printer()
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
        let mut params = vec![
            format!("::sycl::queue& {}", emission.inner.queue),
            format!("const detail::Device& {}", emission.inner.device),
        ];
        params.extend(emission.members().iter().map(|(ty, name)| format!("{ty} {name}")));
        let inline = if template.is_empty() { "inline " } else { "" };
        out.call(
            &format!("{inline}void {}_submit", emission.head.spelled),
            &params,
            " {",
        );
        out.indented(|out| {
            let grid = &emission.program.launch.grid;
            let Inner { queue, shape, .. } = &emission.inner;
            let decided: Vec<String> = emission.decisions.iter().map(|d| d.name.clone()).collect();
            let args = emission.variant_args(&decided, &emission.spelling.width);
            let class = format!("{}{args}", emission.head.class);
            out.choices(
                &format!("const detail::Shape {shape} = "),
                &self.shape(grid, &class),
                ";",
            );
            let range = match grid.rows {
                Some(_) => "rows_and_lanes",
                None => "lanes_alone",
            };
            let mut members: Vec<String> = emission.members().into_iter().map(|(_, name)| name).collect();
            members.extend(grid.chunk.map(|_| match emission.program.launch.width {
                Some(_) => format!("{shape}.chunk * {}", emission.spelling.width),
                None => format!("{shape}.chunk"),
            }));
            out.call(
                "detail::submit",
                &[
                    queue.clone(),
                    format!("{shape}.{range}()"),
                    format!("{class}{{{}}}", members.join(", ")),
                ],
                ";",
            );
        });
        out.line("}");
    }

    /// How rows are dealt to work-groups of the device: one choice, or the condition and both.
    fn shape(&self, grid: &Grid, class: &str) -> Vec<String> {
        let device = &self.emission.inner.device;
        let (helper, dealing) = match grid.dealing {
            Dealing::Together => (Helper::Together, "together"),
            Dealing::Apart => (Helper::Apart, "apart"),
            Dealing::Split => (Helper::Split, "split"),
        };
        self.emission.helpers.uses(helper);
        let rows = match &grid.rows {
            Some(factors) => self.printer().product(factors),
            None => "1".to_owned(),
        };
        let shared = shared(self.emission);
        let WorkGroup { cpu, gpu } = grid.work_group;
        let most = match cpu == gpu {
            true => gpu.to_string(),
            false => format!("{device}.is_cpu() ? {cpu} : {gpu}"),
        };
        let sub_group = match grid.dealing {
            Dealing::Together => format!(", {}", grid.sub_group),
            Dealing::Apart | Dealing::Split => String::new(),
        };
        let shape = format!("{device}.{dealing}({rows}, {shared}, {most}{sub_group})");
        match grid.short_row {
            None => vec![shape],
            Some(_) => vec![
                format!("{class}::{}", self.emission.inner.short_rows),
                format!("? {device}.by_sub_group({rows}{sub_group})"),
                format!(": {shape}"),
            ],
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
        let used = &emission.program.launch.params;
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
            for step in &emission.program.launch.steps {
                self.step(out, step);
            }
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

    fn step(&self, out: &mut Writer, step: &Step) {
        let emission = self.emission;
        let Inner {
            regions,
            code,
            queue,
            queue_pointer,
            device,
            ..
        } = &emission.inner;
        let spelling = &emission.spelling;
        let subject = |id: ParamId| self.subject(&emission.program.params[id].name);
        match step {
            Step::NullQueue => out.line(format!(
                "if ({queue_pointer} == nullptr) return detail::refuse(detail::kNull, {}, \"is null\");",
                self.subject("queue")
            )),
            Step::Values(id, ty, values) => self.values(out, *id, *ty, values),
            Step::NegativeConst(id) => {
                let (name, spelled) = (&emission.program.consts[*id].name, &spelling.consts[*id]);
                let subject = self.subject(&format!("{name} is negative"));
                out.line(format!("static_assert({spelled} >= 0, {subject});"));
            }
            Step::Given(id) => {
                let (given, pointer) = (&spelling.given[*id], &spelling.params[*id]);
                out.line(format!("const bool {given} = {pointer} != nullptr;"));
            }
            Step::Negative(id) => {
                let spelled = &spelling.params[*id];
                out.line(format!(
                    "if ({spelled} < 0) return detail::refuse_size({}, {spelled});",
                    subject(*id)
                ));
            }
            Step::Host(stmt) => self.emission.body().stmt(out, stmt),
            Step::NoGroups(axes) => {
                let none = |(extent, negative): &(Expr, bool)| {
                    let none = if *negative { "<=" } else { "==" };
                    format!("{} {none} 0", self.printer().operand(extent, Level::Add))
                };
                let none: Vec<String> = axes.iter().map(none).collect();
                out.line(format!("if ({}) return 0;", none.join(" || ")));
            }
            Step::TooManyGroups(a, b) => {
                let (a, b) = (
                    self.printer().operand(a, Level::Add),
                    self.printer().operand(b, Level::Unary),
                );
                out.line(format!(
                    "if ({a} > INT64_MAX / {b}) return detail::refuse(detail::kSize, {}, \"has more groups than can be counted\");",
                    self.subject("grid")
                ));
            }
            Step::Region(region) => out.line(format!(
                "const detail::Region {}{{{}}};",
                regions[region.buffer],
                self.region(region)
            )),
            Step::NoElements(buffers) => {
                let empty: Vec<String> = buffers
                    .iter()
                    .map(|id| format!("{}.empty()", regions[*id]))
                    .collect();
                out.chain("if (", &empty, " || ", ") return 0;");
            }
            Step::Unusable(id) => out.line(format!(
                "if (const int32_t {code} = detail::check({}, {})) return {code};",
                subject(*id),
                regions[*id]
            )),
            Step::RowsOverlap(id) => {
                emission.helpers.uses(Helper::DistinctRows);
                out.block(format!("if (!detail::distinct_rows({}))", regions[*id]), |out| {
                    out.line(format!("return detail::refuse(detail::kOverlap, {}, \"has rows that overlap: its stride is less than a row\");", subject(*id)));
                });
            }
            Step::Overlap { buffer, other, alias } => self.overlap(out, *buffer, *other, *alias),
            Step::Queue => {
                let subject = self.subject("device");
                out.line(format!(
                    "if (detail::forked()) return detail::refuse_forked({subject});"
                ));
                out.line(format!(
                    "auto& {queue} = *static_cast<::sycl::queue*>({queue_pointer});"
                ));
                out.line(format!(
                    "const detail::Device& {device} = detail::device_of({queue});"
                ));
            }
            Step::SubGroup(size) => {
                let subject = self.subject("device");
                out.block(format!("if (!{device}.has_sub_group({size}))"), |out| {
                    out.line(format!("return detail::refuse(detail::kDevice, {subject}, \"has no sub-groups of {size} work-items\");"));
                });
            }
        }
    }

    /// Refuses values that there is no variant for.
    fn values(&self, out: &mut Writer, id: ParamId, ty: Scalar, values: &[i64]) {
        let subject = self.subject(&self.emission.program.params[id].name);
        let spelled = &self.emission.spelling.params[id];
        let texts: Vec<String> = values.iter().map(|value| text(*value, ty)).collect();
        let known: Vec<String> = values.iter().map(|value| named(*value, ty)).collect();
        let known = known.join(", ");
        match (ty, values) {
            (Scalar::Bool, [value]) => {
                let (other, not) = if *value == 0 { ("true", "") } else { ("false", "!") };
                out.block(format!("if ({not}{spelled})"), |out| {
                    out.line(format!(
                        "return detail::refuse(detail::kValue, {subject}, \"is {other}; it may be {known}\");"
                    ));
                });
            }
            (Scalar::Bool, _) => {}
            _ => {
                let others: Vec<String> = texts.iter().map(|text| format!("{spelled} != {text}")).collect();
                out.chain("if (", &others, " && ", ") {");
                out.indented(|out| out.line(format!("return detail::refuse(detail::kValue, {subject}, \"is \" + std::to_string({spelled}) + \"; it may be {known}\");")));
                out.line("}");
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
        let subject = self.subject(&emission.program.params[id].name);
        let object = &emission.program.params[other].name;
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
    fn region(&self, region: &Region) -> String {
        let spelling = &self.emission.spelling;
        let pointer = &spelling.params[region.buffer];
        let element = match &self.emission.program.params[region.buffer].kind {
            ParamKind::Buffer { element, .. } => spelling.element(element),
            ParamKind::Scalar(_) => unreachable!("regions are those of buffers"),
        };
        let mut extents = ["1".to_owned(), "1".to_owned()];
        let mut strides = ["0".to_owned(), "0".to_owned()];
        for (at, dim) in region.dims.iter().enumerate() {
            extents[at] = self.extent(&dim.extent, Level::Ternary);
            strides[at] = self.extents(&dim.stride);
        }
        let width = match &*spelling.given[region.buffer] {
            "" => self.extents(&region.run),
            given => format!("{given} ? {} : 0", self.extents(&region.run)),
        };
        format!(
            "{pointer}, sizeof({element}), {{{}}}, {{{}}}, {width}",
            extents.join(", "),
            strides.join(", "),
        )
    }

    fn extents(&self, factors: &[Extent]) -> String {
        if let [one] = factors {
            return self.extent(one, Level::Ternary);
        }
        if factors.iter().all(|factor| factor.untold.is_empty()) {
            return self.printer().product(factors.iter().map(|factor| &factor.value));
        }
        let parts: Vec<String> = factors.iter().map(|e| self.extent(e, Level::Unary)).collect();
        parts.join(" * ")
    }

    /// An extent of a region: what the drop-in does not tell counts as one.
    fn extent(&self, extent: &Extent, level: Level) -> String {
        let told: Vec<String> = extent
            .untold
            .iter()
            .map(|id| format!("detail::is_told({})", self.emission.spelling.params[*id]))
            .collect();
        let printer = self.printer();
        if told.is_empty() {
            return match level {
                Level::Ternary => printer.value(&extent.value),
                level => printer.term(&extent.value, level),
            };
        }
        self.emission.helpers.uses(Helper::IsTold);
        let text = format!(
            "{} ? {} : 1",
            told.join(" && "),
            printer.operand(&extent.value, Level::Or)
        );
        if level > Level::Ternary {
            format!("({text})")
        } else {
            text
        }
    }

    /// Submits the first variant whose conditions hold.
    fn variants(&self, out: &mut Writer) {
        let emission = self.emission;
        let Inner { queue, device, .. } = &emission.inner;
        let launch = &emission.program.launch;
        let submit = |decided: &[String], width: &str| {
            let mut args = vec![queue.clone(), device.clone()];
            args.extend(emission.members().into_iter().map(|(_, name)| name));
            format!(
                "{}_submit{}({});",
                emission.head.spelled,
                emission.variant_args(decided, width),
                args.join(", ")
            )
        };
        let name = &emission.spelling.width;
        let width = |variant: &Variant| if variant.vectors { name.as_str() } else { "1" };
        if let [only] = &launch.variants[..] {
            return decide(out, &emission.decisions, &[], &|out, decided| {
                out.line(submit(decided, width(only)));
            });
        }
        if let Some(width) = &launch.width {
            out.line(format!("constexpr int {name} = {};", self.width(width)));
        }
        let vectors = |out: &mut Writer, decided: &[String]| {
            let (last, others) = launch.variants.split_last().expect("there is a variant");
            let mut head = "if (";
            for variant in others {
                out.chain(head, &self.conditions(&variant.conditions), " && ", ") {");
                out.indented(|out| out.line(submit(decided, width(variant))));
                head = "} else if (";
            }
            out.line("} else {");
            out.indented(|out| out.line(submit(decided, width(last))));
            out.line("}");
        };
        if emission.decisions.is_empty() {
            return vectors(out, &[]);
        }
        let function = &emission.inner.submit;
        let (params, decided): (Vec<String>, Vec<String>) = emission
            .decisions
            .iter()
            .map(|named| (format!("auto {}", named.constant), named.constant.clone()))
            .unzip();
        out.block(
            format!("const auto {function} = [&]({})", params.join(", ")),
            |out| {
                vectors(out, &decided);
            },
        );
        out.end_block(";");
        decide(out, &emission.decisions, &[], &|out, decided| {
            let constant = |(named, value): (&Named, &String)| match named.decision.ty {
                Scalar::Bool => format!("std::{value}_type()"),
                ty => format!("std::integral_constant<{}, {value}>()", ty.cpp()),
            };
            let args: Vec<String> = emission.decisions.iter().zip(decided).map(constant).collect();
            out.call(function, &args, ";");
        });
    }

    fn conditions(&self, conditions: &[Condition]) -> Vec<String> {
        let width = &self.emission.spelling.width;
        let condition = |condition: &Condition| match condition {
            Condition::NoCpu => format!("!{}.is_cpu()", self.emission.inner.device),
            Condition::Aligned(id) => {
                format!("detail::aligned<{width}>({})", self.emission.spelling.params[*id])
            }
            Condition::Multiple(number) => {
                format!("{} % {width} == 0", self.printer().operand(number, Level::Unary))
            }
        };
        conditions.iter().map(condition).collect()
    }

    /// As wide as the widest element allows, and such that constant rows come out even.
    fn width(&self, width: &Width) -> String {
        let size = |element: &Element| format!("sizeof({})", self.emission.spelling.element(element));
        let most = match &width.most {
            Most::Elements(elements) => elements.to_string(),
            Most::Bytes(bytes, elements) => match &elements[..] {
                [element] => format!("{bytes} / {}", size(element)),
                many => {
                    let sizes: Vec<String> = many.iter().map(size).collect();
                    format!("{bytes} / std::max({{{}}})", sizes.join(", "))
                }
            },
        };
        width.rows.iter().fold(most, |most, row| {
            self.emission.helpers.uses(Helper::VectorWidth);
            format!("detail::vector_width({most}, {})", self.printer().value(row))
        })
    }
}
