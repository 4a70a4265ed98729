//! Analytic derivatives of inverse dynamics and of steps, against extrapolated differences.
#![allow(non_snake_case)]

use crate::common::{from_text, model_file};
use saltus::sim::derivative::{self, Inexact, Inverse, Report, Workspace};
use saltus::sim::finite_difference::Transition;
use saltus::sim::inverse::inverse;
use saltus::sim::kinematics::coordinates;
use saltus::sim::options::{Cone, Disable, Integrator};
use saltus::{Data, Model};

/// Small deterministic generator (SplitMix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    fn fill(&mut self, x: &mut [f64], size: f64) {
        x.iter_mut().for_each(|x| *x = size * self.next());
    }
}

/// Kinds of rows, their states and the pieces of contacts: what must not change over a stencil.
fn active_set(data: &Data) -> Vec<(i32, u32, i32)> {
    let rows = &data.constraints;
    (0..rows.len()).map(|i| (rows.kind[i] as i32, rows.id[i], rows.state[i] as i32)).collect()
}

/// Derivative at 0 of a function of one number by central differences, extrapolated to order eight. None if the active
/// set changes.
fn difference(step: f64, mut f: impl FnMut(f64) -> Option<Vec<f64>>) -> Option<Vec<f64>> {
    // The last row of Neville's table: orders 2, 4, …
    let mut table: Vec<Vec<f64>> = vec![];
    for level in 0..4 {
        let h = step / f64::from(1 << level);
        let (above, below) = (f(h)?, f(-h)?);
        let mut row = vec![above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>()];
        let mut factor = 4.0;
        for coarse in &table {
            let fine = &row[row.len() - 1];
            let next = fine.iter().zip(coarse).map(|(f, c)| f + (f - c) / (factor - 1.0)).collect();
            row.push(next);
            factor *= 4.0;
        }
        table = row;
    }
    table.pop()
}

/// Inverse dynamics and actuation.
fn run(model: &Model, data: &mut Data) {
    inverse(model, data).unwrap();
    saltus::sim::actuation::update_actuation(model, data, &mut saltus::sim::NoCallbacks);
}

/// Largest relative error (Frobenius) of ∂τ/∂q, ∂τ/∂v, ∂τ/∂a against differences of inverse dynamics at the present
/// state; None if the active set is not constant nearby.
fn inverse_error(model: &Model, data: &Data, actuation: bool, report: &mut Report) -> Option<[f64; 3]> {
    let nv = model.size.nv;
    let mut base = data.clone();
    run(model, &mut base);
    let mut work = Workspace::default();
    let mut ours = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
    let [dq, dv, da] = &mut ours;
    let out = Inverse { dtau_dq: dq, dtau_dv: dv, dtau_da: da };
    *report = derivative::inverse(model, &base, actuation, &mut work, out).unwrap().clone();
    let set = active_set(&base);
    let mut errors = [0.0; 3];
    for kind in 0..3 {
        let (mut wrong, mut size) = (0.0, 0.0);
        let step = [3e-5, 1e-3, 1e-2][kind];
        for i in 0..nv {
            let column = difference(step, |h| {
                let mut probe = base.clone();
                match kind {
                    0 => {
                        let mut unit = vec![0.0; nv];
                        unit[i] = 1.0;
                        coordinates::integrate(model, &mut probe.state.q, &unit, h);
                    }
                    1 => probe.state.v[i] += h,
                    _ => probe.acceleration.a[i] += h,
                }
                run(model, &mut probe);
                let mut force = probe.acceleration.tau_inverse.clone();
                if actuation {
                    force.iter_mut().zip(&probe.acceleration.tau_actuator).for_each(|(f, u)| *f -= u);
                }
                (active_set(&probe) == set).then_some(force)
            })?;
            for j in 0..nv {
                wrong += (ours[kind][j * nv + i] - column[j]).powi(2);
                size += column[j].powi(2);
            }
        }
        errors[kind] = wrong.sqrt() / size.sqrt().max(1.0);
    }
    Some(errors)
}

