//! A COLLADA geometry: positions, and polygons that index them.
//!
//! A primitive has several index streams, interleaved in its `p`: one tuple of indices for each
//! corner. Only the stream of positions is used.

use super::{Fault, Ids, fault, target};
use crate::mesh::polygon::Triangulator;
use crate::xml::Element;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Triangles of a geometry and the points that they use, numbered by first appearance.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub points: Vec<[f32; 3]>,
    pub faces: Vec<[u32; 3]>,
}

/// Location of a primitive's position indices.
struct Stream {
    /// Number of indices per corner over all streams, and the offset of the position.
    stride: usize,
    offset: usize,
    /// Index of the element that holds the positions.
    positions: usize,
}

impl Piece {
    /// Reads the mesh of a geometry; other geometries, such as splines, give an empty piece.
    pub(super) fn read(geometry: Element, ids: &Ids) -> Result<Self, Fault> {
        let mut builder = Builder { ids, sources: HashMap::new(), seen: HashMap::new(), piece: Piece::default() };
        for mesh in geometry.all("mesh") {
            for primitive in mesh.children() {
                match primitive.tag() {
                    "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => builder.add(primitive)?,
                    _ => {}
                }
            }
        }
        Ok(builder.piece)
    }
}

struct Builder<'a, 't> {
    ids: &'a Ids<'t>,
    /// Points of the sources read so far.
    sources: HashMap<usize, Vec<[f32; 3]>>,
    /// Index in the piece of each point (source and index).
    seen: HashMap<(usize, u32), u32>,
    piece: Piece,
}

impl<'t> Builder<'_, 't> {
    fn add(&mut self, primitive: Element<'t>) -> Result<(), Fault> {
        let stream = self.stream(primitive)?;
        let mut cutter = Triangulator::default();
        let lists: Vec<Vec<u32>> = if primitive.tag() == "polygons" {
            let outlines = primitive.children().filter_map(|c| match c.tag() {
                "p" => Some(c),
                // A polygon with holes: only its outline is used; the holes are filled.
                "ph" => c.all("p").next(),
                _ => None,
            });
            outlines.map(|p| self.corners(p, &stream)).collect::<Result<_, _>>()?
        } else {
            primitive.all("p").map(|p| self.corners(p, &stream)).collect::<Result<_, _>>()?
        };
        let piece = &mut self.piece;
        let mut cut = |polygon: &[u32]| cutter.cut(&piece.points, polygon, &mut piece.faces);
        match primitive.tag() {
            "triangles" => lists.iter().flat_map(|l| l.chunks_exact(3)).for_each(&mut cut),
            "polygons" => lists.iter().for_each(|l| cut(l)),
            "polylist" => {
                let counts = primitive.all("vcount").next().map_or(Ok(Vec::new()), indices)?;
                let mut rest = lists.first().map_or(&[][..], Vec::as_slice);
                for n in counts {
                    let Some((polygon, after)) = rest.split_at_checked(n as usize) else {
                        return Err(fault(primitive, "vcount asks for more corners than p has"));
                    };
                    cut(polygon);
                    rest = after;
                }
            }
            "tristrips" => {
                for list in &lists {
                    for (i, w) in list.windows(3).enumerate() {
                        cut(&if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
                    }
                }
            }
            _ => {
                for list in &lists {
                    (2..list.len()).for_each(|i| cut(&[list[0], list[i - 1], list[i]]));
                }
            }
        }
        Ok(())
    }

    /// Finds the stream of positions and reads them.
    fn stream(&mut self, primitive: Element<'t>) -> Result<Stream, Fault> {
        let (mut stride, mut position) = (0, None);
        for input in primitive.all("input") {
            let mut offset = 0;
            input.count("offset", &mut offset)?;
            stride = stride.max(offset.saturating_add(1));
            match input.text("semantic") {
                Some("VERTEX") => {
                    let vertices = target(self.ids, input, "source")?;
                    let of = vertices.all("input").find(|i| i.text("semantic") == Some("POSITION"));
                    let of = of.ok_or_else(|| fault(vertices, "expected an input with the semantic POSITION"))?;
                    position = Some((offset, target(self.ids, of, "source")?));
                }
                Some("POSITION") => position = Some((offset, target(self.ids, input, "source")?)),
                _ => {}
            }
        }
        let (offset, source) =
            position.ok_or_else(|| fault(primitive, "expected an input with the semantic VERTEX"))?;
        if let Entry::Vacant(new) = self.sources.entry(source.id()) {
            new.insert(positions(source)?);
        }
        Ok(Stream { stride, offset, positions: source.id() })
    }

    /// Corners of a `p` as point indices of the piece.
    fn corners(&mut self, p: Element, stream: &Stream) -> Result<Vec<u32>, Fault> {
        let all = indices(p)?;
        let points = self.sources.get(&stream.positions).map_or(&[][..], Vec::as_slice);
        let mut corners = Vec::with_capacity(all.len() / stream.stride);
        for tuple in all.chunks_exact(stream.stride) {
            let index = tuple[stream.offset];
            let Some(point) = points.get(index as usize) else {
                return Err(fault(p, format!("a corner uses point {index}, there are {}", points.len())));
            };
            let next = self.piece.points.len() as u32;
            let number = *self.seen.entry((stream.positions, index)).or_insert(next);
            if number == next {
                self.piece.points.push(*point);
            }
            corners.push(number);
        }
        Ok(corners)
    }
}

/// Indices inside an element.
fn indices(e: Element) -> Result<Vec<u32>, Fault> {
    let parse = |word: &str| {
        word.parse::<u32>().map_err(|_| fault(e, format!("expected an index, found {word:?} in {}", e.tag())))
    };
    e.content().split_ascii_whitespace().map(parse).collect()
}

/// Points of a source: the first three of every `stride` numbers.
fn positions(source: Element) -> Result<Vec<[f32; 3]>, Fault> {
    let array = source.all("float_array").next().ok_or_else(|| fault(source, "expected a float_array"))?;
    let (mut stride, mut offset) = (3, 0);
    if let Some(accessor) = source.all("technique_common").flat_map(|t| t.all("accessor")).next() {
        accessor.count("stride", &mut stride)?;
        accessor.count("offset", &mut offset)?;
    }
    if stride < 3 {
        return Err(fault(source, format!("positions need three numbers each, the stride is {stride}")));
    }
    let values = array.content_numbers()?;
    let points = values.get(offset..).unwrap_or_default().chunks(stride).filter(|c| c.len() >= 3);
    let points: Vec<_> = points.map(|c| [c[0], c[1], c[2]].map(|x| x as f32)).collect();
    match points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(bad) => Err(fault(array, format!("position {bad} is not finite"))),
        None => Ok(points),
    }
}
