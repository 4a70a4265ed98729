//! Builds XML text from elements and attributes; empty and default attributes are omitted.

use saltus_math::{Quat, Vec3};
use std::fmt::{Debug, Write as _};

/// Text under construction. An element is begun by [`element`](Xml::element), takes attributes, and
/// is ended by [`leaf`](Xml::leaf), or opened for children by [`open`](Xml::open) and ended by
/// [`close`](Xml::close).
pub(super) struct Xml {
    out: String,
    depth: usize,
}

impl Xml {
    pub(super) fn new() -> Self {
        Self { out: String::new(), depth: 0 }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    fn indent(&mut self) {
        // Indentation is bounded, so that the text is not quadratic in the depth of nested bodies.
        self.out.extend(std::iter::repeat_n(' ', 2 * self.depth.min(20)));
    }

    pub(super) fn element(&mut self, tag: &str) -> &mut Self {
        self.indent();
        self.out.push('<');
        self.out.push_str(tag);
        self
    }

    pub(super) fn leaf(&mut self) {
        self.out.push_str("/>\n");
    }

    pub(super) fn open(&mut self) {
        self.out.push_str(">\n");
        self.depth += 1;
    }

    pub(super) fn close(&mut self, tag: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        _ = writeln!(self.out, "</{tag}>");
    }

    /// A section around the output of `inside`, omitted if that is empty.
    pub(super) fn section(&mut self, tag: &str, inside: impl FnOnce(&mut Self)) {
        let before = self.out.len();
        self.element(tag).open();
        let opened = self.out.len();
        inside(self);
        if self.out.len() == opened {
            self.out.truncate(before);
            self.depth = self.depth.saturating_sub(1);
        } else {
            self.close(tag);
        }
    }

    fn value(&mut self, name: &str, text: &str) -> &mut Self {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\n' | '\r' | '\t' => _ = write!(self.out, "&#{};", c as u32),
                _ => self.out.push(c),
            }
        }
        self.out.push('"');
        self
    }

    /// A string, omitted if empty.
    pub(super) fn string(&mut self, name: &str, text: &str) -> &mut Self {
        if text.is_empty() { self } else { self.value(name, text) }
    }

    pub(super) fn option(&mut self, name: &str, text: &Option<String>) -> &mut Self {
        self.string(name, text.as_deref().unwrap_or_default())
    }

    /// Numbers, omitted if there are none. Works for both precisions: each prints the digits that
    /// it needs.
    pub(super) fn numbers<T: Debug>(&mut self, name: &str, values: impl IntoIterator<Item = T>) -> &mut Self {
        let mut text = String::new();
        for v in values {
            let start = text.len();
            _ = write!(text, " {v:?}");
            if text.ends_with(".0") {
                text.truncate(text.len() - 2);
            }
            if start == 0 {
                text.remove(0);
            }
        }
        self.string(name, &text)
    }

    /// Numbers, omitted if they equal the default.
    pub(super) fn differing<T: Debug + PartialEq>(&mut self, name: &str, values: &[T], default: &[T]) -> &mut Self {
        if values == default { self } else { self.numbers(name, values) }
    }

    /// Coefficients, omitted if they equal the default, without trailing zeros, which are defaults
    /// everywhere.
    pub(super) fn leading(&mut self, name: &str, values: &[f64], default: &[f64]) -> &mut Self {
        let used = values.iter().rposition(|v| *v != 0.0).map_or(1, |last| last + 1).min(values.len());
        if values == default { self } else { self.numbers(name, &values[..used]) }
    }

    pub(super) fn real(&mut self, name: &str, value: f64, default: f64) -> &mut Self {
        self.differing(name, &[value], &[default])
    }

    pub(super) fn single(&mut self, name: &str, value: f32, default: f32) -> &mut Self {
        self.differing(name, &[value], &[default])
    }

    pub(super) fn integer(&mut self, name: &str, value: i32, default: i32) -> &mut Self {
        self.differing(name, &[value], &[default])
    }

    pub(super) fn vec3(&mut self, name: &str, value: Vec3, default: Vec3) -> &mut Self {
        self.differing(name, &value.to_array(), &default.to_array())
    }

    pub(super) fn quat(&mut self, name: &str, value: Quat) -> &mut Self {
        self.differing(name, &value.to_array(), &Quat::IDENTITY.to_array())
    }

    pub(super) fn flag(&mut self, name: &str, value: bool, default: bool) -> &mut Self {
        if value == default { self } else { self.value(name, if value { "true" } else { "false" }) }
    }

    /// Yes, no, or omitted to be inferred.
    pub(super) fn tristate(&mut self, name: &str, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.flag(name, value, !value),
            None => self,
        }
    }
}