/// What a check found.
#[derive(Debug, Default)]
struct Checked {
    states: usize,
    /// Rows of contacts with force, over all states.
    contact_rows: usize,
    worst: [f64; 3],
}

/// Checks states until the active set of enough of them is constant nearby.
fn check_inverse(model: &Model, wanted: usize, what: &str, mut place: impl FnMut(&mut Data, &mut Rng)) -> Checked {
    let mut rng = Rng(7);
    let (mut checked, mut inexact) = (Checked::default(), 0);
    for k in 0..8 * wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut rng);
        let mut report = Report::default();
        let Some(errors) = inverse_error(model, &data, k % 2 == 1, &mut report) else { continue };
        inverse(model, &mut data).unwrap();
        if !report.exact() {
            inexact += 1;
            continue;
        }
        for (w, e) in checked.worst.iter_mut().zip(errors) {
            *w = w.max(e);
        }
        assert!(errors.iter().all(|e| *e <= 1e-8), "{what}, state {k}: {errors:?}");
        let rows = &data.constraints;
        let contacts = |i: usize| rows.kind[i] as i32 >= 5 && rows.force[i] != 0.0;
        checked.contact_rows += (0..rows.len()).filter(|&i| contacts(i)).count();
        checked.states += 1;
        if checked.states == wanted {
            break;
        }
    }
    println!("{what}: {checked:?}, {inexact} not exact");
    assert_eq!(checked.states, wanted, "{what}");
    checked
}

/// A humanoid in a random pose, on the floor.
fn on_the_floor(model: &Model, data: &mut Data, rng: &mut Rng) {
    let nv = model.size.nv;
    let mut move_by = vec![0.0; nv];
    rng.fill(&mut move_by, 0.3);
    move_by[2] = 0.0;
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    rng.fill(&mut data.state.v, 1.0);
    rng.fill(&mut data.acceleration.a, 10.0);
    // Down until something touches, then a little deeper.
    for depth in [0.1, 0.01, 0.001, 0.0001] {
        for _ in 0..40 {
            saltus::sim::forward(model, data);
            if data.contacts.iter().any(|c| c.dist < -0.0003) {
                data.state.q[2] += depth;
                break;
            }
            data.state.q[2] -= depth;
        }
    }
    data.state.q[2] -= 0.0012 + 0.001 * rng.next();
    data.acceleration.a.fill(0.0);
    rng.fill(&mut data.acceleration.a, 10.0);
}

#[test]
fn bare_humanoid_on_the_floor() {
    for (cone, name) in [(Cone::Pyramidal, "pyramidal"), (Cone::Elliptic, "elliptic")] {
        let mut model = saltus::load(model_file("humanoid.xml")).unwrap();
        model.options.cone = cone;
        for off in [Disable::LIMIT, Disable::SPRING, Disable::DAMPER] {
            model.options.disable.set(off, true);
        }
        let name = format!("bare humanoid, {name}");
        let checked = check_inverse(&model, 6, &name, |data, rng| on_the_floor(&model, data, rng));
        assert!(checked.contact_rows > 10, "{checked:?}");
    }
}

#[test]
fn humanoid_on_the_floor() {
    for (cone, name) in [(Cone::Pyramidal, "pyramidal"), (Cone::Elliptic, "elliptic")] {
        let mut model = saltus::load(model_file("humanoid.xml")).unwrap();
        model.options.cone = cone;
        let name = format!("humanoid, {name}");
        let checked = check_inverse(&model, 6, &name, |data, rng| {
            on_the_floor(&model, data, rng);
            rng.fill(&mut data.input.ctrl, 0.5);
        });
        assert!(checked.contact_rows > 10, "{checked:?}");
    }
}

