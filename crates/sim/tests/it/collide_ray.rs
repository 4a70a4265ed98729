//! Rays and distances.

use saltus_math::Random;
use saltus_math::Vec3;
use saltus_sim::collide::{RayFilter, geom_distance, ray};
use saltus_sim::ids::{BodyId, GeomId};
use saltus_sim::kinematics::update_kinematics;
use saltus_sim::model::kinds::{GeomShape as G, JointKind};
use saltus_sim::model::spec::{BodySpec, GeomSpec, HfieldSpec, JointSpec, MeshSpec, TriMesh};
use saltus_sim::{Data, Model, ModelSpec, compile};

fn scene(geoms: Vec<GeomSpec>) -> (Model, Data) {
    let mut spec = ModelSpec::new("rays");
    let corners = (0..8).map(|k: u8| [0, 1, 2].map(|b| if k & (1 << b) == 0 { -0.2 } else { 0.2 })).collect();
    let data = TriMesh { vertices: corners, faces: vec![] };
    spec.meshes.push(MeshSpec { name: "cube".into(), data, ..MeshSpec::default() });
    spec.hfields.push(HfieldSpec {
        name: "land".into(),
        size: [1.0, 1.0, 0.5, 0.1],
        nrow: 3,
        ncol: 3,
        elevation: vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        ..HfieldSpec::default()
    });
    let world = spec.world();
    for (k, geom) in geoms.into_iter().enumerate() {
        let free = !matches!(geom.shape, G::Plane | G::Hfield);
        let joints = if free { vec![JointSpec { kind: JointKind::Free, ..JointSpec::default() }] } else { vec![] };
        let name = format!("b{k}");
        spec.add_body(world, BodySpec { name, joints, geoms: vec![geom], ..BodySpec::default() });
    }
    let model = compile(&spec).expect("a valid model");
    let mut data = Data::new(&model);
    update_kinematics(&model, &mut data);
    (model, data)
}

fn geom(shape: G, size: [f64; 3]) -> GeomSpec {
    let (mesh, hfield) = ((shape == G::Mesh).then(|| "cube".into()), (shape == G::Hfield).then(|| "land".into()));
    GeomSpec { shape, size, mesh, hfield, ..GeomSpec::default() }
}

#[test]
fn rays_from_above_meet_the_top() {
    let cases = [
        (geom(G::Plane, [1.0, 1.0, 1.0]), 0.0),
        (geom(G::Sphere, [0.3, 0.0, 0.0]), 0.3),
        (geom(G::Capsule, [0.1, 0.3, 0.0]), 0.4),
        (geom(G::Ellipsoid, [0.1, 0.2, 0.3]), 0.3),
        (geom(G::Cylinder, [0.1, 0.3, 0.0]), 0.3),
        (geom(G::Box, [0.1, 0.2, 0.3]), 0.3),
        (geom(G::Mesh, [0.0; 3]), 0.2),
        (geom(G::Hfield, [0.0; 3]), 0.5),
    ];
    for (geom, top) in cases {
        let shape = geom.shape;
        let (model, data) = scene(vec![geom]);
        let from = Vec3::new(1e-7, 2e-7, 2.0);
        let (id, hit) = ray(&model, &data, from, Vec3::NEG_Z * 2.0, &RayFilter::default()).expect("a hit");
        assert_eq!(id.0, 0);
        assert!((2.0 - 2.0 * hit.t - top).abs() < 1e-6, "{shape:?}: {}", hit.t);
        assert!(hit.normal.z > 0.5);
        assert!(ray(&model, &data, from, Vec3::Z, &RayFilter::default()).is_none());
    }
}

