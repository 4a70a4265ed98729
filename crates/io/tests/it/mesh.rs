//! Mesh readers. Expected vertices and faces were checked against the reference engine's compiled
//! `mesh_vert` and `mesh_face`.

use saltus_io::mesh::{Place, read};

const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
const OBJ_POINTS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

fn tetrahedron() -> Vec<[[f32; 3]; 3]> {
    FACES.map(|f| f.map(|i| POINTS[i])).to_vec()
}

fn binary_stl(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut out = vec![0; 80];
    out.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        out.extend([0; 12]);
        out.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        out.extend([0; 2]);
    }
    out
}

fn msh(counts: [i32; 4], floats: &[f32], faces: &[i32]) -> Vec<u8> {
    let mut out: Vec<u8> = counts.iter().flat_map(|n| n.to_le_bytes()).collect();
    out.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
    out.extend(faces.iter().flat_map(|x| x.to_le_bytes()));
    out
}

fn obj_faces(text: &str) -> Vec<[u32; 3]> {
    read("a.obj", None, text.as_bytes()).unwrap().faces
}

fn message(name: &str, bytes: &[u8]) -> String {
    read(name, None, bytes).unwrap_err().to_string()
}

#[test]
fn stl_corners_are_welded_in_order_of_appearance() {
    let mesh = read("a.STL", None, &binary_stl(&tetrahedron())).unwrap();
    assert_eq!(mesh.vertices, [POINTS[0], POINTS[2], POINTS[1], POINTS[3]]);
    assert_eq!(mesh.faces, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [2, 1, 3]]);
}

#[test]
fn stl_welding_compares_bits() {
    let mut triangles = tetrahedron();
    triangles[1][0] = [-0.0, 0.0, 0.0];
    triangles.push([POINTS[0], POINTS[0], POINTS[1]]);
    let mesh = read("a.stl", None, &binary_stl(&triangles)).unwrap();
    assert_eq!(mesh.vertices.len(), 5);
    assert_eq!(mesh.faces[1], [3, 2, 4]);
    assert_eq!(mesh.faces[4], [0, 0, 2], "degenerate triangles stay");
}

#[test]
fn text_and_binary_stl_agree() {
    let mut text = String::from("solid x\r\n");
    for t in tetrahedron() {
        text += "facet normal 0 0 0\r\n outer loop\r\n";
        for [x, y, z] in t {
            text += &format!("  vertex {x:e} {y} {z}\r\n");
        }
        text += " endloop\r\nendfacet\r\n";
    }
    text += "endsolid x\n";
    let binary = binary_stl(&tetrahedron());
    assert_eq!(read("a.stl", None, text.as_bytes()), read("a.stl", None, &binary));
    let mut solid = binary.clone();
    solid[..5].copy_from_slice(b"solid");
    assert_eq!(read("a.stl", None, &solid), read("a.stl", None, &binary), "binary files may start with \"solid\"");
}

#[test]
fn stl_errors_name_place_and_reason() {
    let good = binary_stl(&tetrahedron());
    assert!(message("a.stl", &good[..good.len() - 1]).contains("284 bytes, this one has 283"));
    assert!(message("a.stl", b"x").contains("at least 84 bytes"));
    let mut huge = good.clone();
    huge[80..84].copy_from_slice(&[0xff; 4]);
    assert!(message("a.stl", &huge).contains("4294967295 triangles"));
    assert!(message("a.stl", &binary_stl(&[])).contains("at least one triangle"));
    for bad in [f32::NAN, f32::INFINITY, 3e9] {
        let mut triangles = tetrahedron();
        triangles[1][2][0] = bad;
        let error = read("a.stl", None, &binary_stl(&triangles)).unwrap_err();
        assert_eq!(error.place, Place::Byte(84 + 50 + 36));
    }
    let text = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 zero 0\n";
    assert_eq!(message("a.stl", text.as_bytes()), "a.stl:5: expected a finite number, found \"zero\"");
    assert!(message("a.stl", b"solid x\nvertex 0 0 0\nvertex 1 0 0\nendloop\n").contains("this one has 2"));
    assert!(message("a.stl", b"solid x\nvertex 0 0 0").contains("ends inside a facet"));
}