/// Two bodies that fall onto each other, over the floor.
fn pair_text(first: &str, second: &str, dim: usize) -> String {
    format!(
        r#"<mujoco><option timestep="0.002"/><default><geom condim="{dim}" friction="0.7 0.03 0.02" margin="0.001"/></default>
        <worldbody><geom type="plane" size="5 5 1" contype="2" conaffinity="2"/>
        <body pos="0 0 1"><freejoint/><geom {first}/></body>
        <body pos="0 0 1.2"><joint type="ball" pos="0.1 0.2 0"/><joint type="slide" axis="0 0 1"/><geom {second}/></body>
        </worldbody></mujoco>"#
    )
}

/// The second body is moved along a random line until the two touch.
fn touching(model: &Model, data: &mut Data, rng: &mut Rng) {
    let nv = model.size.nv;
    let mut move_by = vec![0.0; nv];
    rng.fill(&mut move_by, 1.0);
    move_by[2] = 0.0;
    move_by[9] = 0.0;
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    rng.fill(&mut data.state.q[..2], 0.1);
    rng.fill(&mut data.state.v, 1.0);
    data.state.q[11] = 1.0;
    let (mut high, mut low) = (1.0, -0.2);
    for _ in 0..40 {
        data.state.q[11] = 0.5 * (high + low);
        saltus::sim::forward(model, data);
        if data.contacts.iter().any(|c| c.dist < -0.0004) { low = data.state.q[11] } else { high = data.state.q[11] }
    }
    rng.fill(&mut data.acceleration.a, 50.0);
}

const SPHERE: &str = r#"type="sphere" size="0.11""#;
const CAPSULE: &str = r#"type="capsule" size="0.07 0.13""#;
const BOX: &str = r#"type="box" size="0.12 0.1 0.08""#;
const CYLINDER: &str = r#"type="cylinder" size="0.1 0.12""#;
const ELLIPSOID: &str = r#"type="ellipsoid" size="0.12 0.09 0.07""#;

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
            let checked = check_inverse(&model, 8, &name, |data, rng| touching(&model, data, rng));
            assert!(checked.contact_rows > 0, "{name}");
        }
    }
}

