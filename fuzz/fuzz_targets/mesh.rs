//! Mesh and height field files. The first byte selects the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_io::{hfield, mesh};

fuzz_target!(|bytes: &[u8]| {
    let Some((format, bytes)) = bytes.split_first() else { return };
    let name = match format % 5 {
        0 => "a.stl",
        1 => "a.obj",
        2 => "a.msh",
        3 => {
            _ = hfield::read_png(bytes);
            return;
        }
        _ => {
            _ = hfield::read_binary(bytes);
            return;
        }
    };
    if let Ok(mesh) = mesh::read(name, None, bytes) {
        let count = mesh.vertices.len() as u32;
        assert!(mesh.faces.iter().flatten().all(|v| *v < count));
        assert!(mesh.vertices.iter().flatten().all(|x| x.is_finite()));
    }
});
