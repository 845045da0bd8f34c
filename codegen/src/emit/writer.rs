//! Lines of C++ with their indentation.

/// Collects lines.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// A writer whose lines start `depth` levels in.
    pub(super) fn at(depth: usize) -> Writer {
        Writer {
            text: String::new(),
            depth,
        }
    }

    /// One line; an assignment that is too long goes on in a second one.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        match line.split_once(" = ") {
            Some((target, value)) if self.depth * 2 + line.len() > WIDTH && !target.contains('(') => {
                self.whole(&format!("{target} ="));
                self.whole(&format!("    {value}"));
            }
            _ => self.whole(line),
        }
    }

    /// One line, however long.
    pub(super) fn whole(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&"  ".repeat(self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// A preprocessor directive, which starts its line.
    pub(super) fn directive(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A directive that is Clang's alone: other compilers warn of what they do not know.
    pub(super) fn clang(&mut self, line: &str) {
        for line in ["#ifdef __clang__", line, "#endif"] {
            self.directive(line);
        }
    }

    /// `head {`, what `body` writes, and `}`.
    pub(super) fn block(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Writer)) {
        self.line(format!("{} {{", head.as_ref()));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// `tail` right behind the block just written.
    pub(super) fn end_block(&mut self, tail: &str) {
        self.text.truncate(self.text.trim_end().len());
        self.text.push_str(tail);
        self.text.push('\n');
    }

    /// What `body` writes, one level further in.
    pub(super) fn indented(&mut self, body: impl FnOnce(&mut Writer)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// `head`, the parts with `joint` between them, and `tail`; broken at the joints where that would be long.
    pub(super) fn chain(&mut self, head: &str, parts: &[String], joint: &str, tail: &str) {
        let one = format!("{head}{}{tail}", parts.join(joint));
        if self.depth * 2 + one.len() <= WIDTH {
            return self.line(one);
        }
        for (at, part) in parts.iter().enumerate() {
            let start = if at == 0 {
                head.to_owned()
            } else {
                " ".repeat(head.len())
            };
            let end = if at + 1 == parts.len() {
                tail
            } else {
                joint.trim_end()
            };
            self.line(format!("{start}{part}{end}"));
        }
    }

    /// `head`, the parts of a choice, and `tail`; with a line for each part where that would be long.
    pub(super) fn choices(&mut self, head: &str, parts: &[String], tail: &str) {
        let one = format!("{head}{}{tail}", parts.join(" "));
        let [first, rest @ .., last] = parts else {
            return self.line(one);
        };
        if self.depth * 2 + one.len() <= WIDTH {
            return self.whole(&one);
        }
        self.whole(&format!("{head}{first}"));
        for part in rest {
            self.whole(&format!("    {part}"));
        }
        self.whole(&format!("    {last}{tail}"));
    }

    /// `else head{ .. }` behind the block just written; `head` is empty or an `if (..) `.
    pub(super) fn else_block(&mut self, head: &str, body: impl FnOnce(&mut Writer)) {
        self.text.truncate(self.text.trim_end().len());
        self.text.push_str(&format!(" else {head}{{\n"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// `head(a, b)tail` on one line, or with one argument per line where that would be long.
    pub(super) fn call(&mut self, head: &str, args: &[String], tail: &str) {
        let one = format!("{head}({}){tail}", args.join(", "));
        if self.depth * 2 + one.len() <= WIDTH || args.len() < 2 {
            return self.line(one);
        }
        self.line(format!("{head}("));
        self.depth += 2;
        for (at, arg) in args.iter().enumerate() {
            let end = if at + 1 == args.len() {
                format!("){tail}")
            } else {
                ",".to_owned()
            };
            self.line(format!("{arg}{end}"));
        }
        self.depth -= 2;
    }

    /// The text, without the last line's end.
    pub(super) fn finish(self) -> String {
        self.text.trim_end().to_owned()
    }

    /// The text.
    pub(super) fn text(self) -> String {
        self.text
    }
}

/// Longest line that is not broken.
const WIDTH: usize = 110;

/// Lines as one, with a `\\` at the end of each but the last, all in one column.
pub(super) fn continued(lines: &[String]) -> String {
    let column = lines.iter().map(String::len).max().unwrap_or_default() + 1;
    let (last, rest) = lines.split_last().expect("a macro has lines");
    let mut text: String = rest.iter().map(|line| format!("{line:<column$}\\\n")).collect();
    text.push_str(last);
    text
}