#[test]
fn shapes_on_the_ground() {
    let field = r#"<asset><hfield name="f" nrow="7" ncol="7" size="2 2 0.4 0.1"
        elevation="0 1 2 3 2 1 0 1 3 2 4 5 6 1 2 4 3 2 1 5 3 3 2 1 0 4 2 1 6 5 4 2 1 0 3 2 1 4 3 2 5 1 0 2 1 3 4 2 5"/></asset>"#;
    for (ground, asset) in [(r#"type="plane" size="5 5 1""#, ""), (r#"type="hfield" hfield="f""#, field)] {
        for shape in [SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID] {
            if asset != "" && (shape == CYLINDER || shape == ELLIPSOID) {
                continue;
            }
            let model = from_text(&format!(
                r#"<mujoco>{asset}<default><geom condim="4" friction="0.7 0.03 0.02" margin="0.0005"/></default>
                <worldbody><body pos="0.1 0 0" euler="10 5 0"><geom {ground}/></body>
                <body pos="0 0 1"><freejoint/><geom {shape}/></body></worldbody></mujoco>"#
            ));
            let checked =
                check_inverse(&model, 6, &format!("{shape} on {ground}"), |data, rng| on_the_floor(&model, data, rng));
            assert!(checked.contact_rows > 0);
        }
    }
}

/// Relative errors (Frobenius) of the blocks ∂q⁺/∂x, ∂v⁺/∂x, ∂act⁺/∂x and of B against differences of steps; None if the
/// active set is not constant nearby.
fn transition_error(model: &Model, data: &Data, report: &mut Report) -> Option<[f64; 4]> {
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let n = 2 * nv + na;
    let mut base = data.clone();
    saltus::sim::forward(model, &mut base);
    let set = active_set(&base);
    let mut work = Workspace::default();
    let (mut A, mut B) = (vec![0.0; n * n], vec![0.0; n * nu]);
    let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
    *report = derivative::transition(model, &base, &mut work, out).unwrap().clone();
    let mut after = base.clone();
    saltus::step(model, &mut after).unwrap();
    let (mut wrong, mut size) = ([0.0; 4], [0.0; 4]);
    for c in 0..n + nu {
        let step = if c < nv { 2e-5 } else { 1e-3 };
        let column = difference(step, |h| {
            let mut probe = base.clone();
            if c < nv {
                let mut unit = vec![0.0; nv];
                unit[c] = 1.0;
                coordinates::integrate(model, &mut probe.state.q, &unit, h);
            } else if c < 2 * nv {
                probe.state.v[c - nv] += h;
            } else if c < n {
                probe.state.act[c - 2 * nv] += h;
            } else {
                probe.input.ctrl[c - n] += h;
            }
            saltus::step(model, &mut probe).unwrap();
            if active_set(&probe) != set {
                return None;
            }
            let mut change = vec![0.0; nv];
            coordinates::difference(model, &after.state.q, &probe.state.q, 1.0, &mut change);
            change.extend(probe.state.v.iter().zip(&after.state.v).map(|(a, b)| a - b));
            change.extend(probe.state.act.iter().zip(&after.state.act).map(|(a, b)| a - b));
            Some(change)
        })?;
        for (i, x) in column.iter().enumerate() {
            let ours = if c < n { A[i * n + c] } else { B[i * nu + c - n] };
            let block = if c >= n {
                3
            } else if i < nv {
                0
            } else if i < 2 * nv {
                1
            } else {
                2
            };
            wrong[block] += (ours - x).powi(2);
            size[block] += x.powi(2);
        }
    }
    Some(std::array::from_fn(|k| wrong[k].sqrt() / size[k].sqrt().max(1e-12)))
}

/// Checks steps from states until the active set of enough of them is constant nearby.
fn check_transition(
    model: &Model,
    wanted: usize,
    bound: f64,
    what: &str,
    mut place: impl FnMut(&mut Data, &mut Rng),
) -> usize {
    let mut rng = Rng(11);
    let (mut states, mut contact_rows, mut worst) = (0, 0, [0.0f64; 4]);
    for k in 0..12 * wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut rng);
        let mut report = Report::default();
        let Some(errors) = transition_error(model, &data, &mut report) else { continue };
        if !report.exact() {
            println!("{what}, state {k}: {report:?} {errors:?}");
            continue;
        }
        worst.iter_mut().zip(errors).for_each(|(w, e)| *w = w.max(e));
        assert!(errors.iter().all(|e| *e <= bound), "{what}, state {k}: {errors:?}");
        saltus::sim::forward(model, &mut data);
        let rows = &data.constraints;
        contact_rows += (0..rows.len()).filter(|&i| rows.kind[i] as i32 >= 5 && rows.force[i] != 0.0).count();
        states += 1;
        if states == wanted {
            break;
        }
    }
    println!("{what}: {states} states, {contact_rows} contact rows, worst errors {worst:?}");
    assert_eq!(states, wanted, "{what}");
    contact_rows
}

/// The solver goes on until round-off.
fn converge(model: &mut Model) {
    model.options.tolerance = 0.0;
    model.options.ls_tolerance = 1e-10;
    model.options.iterations = 200;
    model.options.ls_iterations = 100;
}

const INTEGRATORS: [Integrator; 6] = [
    Integrator::Euler,
    Integrator::ImplicitFast,
    Integrator::Implicit,
    Integrator::SemiImplicit,
    Integrator::Explicit,
    Integrator::Midpoint,
];

#[test]
fn steps_of_the_humanoid() {
    for (k, integrator) in INTEGRATORS.into_iter().enumerate() {
        let mut model = saltus::load(model_file("humanoid.xml")).unwrap();
        converge(&mut model);
        model.options.integrator = integrator;
        model.options.cone = if k % 2 == 0 { Cone::Pyramidal } else { Cone::Elliptic };
        let rows = check_transition(&model, 3, 1e-7, &format!("steps of the humanoid, {integrator:?}"), |data, rng| {
            on_the_floor(&model, data, rng);
            rng.fill(&mut data.input.ctrl, 0.5);
        });
        assert!(rows > 5);
    }
}

