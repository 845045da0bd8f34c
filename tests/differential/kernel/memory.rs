//! Buffers with their shapes, and the rows of them that a group names.

use super::{Author, Buffer, Element, Place};
use crate::expr::{I64, INTEGERS, Source};

impl Author {
    fn float_type(&mut self) -> String {
        let generic = self.generics.iter().any(|g| g.starts_with("T:"));
        if generic && self.chance(75) {
            return "T".to_owned();
        }
        "f32".to_owned()
    }

    pub(super) fn buffer(
        &mut self,
        name: &'static str,
        element: Element,
        written: bool,
        widths: u32,
        shared: bool,
    ) {
        let ty = match element {
            Element::Float => self.float_type(),
            Element::Int(ty) => INTEGERS[ty].0.to_owned(),
        };
        self.buffers.push(Buffer {
            name,
            ty,
            element,
            written,
            widths,
            shared,
            stride: None,
        });
    }

    /// Elements of a buffer of integers: `i64`, `i32` or `i8`.
    pub(super) fn integers(&mut self) -> Element {
        Element::Int([I64, 1, 4][self.writer.rng.usize(0..3)])
    }

    /// How many widths rows are long.
    pub(super) fn widths(&mut self) -> u32 {
        [1, 1, 2][self.writer.rng.usize(0..3)]
    }

    fn extent(&self, widths: u32) -> String {
        match widths {
            1 => self.width.clone(),
            widths => format!("{widths} * {}", self.width),
        }
    }

    pub(super) fn shapes(&mut self, heads: bool, gather: bool, scatter: bool) {
        let aliased = {
            let (a, y) = (&self.buffers[0], &self.buffers[1]);
            a.ty == y.ty && a.widths == y.widths
        } && self.chance(30);
        for at in 0..self.buffers.len() {
            let strided = self.chance(25) && !self.buffers[at].shared && self.buffers[at].widths > 0;
            if strided && !heads {
                let stride = format!("{}_stride", self.buffers[at].name);
                self.scalars.push(format!("{stride}: i64"));
                self.buffers[at].stride = Some(stride);
            }
        }
        if aliased && self.chance(85) {
            // One buffer has one layout.
            let stride = self.buffers[0].stride.is_some();
            if self.buffers[1].stride.is_some() != stride {
                for at in 0..2 {
                    if let Some(stride) = self.buffers[at].stride.take() {
                        self.scalars.retain(|scalar| !scalar.starts_with(&stride));
                    }
                }
            }
        }
        let mut shapes = Vec::new();
        for buffer in &self.buffers {
            let outer = match (buffer.shared, heads) {
                (true, _) => String::new(),
                (false, true) => "rows, heads".to_owned(),
                (false, false) => "rows".to_owned(),
            };
            let outer = match &buffer.stride {
                Some(stride) => format!("{outer} @ {stride}"),
                None if scatter && buffer.name == "y" => "slots".to_owned(),
                None => outer,
            };
            let inner = if buffer.widths == 0 {
                String::new()
            } else {
                self.extent(buffer.widths)
            };
            let dims: Vec<String> = [outer, inner].into_iter().filter(|dim| !dim.is_empty()).collect();
            shapes.push(format!("{} = [{}]", buffer.name, dims.join(", ")));
        }
        if scatter || gather {
            let ty = self.writer.pick(&["i32", "i64"]);
            self.scalars.insert(0, format!("at: &[{ty}]"));
            shapes.push("at = [rows]".to_owned());
        }
        if scatter {
            self.scalars.push("slots: i64".to_owned());
            self.attribute.push("scatter(y by at)".to_owned());
        }
        if gather {
            self.scalars.insert(0, "table: &[f32]".to_owned());
            self.scalars.push("entries: i64".to_owned());
            shapes.push(format!("table = [entries, {}]", self.width));
        }
        self.attribute.push(format!("shapes({})", shapes.join(", ")));
        if aliased {
            self.attribute.push("alias(y = a)".to_owned());
        }
    }

    /// The offset of the group's row in a buffer.
    fn offset(&mut self, buffer: &Buffer, heads: bool) -> String {
        let width = self.extent(buffer.widths);
        let width = if buffer.widths > 1 {
            format!("({width})")
        } else {
            width
        };
        let wrong = buffer.written && self.chance(2);
        if wrong {
            return self
                .writer
                .pick(&["0", "row", "row * 3", "(row + 1) * n"])
                .replace('n', &self.width);
        }
        match (&buffer.stride, heads) {
            _ if buffer.shared => "0".to_owned(),
            (Some(stride), _) => format!("row * {stride}"),
            (None, true) if buffer.widths == 0 => "row * heads + head".to_owned(),
            (None, false) if buffer.widths == 0 => "row".to_owned(),
            (None, true) => format!("(row * heads + head) * {width}"),
            (None, false) => format!("row * {width}"),
        }
    }

    pub(super) fn places(&mut self, heads: bool, gather: bool, scatter: bool) -> Vec<Place> {
        let mut places = Vec::new();
        if gather || scatter {
            self.line("let slot = at.load(row);");
        }
        for buffer in self.buffers.clone() {
            let mut offset = self.offset(&buffer, heads);
            if scatter && buffer.name == "y" {
                let width = self.extent(buffer.widths);
                let stride = buffer.stride.clone().unwrap_or(format!("({width})"));
                offset = format!("slot * {stride}");
            }
            let place = if buffer.widths > 0 && self.chance(60) {
                let name = format!("{}_row", buffer.name);
                let (mutable, method) = if buffer.written {
                    ("mut ", "row_mut")
                } else {
                    ("", "row")
                };
                self.line(format!(
                    "let {mutable}{name} = {}.{method}({offset});",
                    buffer.name
                ));
                (name, String::new())
            } else {
                let base = match (buffer.widths, offset.as_str()) {
                    (_, "0") => String::new(),
                    (0, offset) => offset.to_owned(),
                    (_, offset) => format!("{offset} + "),
                };
                (buffer.name.to_owned(), base)
            };
            places.push(Place {
                name: place.0,
                base: place.1,
                element: buffer.element,
                written: buffer.written,
                widths: buffer.widths,
                chosen: false,
            });
        }
        if gather {
            self.line(format!("let entry = table.row(slot * {});", self.width));
            places.push(Place {
                name: "entry".to_owned(),
                base: String::new(),
                element: Element::Float,
                written: false,
                widths: 1,
                chosen: false,
            });
        }
        if scatter {
            self.writer.bind(Source::Bool {
                text: "(slot >= 0 && slot < slots)".to_owned(),
            });
        }
        places
    }
}
