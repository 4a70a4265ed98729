//! Wavefront OBJ: `v x y z` and `f a b c …`, indices from 1, or from the end if negative.
//! Everything else (normals, texture coordinates, materials, lines) is irrelevant to physics and
//! ignored.
//!
//! From a file with several objects or groups, MuJoCo takes all vertices but only the faces of the
//! first group that has any, which determine inertia and frame. This reader does the same.

use super::polygon::Triangulator;
use super::{Fault, Place};
use saltus_sim::model::spec::TriMesh;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let mut vertices = Vec::new();
    // Polygons are triangulated after all vertices are known: a face may precede its vertices.
    let mut corners = Vec::new();
    let mut polygons = Vec::new();
    let mut first_group = true;
    for (i, content) in bytes.split(|b| *b == b'\n').enumerate() {
        let line = i + 1;
        let mut words =
            content.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).take_while(|w| !w.starts_with(b"#"));
        match words.next() {
            Some(b"v") => {
                let mut point = [0.0; 3];
                for x in &mut point {
                    *x = number(words.next(), line)?;
                }
                vertices.push(point);
            }
            Some(b"g" | b"o") if words.next().is_some() => first_group &= polygons.is_empty(),
            Some(b"f") => {
                let start = corners.len();
                for word in words {
                    corners.push(index(word, vertices.len(), line)?);
                }
                let range = start..corners.len();
                if first_group && range.len() >= 3 {
                    polygons.push((line, range));
                }
            }
            _ => {}
        }
    }
    let mut cutter = Triangulator::default();
    let mut faces = Vec::new();
    for (line, range) in polygons {
        let polygon = &corners[range];
        if let Some(bad) = polygon.iter().find(|c| **c as usize >= vertices.len()) {
            let message = format!("the face uses vertex {}, there are {}", u64::from(*bad) + 1, vertices.len());
            return Err(Fault::new(Place::Line(line), message));
        }
        cutter.cut(&vertices, polygon, &mut faces);
    }
    Ok(TriMesh { vertices, faces })
}

/// A finite number. Also used for text STL.
pub(super) fn number(word: Option<&[u8]>, line: usize) -> Result<f32, Fault> {
    let fault = |message: String| Fault::new(Place::Line(line), message);
    let word = word.ok_or_else(|| fault("a vertex needs three coordinates".into()))?;
    let value = std::str::from_utf8(word).ok().and_then(|w| w.parse::<f64>().ok());
    match value.map(|x| x as f32) {
        Some(x) if x.is_finite() => Ok(x),
        _ => Err(fault(format!("expected a finite number, found \"{}\"", String::from_utf8_lossy(word)))),
    }
}

/// Vertex index, from 0, of a face corner `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn index(word: &[u8], nvertex: usize, line: usize) -> Result<u32, Fault> {
    let text = word.split(|b| *b == b'/').next().unwrap_or_default();
    let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<i64>().ok());
    let index = match value {
        Some(v) if v > 0 => Some(v - 1),
        Some(v) if v < 0 => Some(v + nvertex as i64),
        _ => None,
    };
    index.and_then(|i| u32::try_from(i).ok()).ok_or_else(|| {
        let found = String::from_utf8_lossy(word);
        Fault::new(
            Place::Line(line),
            format!("expected a vertex index (from 1, or negative from the last vertex), found \"{found}\""),
        )
    })
}