const DRIVEN: &str = r#"<mujoco><option timestep="0.004"/><worldbody>
    <body name="a"><joint name="ball" type="ball" pos="0 0 0.3" damping="0.3" stiffness="2"/>
      <geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/><site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
      <body pos="0.1 0 -0.3"><joint name="h1" axis="0 1 0" damping="0.2 0.1 0.05" stiffness="1 0.5 0.2"/>
        <joint name="h2" axis="1 0 0" pos="0 0 0.1" damping="0.1"/>
        <geom type="box" size="0.1 0.05 0.08" contype="0" conaffinity="0"/><site name="t" pos="0 0.1 -0.1"/>
        <body pos="0 0 -0.2"><joint name="sl" type="slide" axis="0 0.6 0.8" limited="true" range="-0.01 0.5"/>
          <geom type="sphere" size="0.07" contype="0" conaffinity="0"/><site name="u" pos="0.05 0 0"/></body></body></body>
    <body pos="1 0 1"><freejoint name="free"/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="fix" stiffness="1" damping="0.2" range="-0.2 0.3" limited="true"><joint joint="h1" coef="0.7"/><joint joint="h2" coef="-0.4"/></fixed>
    <spatial name="sp" stiffness="3" springlength="0.1" limited="true" range="0 0.2"><site site="s"/><site site="t"/><site site="u"/></spatial></tendon>
  <actuator><position joint="h1" kp="20" kv="2"/><position joint="h2" kp="10" timeconst="0.03"/>
    <intvelocity joint="sl" kp="5" actrange="-1 1"/><general joint="ball" gear="1 -0.5 0.3" gainprm="3" biastype="affine" biasprm="0 -2 -0.3"/>
    <motor jointinparent="free" gear="1 2 3 0.4 0.5 0.6"/><motor site="u" gear="1 0.5 -0.3 0.1 0.2 0.3"/>
    <muscle joint="h1" lengthrange="-2 2" gear="2" tausmooth="0.2"/><motor tendon="fix" gear="3"/>
    <general tendon="fix" dyntype="filterexact" dynprm="0.05" gainprm="2" biastype="affine" biasprm="0.1 -1 -0.1" actearly="true"/>
  </actuator></mujoco>"#;

fn anywhere(model: &Model, data: &mut Data, rng: &mut Rng) {
    let mut move_by = vec![0.0; model.size.nv];
    rng.fill(&mut move_by, 0.8);
    let mut q = data.state.q.clone();
    coordinates::integrate(model, &mut q, &move_by, 1.0);
    data.state.q.copy_from_slice(&q);
    rng.fill(&mut data.state.v, 1.0);
    rng.fill(&mut data.acceleration.a, 5.0);
    rng.fill(&mut data.input.ctrl, 0.5);
    rng.fill(&mut data.state.act, 0.5);
    data.state.act.iter_mut().for_each(|x| *x = x.abs());
    data.input.ctrl.iter_mut().for_each(|x| *x = x.abs());
}

#[test]
fn actuators_tendons_and_their_steps() {
    let mut model = from_text(DRIVEN);
    check_inverse(&model, 6, "driven", |data, rng| anywhere(&model, data, rng));
    converge(&mut model);
    for integrator in INTEGRATORS {
        model.options.integrator = integrator;
        // Under the implicit integrators a muscle's damping changes with its activation, which is reported.
        if matches!(integrator, Integrator::Implicit | Integrator::ImplicitFast) {
            model.options.disable_actuator_groups = 1 << 3;
            model.actuators.group[6] = 3;
        }
        let name = format!("driven, {integrator:?}");
        check_transition(&model, 3, 1e-7, &name, |data, rng| anywhere(&model, data, rng));
        model.options.disable_actuator_groups = 0;
    }
}

