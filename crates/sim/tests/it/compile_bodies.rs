//! Bodies, joints and inertias against numbers of the reference engine.

use saltus_math::Vec3;
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::model::spec::{BodySpec, GeomSpec, JointSpec};
use saltus_sim::{ModelSpec, compile};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} should be {b}");
}

fn geom(shape: GeomShape, size: [f64; 3]) -> GeomSpec {
    GeomSpec { shape, size, ..GeomSpec::default() }
}

fn free_body(geoms: Vec<GeomSpec>) -> ModelSpec {
    let mut spec = ModelSpec::new("test");
    let joint = JointSpec { kind: JointKind::Free, ..JointSpec::default() };
    let world = spec.world();
    spec.add_body(world, BodySpec { name: "b".into(), joints: vec![joint], geoms, ..BodySpec::default() });
    spec
}

#[test]
fn primitives_have_the_reference_mass_and_inertia() {
    let cases = [
        (GeomShape::Sphere, [0.3, 0.0, 0.0], false, 113.09733552923255, [4.071504079052372; 3]),
        (
            GeomShape::Capsule,
            [0.1, 0.4, 0.0],
            false,
            29.321531433504745,
            [2.2158700183320015, 2.2158700183320015, 0.14241886696273734],
        ),
        (
            GeomShape::Capsule,
            [0.1, 0.4, 0.0],
            true,
            628.3185307179587,
            [55.29203070318037, 55.29203070318037, 5.8643062867009474],
        ),
        (
            GeomShape::Cylinder,
            [0.1, 0.4, 0.0],
            true,
            565.4866776461628,
            [39.531707557671574, 39.531707557671574, 5.340707511102648],
        ),
        (
            GeomShape::Ellipsoid,
            [0.1, 0.2, 0.3],
            true,
            489.7193333371731,
            [18.075174882542342, 14.068366576335393, 8.102680936804973],
        ),
        (GeomShape::Box, [0.1, 0.2, 0.3], true, 880.0, [54.13333333333334, 42.13333333333334, 24.266666666666673]),
    ];
    for (shape, size, shell, mass, inertia) in cases {
        let g = GeomSpec { shell_inertia: shell, ..geom(shape, size) };
        let model = compile(&free_body(vec![g])).unwrap();
        close(model.bodies.mass[1], mass);
        for k in 0..3 {
            let (a, b) = (model.bodies.inertia[1][k], inertia[k]);
            // The shell of an ellipsoid is a difference of two nearly equal numbers.
            assert!((a - b).abs() < 1e-9 * b, "{shape:?} {a} {b}");
        }
    }
}

#[test]
fn a_chain_of_a_thousand_bodies_compiles() {
    let mut spec = ModelSpec::new("chain");
    let mut parent = spec.world();
    for i in 0..1000 {
        let body = BodySpec {
            name: format!("b{i}"),
            pos: Vec3::X,
            joints: vec![JointSpec { name: format!("j{i}"), ..JointSpec::default() }],
            geoms: vec![geom(GeomShape::Sphere, [0.1, 0.0, 0.0])],
            ..BodySpec::default()
        };
        parent = spec.add_body(parent, body);
    }
    let model = compile(&spec).unwrap();
    assert_eq!(model.size.nv, 1000);
    assert_eq!(model.mass_pattern.nnz(), 1000 * 1001 / 2);
    close(model.bodies.subtree_mass[1], 1000.0 * model.bodies.mass[1]);
}

#[test]
fn errors_name_the_element() {
    let mut spec = free_body(vec![geom(GeomShape::Box, [0.1, 0.2, f64::NAN])]);
    spec.bodies[1].geoms[0].name = "brick".into();
    let error = compile(&spec).unwrap_err().to_string();
    assert!(error.contains("geom \"brick\"") && error.contains("size 2"), "{error}");
    let error = compile(&free_body(vec![])).unwrap_err().to_string();
    assert!(error.contains("body \"b\"") && error.contains("mass"), "{error}");
}

#[test]
fn what_would_need_too_much_memory_is_refused() {
    // A chain of 20,000 hinges: the inertia matrix alone has 200 million entries.
    let mut spec = ModelSpec::new("chain");
    let mut parent = spec.world();
    for _ in 0..20_000 {
        let mut body = BodySpec::default();
        body.joints.push(JointSpec::default());
        body.geoms.push(GeomSpec { size: [0.1; 3], ..GeomSpec::default() });
        parent = spec.add_body(parent, body);
    }
    assert!(compile(&spec).unwrap_err().to_string().contains("chains are too long"));

    let mut spec = ModelSpec::new("user data");
    spec.size.user_geom = 1_000_000;
    let world = spec.world();
    for _ in 0..100 {
        spec.body_mut(world).geoms.push(GeomSpec { size: [0.1; 3], ..GeomSpec::default() });
    }
    assert!(compile(&spec).unwrap_err().to_string().contains("user data of 100 elements"));
}

/// A body whose centre of mass is on the axis of its joint, and another one that hangs on it.
fn turning_about_its_centre(axis: Vec3) -> ModelSpec {
    let mut spec = ModelSpec::new("test");
    let hinge = |axis: Vec3| JointSpec { axis, ..JointSpec::default() };
    let ball = |pos: Vec3, size: f64| GeomSpec { pos, ..geom(GeomShape::Sphere, [size, 0.0, 0.0]) };
    let first = BodySpec { joints: vec![hinge(axis)], geoms: vec![ball(axis * 0.1, 0.03)], ..BodySpec::default() };
    let world = spec.world();
    let first = spec.add_body(world, first);
    let far = BodySpec { joints: vec![hinge(Vec3::X)], geoms: vec![ball(Vec3::Y, 0.1)], ..BodySpec::default() };
    spec.add_body(first, BodySpec { pos: Vec3::new(0.4, 0.9, 0.2), ..far });
    spec
}

#[test]
fn a_centre_of_mass_on_the_axis_of_its_joint_has_no_translational_weight() {
    for k in 0..20 {
        let axis = Vec3::new(0.3 + 0.1 * f64::from(k), 1.0 - 0.07 * f64::from(k), 0.7);
        let weights = compile(&turning_about_its_centre(axis)).unwrap().bodies.inv_weight;
        assert!(weights[1][0] == 0.0 && weights[1][1] > 0.0, "{weights:?}");
        assert!(weights[2][0] > 0.0);
    }
}