#[test]
fn the_nearest_visible_geom_is_found() {
    let at = |z: f64, group: i32, rgba: [f32; 4]| GeomSpec {
        pos: Vec3::Z * z,
        group,
        rgba,
        ..geom(G::Sphere, [0.1, 0.0, 0.0])
    };
    let grey = [0.5, 0.5, 0.5, 1.0];
    let (model, data) = scene(vec![at(0.0, 0, grey), at(1.0, 1, grey), at(2.0, 0, [1.0, 1.0, 1.0, 0.0])]);
    let from = Vec3::Z * 5.0;
    let seen = |filter: &RayFilter| ray(&model, &data, from, Vec3::NEG_Z, filter).map(|(g, h)| (g.0, h.t));
    let (id, t) = seen(&RayFilter::default()).expect("a hit");
    assert!(id == 1 && (t - 3.9).abs() < 1e-12);
    let body = RayFilter { exclude: Some(BodyId(2)), ..RayFilter::default() };
    assert_eq!(seen(&body).map(|x| x.0), Some(0));
    let group = RayFilter { groups: Some([true, false, true, true, true, true]), ..RayFilter::default() };
    assert_eq!(seen(&group).map(|x| x.0), Some(0));
    assert!(ray(&model, &data, from, Vec3::ZERO, &RayFilter::default()).is_none());
}

#[test]
fn distance_to_a_small_ball_is_where_rays_end() {
    // A ray that leaves the surface along its normal is as long as the distance from its end to the
    // surface.
    let mut random = Random(11);
    for shape in [G::Sphere, G::Capsule, G::Ellipsoid, G::Cylinder, G::Box, G::Mesh] {
        let probe = GeomSpec { pos: Vec3::X * 100.0, ..geom(G::Sphere, [1e-3, 0.0, 0.0]) };
        let (model, mut data) = scene(vec![geom(shape, [0.1, 0.2, 0.3]), probe]);
        for _ in 0..50 {
            let from = random.vec3(1.0).normalize_or(Vec3::X) * 3.0;
            let Some((GeomId(0), hit)) = ray(&model, &data, from, -from, &RayFilter::default()) else {
                panic!("{shape:?}: a ray to the centre must hit")
            };
            let away = random.range(0.01, 0.5);
            data.position.p_WG[1] = from * (1.0 - hit.t) + hit.normal * (away + 1e-3);
            let found = geom_distance(&model, &data, GeomId(0), GeomId(1), 10.0).expect("a distance");
            assert!((found.dist - away).abs() < 1e-6, "{shape:?}: {} {away}", found.dist);
            data.position.p_WG[1] = Vec3::X * 100.0;
        }
    }
}

#[test]
fn distance_to_a_height_field_does_not_depend_on_the_limit() {
    // A peak in the last row, behind more prisms than a pair may have contacts.
    let mut spec = ModelSpec::new("peak");
    let mut elevation = vec![0.0; 144];
    elevation[130] = 1.0;
    let size = [1.0, 1.0, 0.5, 0.1];
    spec.hfields.push(HfieldSpec { name: "land".into(), size, nrow: 12, ncol: 12, elevation, ..HfieldSpec::default() });
    let world = spec.world();
    let ball = GeomSpec { pos: Vec3::new(0.8, 0.8, 0.7), ..geom(G::Sphere, [0.1, 0.0, 0.0]) };
    let geoms = vec![geom(G::Hfield, [0.0; 3]), ball];
    spec.add_body(world, BodySpec { name: "both".into(), geoms, ..BodySpec::default() });
    let model = compile(&spec).expect("a valid model");
    let mut data = Data::new(&model);
    update_kinematics(&model, &mut data);
    let near = geom_distance(&model, &data, GeomId(0), GeomId(1), 0.2).expect("a distance");
    assert!(near.dist < 0.2 && near.from.z > 0.4, "{near:?}");
    for limit in [0.5, 1.0, 10.0] {
        let far = geom_distance(&model, &data, GeomId(0), GeomId(1), limit).expect("a distance");
        assert!((far.dist - near.dist).abs() < 1e-12, "{far:?} within {limit}, {near:?} within 0.2");
    }
}
