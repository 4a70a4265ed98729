//! XML documents with includes expanded, stored in one arena.
//!
//! Nothing recurses over the depth of the document; only nested includes recurse, up to a bound.

use crate::error::ReadError;
use crate::source::{Source, dir_name, join};
use std::collections::BTreeSet;

/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 5_000;
/// Maximum number of elements.
const MAX_ELEMENTS: usize = 4_000_000;
/// Maximum nesting depth of includes.
const MAX_INCLUDES: usize = 100;

/// All elements of a model. Element 0 is the root.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    files: Vec<String>,
}

#[derive(Debug)]
struct Node {
    tag: String,
    attributes: Vec<(String, String)>,
    /// Text content before the first child.
    content: String,
    parent: usize,
    children: Vec<usize>,
    file: usize,
    line: u32,
}

/// One element of a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Element<'t> {
    tree: &'t Tree,
    id: usize,
}

impl Tree {
    /// Parses `text`, the contents of the main file `name`, and all included files.
    pub fn load(source: &Source, name: &str, text: &str) -> Result<Self, ReadError> {
        let mut loader = Loader { source, tree: Tree::default(), included: BTreeSet::new() };
        loader.included.insert(join("", name));
        loader.file(name, text, None, 0)?;
        Ok(loader.tree)
    }

    pub fn root(&self) -> Element<'_> {
        Element { tree: self, id: 0 }
    }

    pub fn element(&self, id: usize) -> Element<'_> {
        Element { tree: self, id }
    }

    /// All elements, in the order of the document.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        (0..self.nodes.len()).map(|id| self.element(id))
    }
}

impl<'t> Element<'t> {
    pub fn id(self) -> usize {
        self.id
    }

    fn node(self) -> &'t Node {
        &self.tree.nodes[self.id]
    }

    pub fn tag(self) -> &'t str {
        &self.node().tag
    }

    pub fn parent(self) -> Option<Element<'t>> {
        (self.id > 0).then(|| Element { tree: self.tree, id: self.node().parent })
    }

    pub fn children(self) -> impl Iterator<Item = Element<'t>> {
        self.node().children.iter().map(move |&id| Element { tree: self.tree, id })
    }

    /// The child at this position.
    pub fn child(self, position: usize) -> Option<Element<'t>> {
        self.node().children.get(position).map(|&id| Element { tree: self.tree, id })
    }

    /// Children with this tag.
    pub fn all(self, tag: &'t str) -> impl Iterator<Item = Element<'t>> {
        self.children().filter(move |e| e.tag() == tag)
    }

    pub fn attributes(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.node().attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Value of an attribute; an empty one counts as absent.
    pub fn text(self, name: &str) -> Option<&'t str> {
        self.attributes().find(|(n, v)| *n == name && !v.is_empty()).map(|(_, v)| v)
    }

    /// Trimmed text content of the element before its first child.
    pub fn content(self) -> &'t str {
        &self.node().content
    }

    pub fn file(self) -> &'t str {
        &self.tree.files[self.node().file]
    }

    /// `file.xml:12`, or `line 12` for text without a file.
    pub fn place(self) -> String {
        if self.file().is_empty() {
            format!("line {}", self.node().line)
        } else {
            format!("{}:{}", self.file(), self.node().line)
        }
    }

    /// Creates an error about this element.
    pub fn error(self, message: impl Into<String>) -> ReadError {
        let element = match self.text("name") {
            Some(name) => format!("{} {name:?}", self.tag()),
            None => self.tag().to_owned(),
        };
        ReadError {
            file: self.file().to_owned(),
            line: self.node().line,
            element,
            attribute: String::new(),
            message: message.into(),
        }
    }

    /// Creates an error about an attribute of this element.
    pub fn attribute_error(self, attribute: &str, message: impl Into<String>) -> ReadError {
        ReadError { attribute: attribute.to_owned(), ..self.error(message) }
    }
}

struct Loader<'a, 's> {
    source: &'a Source<'s>,
    tree: Tree,
    included: BTreeSet<String>,
}

