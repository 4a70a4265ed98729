//! Inverse dynamics through contacts: the humanoid, all pairs of shapes that are exact, shapes on
//! the ground.

use super::{check_inverse, on_the_floor};
use crate::common::{from_text, load, model_file};
use saltus_math::Random;
use saltus_sim::derivative::{self, Inverse, Workspace};
use saltus_sim::inverse;
use saltus_sim::kinematics::coordinates;
use saltus_sim::options::{Cone, Disable};
use saltus_sim::{Data, Model};

#[test]
fn bare_humanoid_on_the_floor() {
    for (cone, name) in [(Cone::Pyramidal, "pyramidal"), (Cone::Elliptic, "elliptic")] {
        let mut model = load(model_file("humanoid.xml")).unwrap();
        model.options.cone = cone;
        for off in [Disable::LIMIT, Disable::SPRING, Disable::DAMPER] {
            model.options.disable.set(off, true);
        }
        let name = format!("bare humanoid, {name}");
        let checked = check_inverse(&model, 6, &name, |data, random| on_the_floor(&model, data, random));
        assert!(checked.contact_rows > 10, "{checked:?}");
    }
}

#[test]
fn humanoid_on_the_floor() {
    for (cone, name) in [(Cone::Pyramidal, "pyramidal"), (Cone::Elliptic, "elliptic")] {
        let mut model = load(model_file("humanoid.xml")).unwrap();
        model.options.cone = cone;
        let name = format!("humanoid, {name}");
        let checked = check_inverse(&model, 6, &name, |data, random| {
            on_the_floor(&model, data, random);
            random.fill(&mut data.input.ctrl, 0.5);
        });
        assert!(checked.contact_rows > 10, "{checked:?}");
    }
}

/// Two bodies that fall onto each other, over the floor.
pub(super) fn pair_text(first: &str, second: &str, dim: usize) -> String {
    format!(
        r#"<mujoco><option timestep="0.002"/><default><geom condim="{dim}" friction="0.7 0.03 0.02" margin="0.001"/></default>
        <worldbody><geom type="plane" size="5 5 1" contype="2" conaffinity="2"/>
        <body pos="0 0 1"><freejoint/><geom {first}/></body>
        <body pos="0 0 1.2"><joint type="ball" pos="0.1 0.2 0"/><joint type="slide" axis="0 0 1"/><geom {second}/></body>
        </worldbody></mujoco>"#
    )
}

/// The second body is moved along a random line until the two touch.
pub(super) fn touching(model: &Model, data: &mut Data, random: &mut Random) {
    let nv = model.size.nv;
    let mut move_by = vec![0.0; nv];
    random.fill(&mut move_by, 1.0);
    move_by[2] = 0.0;
    move_by[9] = 0.0;
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    random.fill(&mut data.state.q[..2], 0.1);
    random.fill(&mut data.state.v, 1.0);
    data.state.q[11] = 1.0;
    let (mut high, mut low) = (1.0, -0.2);
    for _ in 0..40 {
        data.state.q[11] = 0.5 * (high + low);
        saltus_sim::forward(model, data);
        if data.contacts.iter().any(|c| c.dist < -0.0004) { low = data.state.q[11] } else { high = data.state.q[11] }
    }
    random.fill(&mut data.acceleration.a, 50.0);
}

pub(super) const SPHERE: &str = r#"type="sphere" size="0.11""#;
pub(super) const CAPSULE: &str = r#"type="capsule" size="0.07 0.13""#;
pub(super) const BOX: &str = r#"type="box" size="0.12 0.1 0.08""#;
pub(super) const CYLINDER: &str = r#"type="cylinder" size="0.1 0.12""#;
pub(super) const ELLIPSOID: &str = r#"type="ellipsoid" size="0.12 0.09 0.07""#;

#[test]
fn pairs_of_shapes() {
    let pairs = [
        (SPHERE, SPHERE),
        (SPHERE, CAPSULE),
        (SPHERE, BOX),
        (SPHERE, CYLINDER),
        (SPHERE, ELLIPSOID),
        (CAPSULE, CAPSULE),
        (CAPSULE, BOX),
        (CAPSULE, ELLIPSOID),
        (BOX, BOX),
    ];
    for (first, second) in pairs {
        for (dim, cone) in [(1, Cone::Elliptic), (3, Cone::Pyramidal), (4, Cone::Elliptic), (6, Cone::Pyramidal)] {
            let mut model = from_text(&pair_text(first, second, dim));
            model.options.cone = cone;
            let name = format!("{first} on {second}, {dim} {cone:?}");
            let checked = check_inverse(&model, 8, &name, |data, random| touching(&model, data, random));
            assert!(checked.contact_rows > 0, "{name}");
        }
    }
}

const MESH: &str = r#"type="mesh" mesh="m""#;
/// A frustum. Its symmetry keeps sides plane when vertices are rounded to single precision: normals
/// of triangles that are only almost in a plane jump, which differences see.
const HULL: &str = r#"<mujoco><asset><mesh name="m" vertex="-0.109375 -0.09375 -0.0625  0.109375 -0.09375 -0.0625  0.109375 0.09375 -0.0625
    -0.109375 0.09375 -0.0625  -0.0625 -0.046875 0.09375  0.0625 -0.046875 0.09375  0.0625 0.046875 0.09375  -0.0625 0.046875 0.09375"/></asset>"#;