#[test]
fn obj_keeps_all_vertices_and_reads_every_corner_form() {
    let text = format!(
        "# c\r\no x\r\ng y\r\nusemtl z\n{OBJ_POINTS}v 5 5 5 1.0\nv 0 0 0 .1 .2 .3\nvn 1 0 0\nvt 0 0\nl 1 2\n\
         f 1 3/1 2//1 # comment\nf -6/1/1 -5/1/1 -3/1/1\r\nf 1 2\nf 6 4 3"
    );
    let mesh = read("dir.d/a.obj", None, text.as_bytes()).unwrap();
    assert_eq!(mesh.vertices.len(), 6);
    assert_eq!(mesh.vertices[4], [5.0; 3]);
    assert_eq!(mesh.faces, [[0, 2, 1], [0, 1, 3], [5, 3, 2]]);
}

#[test]
fn obj_quads_are_cut_along_the_shorter_diagonal() {
    assert_eq!(obj_faces("v 0 0 0\nv 2 0 0\nv 1 .3 0\nv 0 1 0\nf 1 2 3 4"), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(obj_faces("v 0 0 0\nv 1 0 0\nv 2 2 0\nv 0 1 0\nf 1 4 3 2"), [[0, 3, 1], [3, 2, 1]]);
    // A tie falls to the second diagonal.
    assert_eq!(obj_faces("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4"), [[0, 1, 3], [1, 2, 3]]);
}

#[test]
fn obj_polygons_are_cut_by_ears() {
    let outline = |points: &[(f64, f64)]| {
        let mut text: String = points.iter().map(|(x, y)| format!("v {x} {y} 0\n")).collect();
        text += "f";
        for i in 0..points.len() {
            text += &format!(" {}", i + 1);
        }
        obj_faces(&text)
    };
    let circle = |n: usize, turn: f64| -> Vec<(f64, f64)> {
        (0..n).map(|k| turn * k as f64 / n as f64 * std::f64::consts::TAU).map(|a| (a.cos(), a.sin())).collect()
    };
    assert_eq!(outline(&circle(5, 1.0)), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(outline(&circle(6, -1.0)), [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
    assert_eq!(outline(&[(0., 0.), (2., 0.), (2., 2.), (1., 0.5), (0., 2.)]), [[1, 2, 3], [3, 4, 0], [0, 1, 3]]);
    let arrow = [(0., 0.), (2., 0.), (2., 2.), (1., 2.5), (0.2, 2.), (1., 1.)];
    assert_eq!(outline(&arrow), [[1, 2, 3], [1, 3, 4], [1, 4, 5], [0, 1, 5]]);
}

#[test]
fn hostile_polygons_end() {
    let n = 20_000;
    let mut text: String = (0..n).map(|k| format!("v {} {} 0\n", k % 7, (k * k) % 11)).collect();
    text += "f";
    for i in 0..n {
        text += &format!(" {}", i + 1);
    }
    assert_eq!(obj_faces(&text).len(), n - 2);
}

#[test]
fn obj_errors_name_the_line() {
    let bad = |rest: &str| message("a.obj", format!("{OBJ_POINTS}{rest}").as_bytes());
    assert_eq!(bad("f 1 2 9\n"), "a.obj:5: the face uses vertex 9, there are 4");
    assert!(bad("f 0 2 3\n").starts_with("a.obj:5: expected a vertex index"));
    assert!(bad("f 1 -5 3\n").starts_with("a.obj:5: expected a vertex index"));
    assert!(bad("f 1 2 99999999999\n").starts_with("a.obj:5: expected a vertex index"));
    assert!(bad("v 1 2\n").contains(":5: a vertex needs three coordinates"));
    assert!(bad("v 1 2 nan\n").contains("found \"nan\""));
    assert!(bad("v 1 2 1e60\n").contains("found \"1e60\""));
}

#[test]
fn msh_reads_vertices_and_faces() {
    let points: Vec<f32> = POINTS.into_iter().flatten().collect();
    let faces: Vec<i32> = FACES.into_iter().flatten().map(|i| i as i32).collect();
    let mesh = read("a.msh", None, &msh([4, 0, 0, 4], &points, &faces)).unwrap();
    assert_eq!(mesh.vertices, POINTS);
    assert_eq!(mesh.faces, FACES.map(|f| f.map(|i| i as u32)));
    let mut all = points.clone();
    all.extend([0.5; 12 + 8]);
    assert_eq!(read("a.msh", None, &msh([4, 4, 4, 4], &all, &faces)).unwrap(), mesh);
    assert!(read("a.msh", None, &msh([4, 0, 0, 0], &points, &[])).unwrap().faces.is_empty());
}

#[test]
fn msh_errors_name_place_and_reason() {
    let points: Vec<f32> = POINTS.into_iter().flatten().collect();
    let faces: Vec<i32> = FACES.into_iter().flatten().map(|i| i as i32).collect();
    let mut bad = faces.clone();
    bad[11] = -1;
    let error = read("a.msh", None, &msh([4, 0, 0, 4], &points, &bad)).unwrap_err();
    assert_eq!(error.place, Place::Byte(16 + 48 + 36));
    assert!(error.message.contains("vertex -1, there are 4"));
    assert!(message("a.msh", &msh([i32::MAX; 4], &points, &faces)).contains("bytes"));
    assert!(message("a.msh", &msh([4, 0, 0, 5], &points, &faces)).contains("need 124 bytes, the file has 112"));
    assert!(message("a.msh", &msh([-4, 0, 0, 4], &points, &faces)).contains("vertices is negative"));
    assert!(message("a.msh", &msh([4, 2, 0, 4], &points, &faces)).contains("2 normals for 4"));
    assert!(message("a.msh", &[1, 0]).contains("four 4-byte counts"));
}

#[test]
fn the_media_type_decides_before_the_extension() {
    let bytes = binary_stl(&tetrahedron());
    assert!(read("mesh", Some("model/stl"), &bytes).is_ok());
    assert!(message("mesh.ply", &bytes).contains("stl, obj, msh or dae"));
    assert!(read("a.stl", Some("model/ply"), &bytes).unwrap_err().to_string().contains("model/ply"));
}

#[test]
fn no_prefix_or_flip_panics() {
    let points: Vec<f32> = POINTS.into_iter().flatten().collect();
    let samples = [
        ("a.stl", binary_stl(&tetrahedron())),
        ("a.stl", b"solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n".to_vec()),
        ("a.obj", format!("{OBJ_POINTS}f 1 2 3 4\nf 1/1 -1/2/3 2//2 3 4\n").into_bytes()),
        ("a.msh", msh([4, 0, 0, 1], &points, &[0, 1, 2])),
    ];
    for (name, bytes) in samples {
        for end in 0..bytes.len() {
            let _ = read(name, None, &bytes[..end]);
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                let _ = read(name, None, &flipped);
            }
        }
    }
}

#[test]
fn obj_faces_are_those_of_the_first_group_that_has_some() {
    let faces =
        |between: &str| obj_faces(&format!("{OBJ_POINTS}g a\nf 1 3 2\nf 1 2 4\n{between}\nf 1 4 3\nf 2 3 4\n")).len();
    for (between, count) in [("g b", 2), ("o b", 2), ("usemtl m", 4), ("s 1", 4), ("g", 4), ("l 1 2", 4)] {
        assert_eq!(faces(between), count, "{between}");
    }
    let mesh =
        read("a.obj", None, format!("{OBJ_POINTS}g a\nl 1 2\nf 1 2\ng b\nf 1 3 2\ng c\nv 5 5 5\nf 1 2 5\n").as_bytes());
    let mesh = mesh.unwrap();
    assert_eq!((mesh.vertices.len(), mesh.faces.as_slice()), (5, &[[0, 2, 1]][..]));
}

/// A COLLADA file whose geometry `g` is a tetrahedron made of `primitive`, in a scene of these
/// nodes.
fn dae(primitive: &str, nodes: &str) -> Vec<u8> {
    format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
        <library_geometries><geometry id="g"><mesh>
          <source id="pos"><float_array id="a" count="15">9 9 9 0 0 0 1 0 0 0 1 0 0 0 1</float_array>
            <technique_common><accessor source="#a" count="5" stride="3"/></technique_common></source>
          <vertices id="v"><input semantic="POSITION" source="#pos"/></vertices>
          {primitive}
        </mesh></geometry></library_geometries>
        <library_nodes><node id="n"><translate>0 0 7</translate><instance_geometry url="#g"/></node></library_nodes>
        <library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
    )
    .into_bytes()
}

const INPUTS: &str =
    r##"<input semantic="NORMAL" source="#pos" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>"##;
const NODE: &str = r##"<node><instance_geometry url="#g"/></node>"##;

/// The corners of a COLLADA mesh's triangles.
fn dae_triangles(primitive: &str, nodes: &str) -> Vec<[[f32; 3]; 3]> {
    let mesh = read("a.dae", None, &dae(primitive, nodes)).unwrap();
    mesh.faces.iter().map(|f| f.map(|i| mesh.vertices[i as usize])).collect()
}

#[test]
fn every_kind_of_collada_primitive_gives_the_same_triangles() {
    let centimetres = |t: [[f32; 3]; 3]| t.map(|p| p.map(|x| x * 0.01));
    let expected: Vec<_> = tetrahedron().into_iter().map(centimetres).collect();
    // Each corner has two indices, the second is the position's; the first point of the file is not
    // used.
    let lists = ["0 1 0 3 0 2", "0 1 0 2 0 4", "0 1 0 4 0 3", "0 2 0 3 0 4"];
    let p: String = lists.iter().map(|l| format!("<p>{l}</p>")).collect();
    let all = lists.join(" ");
    for primitive in [
        format!("<triangles count=\"4\">{INPUTS}<p>{all}</p></triangles>"),
        format!("<polylist count=\"4\">{INPUTS}<vcount>3 3 3 3</vcount><p>{all}</p></polylist>"),
        format!("<polygons count=\"4\">{INPUTS}{p}</polygons>"),
        format!("<trifans count=\"4\">{INPUTS}{p}</trifans>"),
        format!("<tristrips count=\"4\">{INPUTS}{p}</tristrips>"),
    ] {
        assert_eq!(dae_triangles(&primitive, NODE), expected, "{primitive}");
    }
    let quad = format!("<polylist>{INPUTS}<vcount>4</vcount><p>0 1 0 2 0 3 0 4</p></polylist>");
    assert_eq!(dae_triangles(&quad, NODE).len(), 2);
    let fan = format!("<trifans>{INPUTS}<p>0 1 0 2 0 3 0 4</p></trifans>");
    assert_eq!(dae_triangles(&fan, NODE)[1], [1, 3, 4].map(|i| centimetres([POINTS[i - 1]; 3])[0]));
    let strip = format!("<tristrips>{INPUTS}<p>0 1 0 2 0 3 0 4</p></tristrips>");
    assert_eq!(dae_triangles(&strip, NODE)[1], [3, 2, 4].map(|i| centimetres([POINTS[i - 1]; 3])[0]));
}

#[test]
fn collada_nodes_place_their_geometries() {
    let triangle = format!("<triangles>{INPUTS}<p>0 2 0 3 0 4</p></triangles>");
    let corner = |nodes: &str| dae_triangles(&triangle, nodes);
    let close = |a: [f32; 3], b: [f32; 3]| assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-7), "{a:?} {b:?}");
    // Outermost first: a quarter turn about z after a stretch along x; the child is moved before
    // both.
    let nested = r##"<node><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
        <node><translate>1 0 0</translate><instance_geometry url="#g"/></node></node>"##;
    close(corner(nested)[0][0], [0.0, 0.04, 0.0]);
    let matrix = r##"<node><matrix>0 -1 0 3 1 0 0 4 0 0 1 5 0 0 0 1</matrix><instance_node url="#n"/></node>"##;
    close(corner(matrix)[0][0], [0.03, 0.05, 0.12]);
    // A reflection turns triangles inside out; they are turned back.
    let mirrored = corner(r##"<node><scale>-1 1 1</scale><instance_geometry url="#g"/></node>"##);
    close(mirrored[0][0], [-0.01, 0.0, 0.0]);
    close(mirrored[0][1], [0.0, 0.0, 0.01]);
    assert_eq!(corner(&NODE.repeat(3)).len(), 3);
    assert_eq!(corner("").len(), 1, "without a scene the geometries are shown as they are");
}

#[test]
fn broken_collada_files_are_refused_with_line_and_reason() {
    let triangle = format!("<triangles>{INPUTS}<p>0 2 0 3 0 4</p></triangles>");
    let refused = |primitive: &str, nodes: &str| message("a.dae", &dae(primitive, nodes));
    assert!(refused(&triangle.replace("0 4", "0 5"), NODE).contains("a corner uses point 5, there are 5"));
    assert!(refused(&triangle, &NODE.replace("#g", "#h")).contains("refers to \"#h\""));
    assert!(refused(&triangle.replace("0 2 ", "x "), NODE).contains("expected an index"));
    assert!(refused("", NODE).contains("no triangles"));
    assert!(refused(&triangle, "<node><scale>1</scale></node>").contains("scale needs 3 numbers, found 1"));
    assert!(refused(&triangle, "<node><lookat>1</lookat></node>").contains("lookat is not supported"));
    let loops = r##"<node id="m"><instance_node url="#m"/></node>"##;
    assert!(refused(&triangle, loops).contains("contain themselves"));
    assert!(message("a.dae", b"<COLLADA").contains("a.dae:1: not well-formed XML"));
    assert!(message("a.dae", b"<robot/>").contains("root element COLLADA"));
}
