//! COLLADA (`.dae`): triangles of all geometries of the scene, transformed to the coordinates of
//! the scene, in metres.
//!
//! Only shape is read: `triangles`, `polylist`, `polygons`, `tristrips` and `trifans`. Skins,
//! cameras, lights and materials are ignored. `up_axis` is ignored too: programs that read robots
//! use the coordinates of the file as those of the link, and robots are exported accordingly.

mod geometry;
mod transform;

use super::{Fault, Place};
use crate::error::ReadError;
use crate::source::Source;
use crate::xml::{Element, Tree};
use geometry::Piece;
use saltus_sim::model::spec::TriMesh;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use transform::Affine;

/// Limits: nodes of the scene, counting each instance; nesting depth of nodes and instances;
/// triangles.
const MAX_NODES: usize = 100_000;
const MAX_DEPTH: usize = 1_000;
const MAX_TRIANGLES: usize = 1 << 26;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    // Names may be in any encoding; numbers and tags are ASCII.
    let text = String::from_utf8_lossy(bytes);
    let none = BTreeMap::new();
    let tree = Tree::load(&Source::memory(&none), "", text.trim_start_matches('\u{feff}')).map_err(Fault::from)?;
    let root = tree.root();
    if root.tag() != "COLLADA" {
        return Err(fault(root, format!("a COLLADA file has the root element COLLADA, found {:?}", root.tag())));
    }
    let ids: Ids = tree.elements().filter_map(|e| Some((e.text("id")?, e))).collect();
    let mut scene = Scene { ids, pieces: BTreeMap::new(), mesh: TriMesh::default() };
    let unit = Affine::scaled([metres(root)?; 3]);
    let nodes = scene.roots(root)?;
    if nodes.is_empty() {
        // Without a scene, all geometries are used without transformation.
        for geometry in root.all("library_geometries").flat_map(|l| l.all("geometry")) {
            scene.place(geometry, &unit)?;
        }
    }
    scene.walk(nodes, unit)?;
    if scene.mesh.faces.is_empty() {
        return Err(Fault::new(Place::File, "the scene has no triangles"));
    }
    Ok(scene.mesh)
}

/// Elements by their `id`.
type Ids<'t> = BTreeMap<&'t str, Element<'t>>;

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        let place = if error.line == 0 { Place::File } else { Place::Line(error.line as usize) };
        Self::new(place, error.message)
    }
}

fn fault(e: Element, message: impl Into<String>) -> Fault {
    Fault::from(e.error(message))
}

/// The element that a reference of the form `#id` refers to.
fn target<'t>(ids: &Ids<'t>, e: Element<'t>, attribute: &str) -> Result<Element<'t>, Fault> {
    let reference = e.required(attribute)?;
    let found = reference.strip_prefix('#').and_then(|id| ids.get(id).copied());
    found.ok_or_else(|| fault(e, format!("{} refers to {reference:?}, which is not in the file", e.tag())))
}

/// The file's unit of length, m.
fn metres(root: Element) -> Result<f64, Fault> {
    let mut metres = 1.0;
    if let Some(unit) = root.all("asset").flat_map(|a| a.all("unit")).next() {
        unit.real("meter", &mut metres)?;
        if !(metres > 0.0 && metres.is_finite()) {
            return Err(fault(unit, format!("the unit must be a positive number of metres, found {metres}")));
        }
    }
    Ok(metres)
}

struct Scene<'t> {
    ids: Ids<'t>,
    /// Geometries read so far, by the id of their element in the document.
    pieces: BTreeMap<usize, Piece>,
    mesh: TriMesh,
}

impl<'t> Scene<'t> {
    /// Nodes of the scene that the file instantiates, or of the first scene.
    fn roots(&self, root: Element<'t>) -> Result<Vec<Element<'t>>, Fault> {
        let shown = root.all("scene").flat_map(|s| s.all("instance_visual_scene")).next();
        let scene = match shown {
            Some(instance) => Some(target(&self.ids, instance, "url")?),
            None => root.all("library_visual_scenes").flat_map(|l| l.all("visual_scene")).next(),
        };
        Ok(scene.map(|s| s.all("node").collect()).unwrap_or_default())
    }

    /// Adds the geometries of nodes and their descendants, in the order of the file.
    fn walk(&mut self, nodes: Vec<Element<'t>>, frame: Affine) -> Result<(), Fault> {
        let mut stack: Vec<_> = nodes.into_iter().rev().map(|n| (n, frame, 0)).collect();
        let mut count = 0;
        while let Some((node, frame, depth)) = stack.pop() {
            count += 1;
            if count > MAX_NODES || depth > MAX_DEPTH {
                return Err(fault(node, "too many nodes, or nodes that contain themselves"));
            }
            let frame = transform::of_node(node)?.after(&frame);
            let mut below = Vec::new();
            for child in node.children() {
                match child.tag() {
                    "instance_geometry" => self.place(target(&self.ids, child, "url")?, &frame)?,
                    "instance_node" => below.push((target(&self.ids, child, "url")?, frame, depth + 1)),
                    "node" => below.push((child, frame, depth + 1)),
                    _ => {}
                }
            }
            stack.extend(below.into_iter().rev());
        }
        Ok(())
    }

    /// Adds one instance of a geometry.
    fn place(&mut self, geometry: Element<'t>, frame: &Affine) -> Result<(), Fault> {
        let piece = match self.pieces.entry(geometry.id()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Piece::read(geometry, &self.ids)?),
        };
        let mesh = &mut self.mesh;
        let start = mesh.vertices.len();
        if mesh.faces.len() + piece.faces.len() > MAX_TRIANGLES || start + piece.points.len() > MAX_TRIANGLES {
            return Err(fault(geometry, format!("the scene has more than {MAX_TRIANGLES} triangles")));
        }
        for p in &piece.points {
            let point = frame.apply(p.map(f64::from)).map(|x| x as f32);
            if !point.iter().all(|x| x.is_finite()) {
                return Err(fault(geometry, "a vertex is not finite after the transforms of the scene"));
            }
            mesh.vertices.push(point);
        }
        let flip = frame.determinant() < 0.0;
        mesh.faces.extend(piece.faces.iter().map(|f| {
            let [a, b, c] = f.map(|i| i + start as u32);
            if flip { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }
}
