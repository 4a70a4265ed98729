//! STL. Binary: an 80-byte header, the number of triangles, and 50 bytes for each (normal, three
//! corners, attribute). Text: `facet` … `vertex x y z` three times … `endfacet`.

use super::{Fault, Place, word};
use saltus_sim::model::spec::TriMesh;
use std::collections::HashMap;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;
/// Largest coordinate; a file with larger ones is considered corrupt.
const BOUND: f32 = (1u32 << 30) as f32;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    // Binary headers may also start with "solid": the format is binary if the length matches the
    // count.
    let count = word(bytes, 80, 0).map(|w| u32::from_le_bytes(w) as usize);
    let expected = count.and_then(|n| n.checked_mul(TRIANGLE)?.checked_add(HEADER));
    if expected == Some(bytes.len()) {
        return binary(bytes);
    }
    if bytes.trim_ascii_start().starts_with(b"solid") {
        return text(bytes);
    }
    let message = match (count, expected) {
        (Some(n), Some(size)) => {
            format!("{n} triangles need a binary STL file of {size} bytes, this one has {} bytes", bytes.len())
        }
        _ => format!("a binary STL file has at least {HEADER} bytes, this one has {}", bytes.len()),
    };
    Err(Fault::new(Place::Byte(bytes.len().min(80)), message))
}

fn binary(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let mut weld = Weld::default();
    for (i, triangle) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
        let at = HEADER + i * TRIANGLE;
        let mut face = [0; 3];
        for (c, index) in face.iter_mut().enumerate() {
            let corner = [0, 1, 2].map(|k| word(triangle, 12, 3 * c + k).map_or(f32::NAN, f32::from_le_bytes));
            *index = weld.add(corner, Place::Byte(at + 12 + 12 * c))?;
        }
        weld.mesh.faces.push(face);
    }
    weld.finish()
}

/// Reads the `vertex` lines; three make a face. Other lines are ignored.
fn text(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let mut weld = Weld::default();
    let mut corners = Vec::with_capacity(3);
    let mut line = 0;
    for content in bytes.split(|b| *b == b'\n') {
        line += 1;
        let mut words = content.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        match words.next() {
            Some(b"vertex") => {
                let mut point = [0.0; 3];
                for x in &mut point {
                    *x = super::obj::number(words.next(), line)?;
                }
                corners.push(weld.add(point, Place::Line(line))?);
            }
            Some(b"endloop" | b"endfacet") if !corners.is_empty() => {
                let face = corners.as_slice().try_into().map_err(|_| {
                    Fault::new(Place::Line(line), format!("a facet has three vertices, this one has {}", corners.len()))
                })?;
                weld.mesh.faces.push(face);
                corners.clear();
            }
            _ => {}
        }
    }
    if !corners.is_empty() {
        return Err(Fault::new(Place::Line(line), "the file ends inside a facet"));
    }
    weld.finish()
}

/// Collects corners into vertices. Equality is of bits, so that +0 and −0 are distinct as in
/// MuJoCo.
#[derive(Default)]
struct Weld {
    mesh: TriMesh,
    seen: HashMap<[u32; 3], u32>,
}

impl Weld {
    fn add(&mut self, corner: [f32; 3], place: Place) -> Result<u32, Fault> {
        for x in corner {
            if !x.is_finite() {
                return Err(Fault::new(place, "a vertex coordinate is not finite"));
            }
            if x.abs() > BOUND {
                return Err(Fault::new(place, format!("a vertex coordinate, {x}, is larger than 2^30")));
            }
        }
        let next = u32::try_from(self.mesh.vertices.len())
            .map_err(|_| Fault::new(place, "more vertices than a 32-bit index can number"))?;
        let index = *self.seen.entry(corner.map(f32::to_bits)).or_insert(next);
        if index == next {
            self.mesh.vertices.push(corner);
        }
        Ok(index)
    }

    fn finish(self) -> Result<TriMesh, Fault> {
        if self.mesh.faces.is_empty() {
            return Err(Fault::new(Place::File, "an STL file needs at least one triangle"));
        }
        Ok(self.mesh)
    }
}