impl Loader<'_, '_> {
    /// Adds a file: as the root, or its root's children in place of an include element of `parent`.
    fn file(&mut self, name: &str, text: &str, parent: Option<(usize, usize)>, level: usize) -> Result<(), ReadError> {
        let options = roxmltree::ParsingOptions {
            allow_dtd: false,
            nodes_limit: 3 * MAX_ELEMENTS as u32,
            ..roxmltree::ParsingOptions::default()
        };
        check_depth(name, text)?;
        let document =
            roxmltree::Document::parse_with_options(text, options).map_err(|e| ReadError::syntax(name, &e))?;
        let lines = line_starts(text);
        let file = self.tree.files.len();
        self.tree.files.push(name.to_owned());
        let root = document.root_element();
        // What is still to be copied: node, parent in the arena, depth. Last in, first out.
        let mut stack = Vec::new();
        match parent {
            None => stack.push((root, 0, 0)),
            Some((parent, depth)) => {
                let children: Vec<_> = root.children().filter(|n| n.is_element()).collect();
                if children.is_empty() {
                    return Err(ReadError::file(
                        name,
                        "an included file must hold at least one element below its root",
                    ));
                }
                stack.extend(children.into_iter().rev().map(|n| (n, parent, depth)));
            }
        }
        while let Some((node, parent, depth)) = stack.pop() {
            let line = lines.partition_point(|&start| start <= node.range().start) as u32;
            let id = self.push(node, parent, file, line)?;
            if depth > MAX_DEPTH {
                return Err(self.tree.element(id).error(format!("elements are nested deeper than {MAX_DEPTH}")));
            }
            // The include of SDF is another one.
            if node.tag_name().name() == "include" && depth > 0 && root.tag_name().name() != "sdf" {
                self.include(id, parent, depth, level)?;
                continue;
            }
            if id != 0 {
                self.tree.nodes[parent].children.push(id);
            }
            let children: Vec<_> = node.children().filter(|n| n.is_element()).collect();
            stack.extend(children.into_iter().rev().map(|n| (n, id, depth + 1)));
        }
        Ok(())
    }

    fn push(&mut self, node: roxmltree::Node, parent: usize, file: usize, line: u32) -> Result<usize, ReadError> {
        let id = self.tree.nodes.len();
        let attributes = node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
        let tag = node.tag_name().name().to_owned();
        let content = node.text().unwrap_or_default().trim().to_owned();
        self.tree.nodes.push(Node { tag, attributes, content, parent, children: Vec::new(), file, line });
        if id >= MAX_ELEMENTS {
            return Err(self.tree.element(id).error(format!("the model has more than {MAX_ELEMENTS} elements")));
        }
        Ok(id)
    }

    fn include(&mut self, id: usize, parent: usize, depth: usize, level: usize) -> Result<(), ReadError> {
        let element = self.tree.element(id);
        let Some(name) = element.text("file") else {
            return Err(element.attribute_error("file", "required: the file to include"));
        };
        if let Some((other, _)) = element.attributes().find(|(n, _)| *n != "file") {
            return Err(element.attribute_error(other, "unknown attribute; include takes only: file"));
        }
        // Relative to the main file; failing that, to the file that includes.
        let near = join(dir_name(element.file()), name);
        let path = if self.source.has(name) || !self.source.has(&near) { name.to_owned() } else { near };
        if !self.included.insert(join("", &path)) {
            return Err(element.attribute_error("file", format!("file {path:?} is already included")));
        }
        if level >= MAX_INCLUDES {
            return Err(element.error(format!("includes are nested deeper than {MAX_INCLUDES}")));
        }
        let text = self.source.read_text(&path).map_err(|e| element.attribute_error("file", e))?;
        self.file(&path, &text, Some((parent, depth)), level + 1)
    }
}

/// Byte offsets at which lines start.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1)).collect()
}

/// Checks the nesting depth before parsing, by a cheap scan that skips comments, CDATA and
/// instructions.
fn check_depth(file: &str, text: &str) -> Result<(), ReadError> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while let Some(open) = bytes[at..].iter().position(|b| *b == b'<').map(|i| at + i) {
        let rest = &text[open..];
        let (end, step) = if rest.starts_with("<!--") {
            (rest.find("-->"), 0)
        } else if rest.starts_with("<![CDATA[") {
            (rest.find("]]>"), 0)
        } else if rest.starts_with("<?") {
            (rest.find("?>"), 0)
        } else {
            let end = tag_end(rest.as_bytes());
            let empty = end.is_some_and(|e| e > 0 && rest.as_bytes()[e - 1] == b'/');
            (
                end,
                if rest.starts_with("</") {
                    -1
                } else if empty {
                    0
                } else {
                    1
                },
            )
        };
        let Some(end) = end else { return Ok(()) };
        depth = depth.saturating_add_signed(step);
        if depth > MAX_DEPTH + 1 {
            let line = 1 + bytes[..open].iter().filter(|b| **b == b'\n').count() as u32;
            let message = format!("elements are nested deeper than {MAX_DEPTH}");
            return Err(ReadError { line, ..ReadError::file(file, message) });
        }
        at = open + end + 1;
    }
    Ok(())
}

/// Position of the `>` that closes a tag, ignoring quoted text.
fn tag_end(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (i, &b) in tag.iter().enumerate() {
        match (quote, b) {
            (None, b'>') => return Some(i),
            (None, b'"' | b'\'') => quote = Some(b),
            (Some(q), b) if q == b => quote = None,
            _ => {}
        }
    }
    None
}