const JOINED: &str = r#"<mujoco><option timestep="0.004"/><default><equality solimp="0.5 0.9 0.3 0.5 3"/></default><worldbody>
    <body name="a"><joint type="ball" pos="0 0 0.3"/><geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/>
      <site name="s" pos="0.1 0 0.1" euler="10 20 30"/>
      <body name="b" pos="0.1 0 -0.3"><joint name="h1" axis="0 1 0" frictionloss="0.3"/><joint name="h2" axis="1 0 0" pos="0 0 0.1"/>
        <geom type="box" size="0.1 0.05 0.08" contype="0" conaffinity="0"/><site name="t" pos="0 0.1 -0.1"/></body></body>
    <body name="c" pos="0.3 0 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/><site name="u"/></body>
    <body name="d" pos="-0.3 0 0.1"><joint name="lim" type="ball" limited="true" range="0 0.3"/><joint name="sl" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="f1"><joint joint="h1" coef="0.7"/><joint joint="h2" coef="-0.4"/></fixed>
    <spatial name="f2" frictionloss="0.2"><site site="s"/><site site="t"/><site site="u"/></spatial></tendon>
  <equality><connect body1="a" body2="c" anchor="0.1 0.1 0"/><weld body1="b" body2="c" torquescale="0.7"/>
    <weld site1="s" site2="u"/><connect body1="b" body2="a" anchor="0 0 0.1"/><weld body1="d"/>
    <joint joint1="h1" joint2="h2" polycoef="0.1 0.5 0.3 -0.2 0.1"/><joint joint1="sl" polycoef="0.1"/>
    <tendon tendon1="f1" tendon2="f2" polycoef="0.1 0.4 0.2 0.3 -0.1"/></equality></mujoco>"#;

#[test]
fn equalities() {
    let mut model = from_text(JOINED);
    check_inverse(&model, 8, "joined", |data, rng| anywhere(&model, data, rng));
    converge(&mut model);
    check_transition(&model, 3, 1e-7, "joined", |data, rng| anywhere(&model, data, rng));
}

/// Sensors of the humanoid and of a model with sensors of all kinds: C and D against differences.
#[test]
fn sensors() {
    for name in ["features/sensors.xml", "humanoid.xml"] {
        let mut model = saltus::load(model_file(name)).unwrap();
        converge(&mut model);
        model.options.integrator = Integrator::Euler;
        let (nv, na, nu, rows) = (model.size.nv, model.size.na, model.size.nu, model.size.nsensordata);
        let n = 2 * nv + na;
        let mut rng = Rng(5);
        for k in 0..3 {
            let mut base = Data::new(&model);
            anywhere(&model, &mut base, &mut rng);
            saltus::sim::forward(&model, &mut base);
            let (mut C, mut D) = (vec![0.0; rows * n], vec![0.0; rows * nu]);
            let out = Transition { C: Some(&mut C), D: Some(&mut D), ..Default::default() };
            let mut work = Workspace::default();
            let report = derivative::transition(&model, &base, &mut work, out).unwrap();
            println!("{name} {k}: {rows} rows, {:?}", report.inexact);
            let other = |i: &Inexact| !matches!(i, Inexact::Sensor(_));
            if report.inexact.iter().any(other) {
                continue;
            }
            let exact: Vec<bool> = (0..rows)
                .map(|r| {
                    let of = |s: usize| {
                        let start = model.sensors.start[s] as usize;
                        (start..start + model.sensors.dim[s] as usize).contains(&r)
                    };
                    !report.inexact.iter().any(|i| matches!(i, Inexact::Sensor(s) if of(*s)))
                })
                .collect();
            let set = active_set(&base);
            for c in 0..n + nu {
                let column = difference(if c < nv { 2e-5 } else { 1e-3 }, |h| {
                    let mut probe = base.clone();
                    if c < nv {
                        let mut unit = vec![0.0; nv];
                        unit[c] = 1.0;
                        coordinates::integrate(&model, &mut probe.state.q, &unit, h);
                    } else if c < 2 * nv {
                        probe.state.v[c - nv] += h;
                    } else if c < n {
                        probe.state.act[c - 2 * nv] += h;
                    } else {
                        probe.input.ctrl[c - n] += h;
                    }
                    saltus::sim::forward(&model, &mut probe);
                    (active_set(&probe) == set).then(|| probe.sensor.clone())
                });
                let Some(column) = column else { continue };
                let scale = 1.0 + column.iter().fold(0.0f64, |s, x| s.max(x.abs()));
                for r in (0..rows).filter(|&r| exact[r]) {
                    let ours = if c < n { C[r * n + c] } else { D[r * nu + c - n] };
                    let error = (ours - column[r]).abs() / scale;
                    assert!(error < 1e-6, "{name} {k}: row {r}, column {c}: {ours} {} {error:e}", column[r]);
                }
            }
        }
    }
}

