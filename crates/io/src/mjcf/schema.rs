//! Checks a document against the table of elements and attributes.

use super::schema_table::{ELEMENTS, REFUSED, SENSOR_COMMON, SENSORS, SKIPPED};
use crate::error::ReadError;
use crate::xml::{Element, Tree};
use saltus_sim::model::spelling::closest;
use std::collections::BTreeMap;
use std::sync::OnceLock;

struct Row {
    once: bool,
    attributes: Vec<&'static str>,
    children: Vec<&'static str>,
}

type Table = BTreeMap<String, Row>;

/// The table by path, built on first use.
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::new();
        table.insert("mujoco".into(), row(false, "model"));
        table.insert("body".into(), row(false, ""));
        insert(&mut table, "mujoco", "worldbody", row(false, ""));
        insert(&mut table, "mujoco", "default", row(false, "class"));
        for (path, attributes) in ELEMENTS {
            let once = path.starts_with('?');
            let (parent, tag) = path.trim_start_matches('?').rsplit_once('/').unwrap_or(("mujoco", path));
            insert(&mut table, parent, tag, row(once, attributes));
        }
        for (tags, attributes) in SENSORS {
            for tag in tags.split_ascii_whitespace() {
                let mut sensor = row(false, SENSOR_COMMON);
                sensor.attributes.extend(attributes.split_ascii_whitespace());
                insert(&mut table, "sensor", tag, sensor);
            }
        }
        table
    })
}

fn row(once: bool, attributes: &'static str) -> Row {
    Row { once, attributes: attributes.split_ascii_whitespace().collect(), children: Vec::new() }
}

fn insert(table: &mut Table, parent: &str, tag: &'static str, row: Row) {
    let path = if parent == "mujoco" { tag.to_owned() } else { format!("{parent}/{tag}") };
    if let Some(parent) = table.get_mut(parent) {
        parent.children.push(tag);
    }
    table.insert(path, row);
}

/// Path under which the children of an element are listed.
fn context(path: &str) -> &str {
    match path {
        "worldbody" | "body/body" | "body/frame" | "body/replicate" => "body",
        "default/default" => "default",
        other => other,
    }
}

/// Checks the position and attributes of every element.
pub fn check(tree: &Tree) -> Result<(), ReadError> {
    let root = tree.root();
    if root.tag() != "mujoco" {
        return Err(root.error("expected <mujoco> as the top-level element of a model"));
    }
    check_attributes(root, &table()["mujoco"])?;
    let mut stack = vec![(root, "mujoco".to_owned())];
    while let Some((element, path)) = stack.pop() {
        let context = context(&path).to_owned();
        for child in element.children() {
            let tag = child.tag();
            let path = if context == "mujoco" { tag.to_owned() } else { format!("{context}/{tag}") };
            if SKIPPED.contains(&path.as_str()) {
                continue;
            }
            if let Some((_, why)) = REFUSED.iter().find(|(p, _)| *p == path) {
                return Err(child.error(*why));
            }
            check_element(element, child, &context, &path)?;
            stack.push((child, path));
        }
    }
    Ok(())
}

fn check_element(parent: Element, child: Element, context: &str, path: &str) -> Result<(), ReadError> {
    if path == "worldbody" {
        return match child.attributes().next() {
            Some((name, _)) => Err(child.attribute_error(name, "the world body takes no attributes")),
            None => Ok(()),
        };
    }
    let Some(row) = table().get(path).filter(|_| path != "body") else {
        let children = &table()[context].children;
        let message = match closest(child.tag(), children.iter().copied()) {
            Some(near) => format!("unknown element; did you mean <{near}>?"),
            None if children.is_empty() => format!("unknown element; <{}> has no child elements", parent.tag()),
            None => format!("unknown element; <{}> may hold: {}", parent.tag(), children.join(", ")),
        };
        return Err(child.error(message));
    };
    if row.once && parent.all(child.tag()).next().map(Element::id) != Some(child.id()) {
        return Err(child.error(format!("may be given only once in <{}>", parent.tag())));
    }
    check_attributes(child, row)
}

fn check_attributes(element: Element, row: &Row) -> Result<(), ReadError> {
    for (name, _) in element.attributes() {
        if row.attributes.contains(&name) {
            continue;
        }
        let message = match closest(name, row.attributes.iter().copied()) {
            Some(near) => format!("unknown attribute; did you mean {near:?}?"),
            None if row.attributes.is_empty() => format!("unknown attribute; <{}> takes none", element.tag()),
            None => format!("unknown attribute; <{}> takes: {}", element.tag(), row.attributes.join(", ")),
        };
        return Err(element.attribute_error(name, message));
    }
    Ok(())
}
