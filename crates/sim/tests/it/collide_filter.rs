//! Which geoms collide, and with which parameters.

use saltus_math::Random;
use saltus_math::Vec3;
use saltus_sim::collide::update_contacts;
use saltus_sim::kinematics::update_kinematics;
use saltus_sim::model::kinds::{GeomShape, JointKind};
use saltus_sim::model::spec::{BodySpec, ExcludeSpec, GeomSpec, JointSpec, PairSpec, SpecBody};
use saltus_sim::options::{Disable, Enable};
use saltus_sim::{Data, Model, ModelSpec, compile};

fn ball(name: &str) -> GeomSpec {
    GeomSpec { name: name.into(), shape: GeomShape::Sphere, size: [0.1, 0.0, 0.0], ..GeomSpec::default() }
}

fn add(
    spec: &mut ModelSpec,
    parent: SpecBody,
    name: &str,
    pos: Vec3,
    joint: Option<JointKind>,
    geom: GeomSpec,
) -> SpecBody {
    let joints = joint.map(|kind| JointSpec { kind, ..JointSpec::default() }).into_iter().collect();
    spec.add_body(parent, BodySpec { name: name.into(), pos, joints, geoms: vec![geom], ..BodySpec::default() })
}

fn contacts(spec: &ModelSpec) -> (Model, Data) {
    let model = compile(spec).expect("a valid model");
    let mut data = Data::new(&model);
    update_kinematics(&model, &mut data);
    update_contacts(&model, &mut data);
    (model, data)
}

fn pairs(spec: &ModelSpec) -> Vec<(u32, u32)> {
    contacts(spec).1.contacts.iter().map(|c| (c.geom1.0, c.geom2.0)).collect()
}

/// Three overlapping balls: one in the world, and a chain of two.
fn chain(joint: Option<JointKind>) -> ModelSpec {
    let mut spec = ModelSpec::new("chain");
    let world = spec.world();
    spec.bodies[0].geoms.push(ball("g0"));
    let a = add(&mut spec, world, "a", Vec3::X * 0.05, Some(JointKind::Slide), ball("g1"));
    add(&mut spec, a, "b", Vec3::X * 0.05, joint, ball("g2"));
    spec
}

#[test]
fn parents_and_rigid_groups_do_not_collide() {
    // The world is not a parent in this sense.
    assert_eq!(pairs(&chain(Some(JointKind::Hinge))), [(0, 1), (0, 2)]);
    assert_eq!(pairs(&chain(None)), [(0, 1), (0, 2)]);
    let mut spec = chain(Some(JointKind::Hinge));
    spec.options.disable.set(Disable::FILTERPARENT, true);
    assert_eq!(pairs(&spec), [(0, 1), (0, 2), (1, 2)]);
    let mut spec = chain(None);
    spec.options.disable.set(Disable::FILTERPARENT, true);
    assert_eq!(pairs(&spec), [(0, 1), (0, 2)]);
}

#[test]
fn disabled_contacts_are_none() {
    for flag in [Disable::CONTACT, Disable::CONSTRAINT] {
        let mut spec = chain(None);
        spec.options.disable.set(flag, true);
        assert!(pairs(&spec).is_empty());
    }
}

#[test]
fn exclusions_masks_and_explicit_pairs() {
    let mut spec = chain(Some(JointKind::Hinge));
    spec.excludes.push(ExcludeSpec { body1: "b".into(), body2: "world".into(), ..ExcludeSpec::default() });
    assert_eq!(pairs(&spec), [(0, 1)]);
    // A pair passes all filters, replaces the automatic contact, and comes with its own parameters.
    let pair = |a: &str, b: &str| PairSpec { geom1: a.into(), geom2: b.into(), condim: Some(1), ..PairSpec::default() };
    spec.pairs = vec![pair("g2", "g1"), pair("g1", "g0")];
    let (_, data) = contacts(&spec);
    let found: Vec<_> = data.contacts.iter().map(|c| (c.geom1.0, c.geom2.0, c.dim)).collect();
    assert_eq!(found, [(0, 1, 1), (1, 2, 1)]);
    let mut spec = chain(Some(JointKind::Hinge));
    spec.bodies[0].geoms[0].contype = 2;
    spec.bodies[0].geoms[0].conaffinity = 0;
    assert!(pairs(&spec).is_empty());
    spec.bodies[1].geoms[0].conaffinity = 2;
    assert_eq!(pairs(&spec), [(0, 1)]);
}