/// Pairs of the general routine: corners, edges and faces of hulls.
#[test]
fn pairs_of_hulls() {
    for (first, second) in [(CAPSULE, MESH), (BOX, MESH), (MESH, MESH)] {
        for (dim, cone) in [(1, Cone::Elliptic), (3, Cone::Pyramidal), (6, Cone::Elliptic)] {
            let mut model = from_text(&pair_text(first, second, dim).replacen("<mujoco>", HULL, 1));
            model.options.cone = cone;
            let name = format!("{first} on {second}, {dim} {cone:?}");
            let checked = check_inverse(&model, 20, &name, |data, random| touching(&model, data, random));
            assert!(checked.contact_rows > 0, "{name}");
        }
    }
}

/// Flat contacts of several points: turned about the vertical at random and tilted by up to 0.03
/// rad, face on face and edge on face.
#[test]
fn flat_pairs_of_hulls() {
    for (first, second, turn) in [(BOX, MESH, ""), (MESH, MESH, ""), (BOX, MESH, r#"euler="0 45 0""#)] {
        let text = pair_text(&format!("{first} {turn}"), second, 3).replacen("<mujoco>", HULL, 1);
        let model = from_text(&text);
        let name = format!("{first} {turn} flat on {second}");
        let mut points = 0;
        let place = |data: &mut Data, random: &mut Random| {
            let mut move_by = vec![0.0; model.size.nv];
            random.fill(&mut move_by, 0.03);
            move_by[5] = 3.0 * random.signed();
            let mut q = data.state.q.clone();
            coordinates::integrate(&model, &mut q, &move_by, 1.0);
            data.state.q.copy_from_slice(&q);
            random.fill(&mut data.state.v, 1.0);
            let (mut high, mut low) = (1.0, -0.2);
            for _ in 0..40 {
                data.state.q[11] = 0.5 * (high + low);
                saltus_sim::forward(&model, data);
                let touch = data.contacts.iter().any(|c| c.dist < -0.004);
                if touch { low = data.state.q[11] } else { high = data.state.q[11] }
            }
            points += data.contacts.len();
            random.fill(&mut data.acceleration.a, 50.0);
        };
        let checked = check_inverse(&model, 12, &name, place);
        println!("{name}: {points} points, {checked:?}");
        assert!(points >= 24, "{name}: {points} points");
    }
}

#[test]
fn shapes_on_the_ground() {
    let field = r#"<asset><hfield name="f" nrow="7" ncol="7" size="2 2 0.4 0.1"
        elevation="0 1 2 3 2 1 0 1 3 2 4 5 6 1 2 4 3 2 1 5 3 3 2 1 0 4 2 1 6 5 4 2 1 0 3 2 1 4 3 2 5 1 0 2 1 3 4 2 5"/></asset>"#;
    for (ground, asset) in [(r#"type="plane" size="5 5 1""#, ""), (r#"type="hfield" hfield="f""#, field)] {
        for shape in [SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID] {
            if !asset.is_empty() && (shape == CYLINDER || shape == ELLIPSOID) {
                continue;
            }
            let model = from_text(&format!(
                r#"<mujoco>{asset}<default><geom condim="4" friction="0.7 0.03 0.02" margin="0.0005"/></default>
                <worldbody><body pos="0.1 0 0" euler="10 5 0"><geom {ground}/></body>
                <body pos="0 0 1"><freejoint/><geom {shape}/></body></worldbody></mujoco>"#
            ));
            let checked = check_inverse(&model, 6, &format!("{shape} on {ground}"), |data, random| {
                on_the_floor(&model, data, random)
            });
            assert!(checked.contact_rows > 0);
        }
    }
}

#[test]
fn contacts_that_are_as_hard_as_may_be_do_not_become_harder() {
    // So heavy that regularizers are at their least, and do not change with the depth as those of
    // other contacts.
    for cone in ["pyramidal", "elliptic"] {
        for dim in [1, 3] {
            let xml = format!(
                "<mujoco><option cone='{cone}'/><worldbody><geom type='plane' size='1 1 1' condim='{dim}'/>
                 <body><freejoint/><geom size='0.1' mass='1e16' condim='{dim}'/></body></worldbody></mujoco>"
            );
            let model = from_text(&xml);
            let height = |z: f64| {
                let mut data = Data::new(&model);
                data.state.q[2] = z;
                inverse(&model, &mut data).unwrap();
                data
            };
            let (z, step) = (0.0997, 1e-7);
            let data = height(z);
            let mut slopes = [vec![0.0; 36], vec![0.0; 36], vec![0.0; 36]];
            let [dtau_dq, dtau_dv, dtau_da] = &mut slopes;
            let out = Inverse { dtau_dq, dtau_dv, dtau_da };
            assert!(derivative::inverse(&model, &data, false, &mut Workspace::default(), out).unwrap().exact());
            let [high, low] = [z + step, z - step].map(|z| height(z).acceleration.tau_inverse[2]);
            let (ours, expected) = (slopes[0][2 * 6 + 2], (high - low) / (2.0 * step));
            assert!((ours - expected).abs() < 1e-6 * expected.abs(), "{cone} {dim}: {ours} {expected}");
        }
    }
}
