//! Kernels as text that can be taken apart again.

use std::collections::BTreeSet;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// On a line of its own.
    Line(String),
    /// With a block, and perhaps an `else`.
    Block {
        head: String,
        body: Vec<Node>,
        otherwise: Vec<Node>,
    },
}

/// A kernel as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// Arguments of the attribute.
    pub(crate) attribute: Vec<String>,
    pub(crate) generics: Vec<String>,
    pub(crate) params: Vec<String>,
    /// Statements before the grid.
    pub(crate) host: Vec<Node>,
    /// The grid's head: `for row in groups(rows)`.
    pub(crate) grid: String,
    pub(crate) body: Vec<Node>,
}

impl Text {
    /// The whole kernel.
    pub(crate) fn item(&self) -> String {
        let generics = match self.generics.is_empty() {
            true => String::new(),
            false => format!("<{}>", self.generics.join(", ")),
        };
        let mut out = format!(
            "#[sycl_kernel({})]\nfn kernel{generics}({}) {{\n",
            self.attribute.join(", "),
            self.params.join(", ")
        );
        write(&self.host, 1, &mut out);
        out += &format!("    {} {{\n", self.grid);
        write(&self.body, 2, &mut out);
        out += "    }\n}\n";
        out
    }
}

impl Text {
    /// The kernel without the statements that begin on some of the lines of [`Text::item`].
    pub(crate) fn without(&self, lines: &BTreeSet<usize>) -> Text {
        // Lines are counted from 1, and the attribute and the signature stand on the first two.
        let mut line = 3;
        let host = kept(&self.host, lines, &mut line);
        line += 1;
        let body = kept(&self.body, lines, &mut line);
        Text {
            host,
            body,
            ..self.clone()
        }
    }
}

fn kept(nodes: &[Node], lines: &BTreeSet<usize>, line: &mut usize) -> Vec<Node> {
    let mut all = Vec::new();
    for node in nodes {
        let first = *line;
        *line += 1;
        let node = match node {
            Node::Line(_) => node.clone(),
            Node::Block {
                head,
                body,
                otherwise,
            } => {
                let body = kept(body, lines, line);
                *line += 1;
                let otherwise = if otherwise.is_empty() {
                    Vec::new()
                } else {
                    let otherwise = kept(otherwise, lines, line);
                    *line += 1;
                    otherwise
                };
                Node::Block {
                    head: head.clone(),
                    body,
                    otherwise,
                }
            }
        };
        let is_empty =
            matches!(&node, Node::Block { body, otherwise, .. } if body.is_empty() && otherwise.is_empty());
        if !lines.contains(&first) && !is_empty {
            all.push(node);
        }
    }
    all
}

fn write(nodes: &[Node], depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    for node in nodes {
        match node {
            Node::Line(line) => *out += &format!("{indent}{line}\n"),
            Node::Block {
                head,
                body,
                otherwise,
            } => {
                *out += &format!("{indent}{head} {{\n");
                write(body, depth + 1, out);
                if !otherwise.is_empty() {
                    *out += &format!("{indent}}} else {{\n");
                    write(otherwise, depth + 1, out);
                }
                *out += &format!("{indent}}}\n");
            }
        }
    }
}