#[test]
fn margins_and_gaps_add_up() {
    let mut spec = ModelSpec::new("margins");
    let world = spec.world();
    let geom = |margin, gap| GeomSpec { margin, gap, ..ball("") };
    add(&mut spec, world, "a", Vec3::ZERO, Some(JointKind::Free), geom(0.02, 0.0));
    add(&mut spec, world, "b", Vec3::X * 0.25, Some(JointKind::Free), geom(0.01, 0.015));
    assert!(pairs(&spec).is_empty(), "0.05 apart, detected at 0.045");
    spec.bodies[2].geoms[0].gap = 0.03;
    let (_, data) = contacts(&spec);
    assert_eq!(data.contacts.len(), 1);
    let c = data.contacts[0];
    assert!((c.include_margin - 0.03).abs() < 1e-15 && c.in_gap && (c.dist - 0.05).abs() < 1e-12);
    spec.bodies[1].geoms[0].margin = 0.06;
    assert!(!contacts(&spec).1.contacts[0].in_gap);
    spec.options.enable.set(Enable::OVERRIDE, true);
    spec.options.override_margin = 0.2;
    spec.options.override_friction = [2.0, 3.0, 4.0, 5.0, 6.0];
    let c = contacts(&spec).1.contacts[0];
    assert_eq!((c.include_margin, c.friction), (0.2, [2.0, 3.0, 4.0, 5.0, 6.0]));
}

#[test]
fn parameters_mix_by_priority_then_by_weight() {
    let mut spec = ModelSpec::new("mix");
    let world = spec.world();
    let a = GeomSpec { friction: [0.2, 0.3, 0.4], solref: [0.1, 1.0], solmix: 3.0, condim: 1, ..ball("") };
    let b = GeomSpec { friction: [0.5, 0.1, 0.1], solref: [0.3, 2.0], solmix: 1.0, condim: 4, ..ball("") };
    add(&mut spec, world, "a", Vec3::ZERO, Some(JointKind::Free), a);
    add(&mut spec, world, "b", Vec3::X * 0.15, Some(JointKind::Free), b);
    let c = contacts(&spec).1.contacts[0];
    assert_eq!((c.dim, c.friction), (4, [0.5, 0.5, 0.3, 0.4, 0.4]));
    assert!((c.solref[0] - 0.15).abs() < 1e-15 && (c.solref[1] - 1.25).abs() < 1e-15);
    spec.bodies[1].geoms[0].priority = 1;
    let c = contacts(&spec).1.contacts[0];
    assert_eq!((c.dim, c.friction, c.solref), (1, [0.2, 0.2, 0.3, 0.4, 0.4], [0.1, 1.0]));
    spec.bodies[1].geoms[0].priority = 0;
    spec.bodies[2].geoms[0].solref = [-100.0, -10.0];
    assert_eq!(contacts(&spec).1.contacts[0].solref, [-100.0, -10.0]);
}

#[test]
fn broad_phase_finds_what_checking_all_pairs_finds() {
    let mut random = Random(9);
    let mut spec = ModelSpec::new("pile");
    let world = spec.world();
    for k in 0..60 {
        let size = [random.range(0.02, 0.2), random.range(0.02, 0.2), random.range(0.02, 0.2)];
        let shape = [GeomShape::Sphere, GeomShape::Box, GeomShape::Capsule, GeomShape::Ellipsoid][k % 4];
        let geom = GeomSpec { shape, size, pos: random.vec3(0.2), quat: random.quat(), ..GeomSpec::default() };
        let pos = random.vec3(0.6);
        add(&mut spec, world, &format!("b{k}"), pos, Some(JointKind::Free), geom);
    }
    let (model, data) = contacts(&spec);
    let mut expected = Vec::new();
    for i in 0..60 {
        for j in i + 1..60 {
            let (a, b) = (saltus_sim::ids::GeomId::new(i), saltus_sim::ids::GeomId::new(j));
            if saltus_sim::collide::geom_distance(&model, &data, a, b, 0.0).is_some() {
                expected.push((i as u32, j as u32));
            }
        }
    }
    let mut found: Vec<_> =
        data.contacts.iter().map(|c| (c.geom1.0.min(c.geom2.0), c.geom1.0.max(c.geom2.0))).collect();
    found.sort_unstable();
    found.dedup();
    assert!(expected.len() > 40);
    assert_eq!(found, expected);
    // Frames are rotations.
    for c in &data.contacts {
        assert!((c.frame.det() - 1.0).abs() < 1e-9);
    }
}