/// Random poses of the feature models that are in scope; what is reported as not exact is not checked.
#[test]
fn feature_models() {
    for name in [
        "features/joints.xml",
        "features/actuators.xml",
        "features/tendons.xml",
        "features/constraints.xml",
        "features/fluid.xml",
        "features/contacts.xml",
        "features/contacts_elliptic.xml",
        "hand.xml",
    ] {
        let model = saltus::load(model_file(name)).unwrap();
        let mut rng = Rng(3);
        for k in 0..4 {
            let mut data = Data::new(&model);
            anywhere(&model, &mut data, &mut rng);
            let mut report = Report::default();
            let errors = inverse_error(&model, &data, true, &mut report);
            if let (Some(errors), true) = (errors, report.exact()) {
                assert!(errors.iter().all(|e| *e <= 1e-8), "{name}, state {k}: {errors:?}");
            }
            println!("{name} {k}: {errors:?} {:?}", report.inexact);
        }
    }
}

/// Times of derivatives and of what they replace, in µs: `cargo test --release -- --ignored --nocapture timing`.
#[test]
#[ignore = "a measurement"]
fn timing() {
    let only = std::env::var("TIMING_MODEL").ok();
    for name in ["humanoid.xml", "hand.xml"].into_iter().filter(|n| only.as_deref().is_none_or(|o| o == *n)) {
        let model = saltus::load(model_file(name)).unwrap();
        let (nv, nu, n) = (model.size.nv, model.size.nu, 2 * model.size.nv + model.size.na);
        let mut data = Data::new(&model);
        for _ in 0..300 {
            saltus::step(&model, &mut data).unwrap();
        }
        let time = |repeat: usize, f: &mut dyn FnMut()| {
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let start = std::time::Instant::now();
                for _ in 0..repeat {
                    f();
                }
                best = best.min(start.elapsed().as_secs_f64() * 1e6 / repeat as f64);
            }
            best
        };
        let mut stepping = data.clone();
        let step = time(500, &mut || saltus::step(&model, &mut stepping).unwrap());
        saltus::sim::forward(&model, &mut data);
        let mut work = Workspace::default();
        let (mut q, mut v, mut a) = (vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
        let inverse = time(500, &mut || {
            let out = Inverse { dtau_dq: &mut q, dtau_dv: &mut v, dtau_da: &mut a };
            derivative::inverse(&model, &data, false, &mut work, out).unwrap();
        });
        let (mut A, mut B) = (vec![0.0; n * n], vec![0.0; n * nu]);
        let transition = time(500, &mut || {
            let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
            derivative::transition(&model, &data, &mut work, out).unwrap();
        });
        let differences = time(5, &mut || {
            let out = Transition { A: Some(&mut A), B: Some(&mut B), ..Default::default() };
            saltus::sim::finite_difference::transition(&model, &data, 1e-6, true, out).unwrap();
        });
        let (contacts, rows) = (data.contacts.len(), data.constraints.len());
        println!(
            "{name}: nv {nv}, {contacts} contacts, {rows} rows; step {step:.1}, inverse {inverse:.1}, transition {transition:.1}, centered differences {differences:.0}"
        );
    }
}
