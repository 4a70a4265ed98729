//! MSH, MuJoCo's binary format: four counts (vertices, normals, texture coordinates, faces), then
//! the arrays in that order, all little-endian 32-bit. Normals and texture coordinates are checked
//! for size and ignored.

use super::{Fault, Place, word};
use saltus_sim::model::spec::TriMesh;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let counts = header(bytes)?;
    let [nvertex, nnormal, ntexcoord, nface] = counts;
    // Checked against the file's length before anything is allocated.
    let words = 4 + 3 * (nvertex + nnormal + nface) + 2 * ntexcoord;
    if words * 4 != bytes.len() as u64 {
        let message = format!("the counts need {} bytes, the file has {}", words * 4, bytes.len());
        return Err(Fault::new(Place::Byte(0), message));
    }
    let [nvertex, nnormal, ntexcoord, nface] = counts.map(|n| n as usize);
    let float = |i: usize| word(bytes, 16, i).map_or(f32::NAN, f32::from_le_bytes);
    let mut mesh = TriMesh { vertices: Vec::with_capacity(nvertex), faces: Vec::with_capacity(nface) };
    for v in 0..nvertex {
        let point = [0, 1, 2].map(|k| float(3 * v + k));
        if !point.iter().all(|x| x.is_finite()) {
            return Err(Fault::new(Place::Byte(16 + 12 * v), format!("vertex {v} is not finite")));
        }
        mesh.vertices.push(point);
    }
    let start = 16 + 12 * (nvertex + nnormal) + 8 * ntexcoord;
    for f in 0..nface {
        let face = [0, 1, 2].map(|k| word(bytes, start, 3 * f + k).map_or(u32::MAX, u32::from_le_bytes));
        if let Some(bad) = face.iter().find(|i| **i as usize >= nvertex) {
            let message = format!("face {f} uses vertex {}, there are {nvertex}", *bad as i32);
            return Err(Fault::new(Place::Byte(start + 12 * f), message));
        }
        mesh.faces.push(face);
    }
    Ok(mesh)
}

/// The four counts, each below 2³¹, so that the file size they imply does not overflow 64 bits.
fn header(bytes: &[u8]) -> Result<[u64; 4], Fault> {
    let mut counts = [0u64; 4];
    for (i, (count, what)) in counts.iter_mut().zip(["vertices", "normals", "texture coordinates", "faces"]).enumerate()
    {
        let raw = word(bytes, 0, i).map(i32::from_le_bytes).ok_or_else(|| {
            Fault::new(Place::Byte(bytes.len()), "an MSH file starts with four 4-byte counts, this one is shorter")
        })?;
        *count = u64::try_from(raw)
            .map_err(|_| Fault::new(Place::Byte(4 * i), format!("the number of {what} is negative: {raw}")))?;
    }
    let nvertex = counts[0];
    if nvertex < 4 {
        return Err(Fault::new(Place::Byte(0), format!("a mesh needs at least 4 vertices, the file has {nvertex}")));
    }
    for (i, what) in [(1, "normals"), (2, "texture coordinates")] {
        if counts[i] != 0 && counts[i] != nvertex {
            let message = format!("{} {what} for {nvertex} vertices; expected none or one per vertex", counts[i]);
            return Err(Fault::new(Place::Byte(4 * i), message));
        }
    }
    Ok(counts)
}
