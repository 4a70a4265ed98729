//! The invertible law in the engine: what it does to bodies, and that inverse dynamics undoes it.
#![allow(non_snake_case)]

use crate::common::{from_text, load, model_file};
use saltus_sim::data::SolverStatus;
use saltus_sim::inverse;
use saltus_sim::law::invertible;
use saltus_sim::options::Disable;
use saltus_sim::options::law::{Law, Profile, Scaling};
use saltus_sim::{Data, Model, forward, step};

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

fn size(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Applied force less what inverse dynamics says it was, relative to the largest force.
fn mismatch(model: &Model, data: &mut Data) -> f64 {
    forward(model, data);
    let report = &data.constraints.report;
    assert!(matches!(report.status, SolverStatus::Converged | SolverStatus::Unconstrained), "{report:?}");
    let mut applied = data.acceleration.tau_actuator.clone();
    applied.iter_mut().zip(&data.input.tau_applied).for_each(|(x, t)| *x += t);
    let forces = data.constraints.force.clone();
    let scale = size(&data.acceleration.tau_constraint).max(size(&applied)).max(1.0);
    let mut back = data.clone();
    inverse(model, &mut back).unwrap();
    let rows = difference(&forces, &back.constraints.force) / size(&forces).max(1.0);
    rows.max(difference(&applied, &back.acceleration.tau_inverse) / scale)
}

#[test]
fn inverse_dynamics_undoes_the_law_on_a_humanoid_in_contact() {
    for (h, steps, walls) in [(0.001, 900, true), (0.01, 150, true), (0.01, 150, false)] {
        let mut model = load(model_file("humanoid.xml")).unwrap();
        model.options.laws.law = Law::Invertible;
        model.options.laws.invertible.walls = walls;
        model.options.timestep = h;
        let mut data = Data::new(&model);
        data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = -0.2 + 0.1 * (i as f64).sin());
        let (mut worst, mut most) = (0.0_f64, 0);
        for _ in 0..steps {
            worst = worst.max(mismatch(&model, &mut data));
            most = most.max(data.contacts.len());
            step(&model, &mut data).unwrap();
        }
        assert!(most > 3, "the humanoid touches the floor");
        assert!(worst < 1e-9, "h = {h}: {worst:.1e}");
    }
}

#[test]
fn without_walls_friction_opposes_sliding() {
    let mut model = load(model_file("humanoid.xml")).unwrap();
    (model.options.laws.law, model.options.laws.invertible.walls) = (Law::Invertible, false);
    model.options.timestep = 0.01;
    let mut data = Data::new(&model);
    let mut seen = 0;
    for _ in 0..150 {
        forward(&model, &mut data);
        let rows = &data.constraints;
        let mut v = vec![0.0; rows.len()];
        rows.mul(&data.acceleration.a, &mut v);
        v.iter_mut().zip(&rows.vel).for_each(|(v, before)| *v = before + 0.01 * *v);
        for c in data.contacts.iter().filter(|c| c.first_row >= 0 && c.dim == 3) {
            let i = c.first_row as usize;
            let (f, v) = (&rows.force[i..i + 3], &v[i..i + 3]);
            let (along, across) = (f[1] * v[1] + f[2] * v[2], f[1] * v[2] - f[2] * v[1]);
            let size = f[1].hypot(f[2]) * v[1].hypot(v[2]);
            assert!(along <= 0.0 && across.abs() <= 1e-6 * size + 1e-12, "{f:?} {v:?}");
            seen += 1;
        }
        step(&model, &mut data).unwrap();
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn rows_of_all_kinds_are_inverted() {
    let linkage = "<mujoco><worldbody><geom type='plane' size='5 5 1' pos='0 0 -1'/>
        <body name='a'><joint axis='0 1 0' limited='true' range='-20 20'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>
        <body name='b' pos='.3 0 0'><joint axis='0 1 0' frictionloss='.1'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>
        </body></body></worldbody>
        <equality><connect body1='b' anchor='.3 0 0'/></equality></mujoco>";
    for file in ["features/contacts.xml", "features/constraints.xml", "linkage"] {
        let mut model = if file == "linkage" { from_text(linkage) } else { load(model_file(file)).unwrap() };
        model.options.laws.law = Law::Invertible;
        let mut data = Data::new(&model);
        let mut rows = 0;
        for _ in 0..60 {
            let gap = mismatch(&model, &mut data);
            // Deep overlap, and equalities that contradict each other: forces of 10⁷ N that cancel
            // but for 10² N.
            assert!(gap < 1e-8, "{file}: {gap:.1e}");
            rows = rows.max(data.constraints.len());
            step(&model, &mut data).unwrap();
        }
        assert!(rows >= 4, "{file}: {rows}");
    }
}

/// A ball of 0.1 m radius above a plane.
fn ball(mass: f64, height: f64, text: &str) -> Model {
    from_text(&format!(
        "<mujoco><option timestep='0.001' integrator='Euler'/>
        <custom><text name='saltus_law' data='invertible'/>{text}</custom>
        <worldbody><geom type='plane' size='5 5 1'/>
        <body pos='0 0 {height}'><freejoint/><geom size='0.1' mass='{mass}'/></body></worldbody></mujoco>"
    ))
}

#[test]
fn a_ball_comes_to_rest_at_the_height_that_was_asked_for_whatever_its_mass() {
    for hover in [0.0005, 0.002] {
        let mut heights = Vec::new();
        for mass in [1.0, 1e-3, 1e3] {
            // Strong smoothing: the last millimetres are not a matter of minutes.
            let text = format!(
                "<text name='saltus_invertible_profile' data='exponential'/>
                <numeric name='saltus_invertible_hover' data='{hover}'/>
                <numeric name='saltus_invertible_smoothing' data='0.1'/>"
            );
            let model = ball(mass, 0.3, &text);
            let mut data = Data::new(&model);
            let mut path = Vec::new();
            for _ in 0..3000 {
                step(&model, &mut data).unwrap();
                path.push(data.state.q[2] - 0.1);
            }
            assert!(path.iter().all(|gap| *gap > -1e-6), "it does not penetrate");
            let rest = *path.last().unwrap();
            assert!((rest - hover).abs() < 1e-2 * hover, "{mass} kg rests at {rest}, not {hover}");
            heights.push(path);
        }
        for other in &heights[1..] {
            assert!(difference(&heights[0], other) < 1e-9, "the same motion in other units of mass");
        }
    }
}

#[test]
fn fast_bodies_stop_at_the_surface() {
    // Steps of 2 ms: 4 m/s are 8 mm of the reach of 10 mm, and the first contact is seen anywhere
    // in it.
    for (speed, on_one) in [(1.0, true), (2.0, true), (4.0, true), (4.0, false)] {
        for k in 0..12 {
            let mut model = if on_one { ball(1.0, 0.15, "") } else { plate(2, 0.002) };
            model.options.timestep = 0.002;
            let mut data = Data::new(&model);
            data.state.q[2] += 0.002 * speed * f64::from(k) / 12.0;
            data.state.v[2] = -speed;
            let mut least = f64::INFINITY;
            for _ in 0..100 {
                step(&model, &mut data).unwrap();
                least = least.min(data.state.q[2] - 0.1);
            }
            // The wall gives way by a share of what it stops.
            assert!(least > -1.2e-3, "{speed} m/s: {least}");
        }
    }
}

#[test]
fn restitution_makes_a_fast_ball_bounce_and_has_no_inverse() {
    let text = "<numeric name='saltus_invertible_restitution' data='0.5'/><numeric name='saltus_reach' data='0.001'/>
        <numeric name='saltus_invertible_hover' data='0.0005'/>";
    let model = ball(1.0, 0.5, text);
    let mut data = Data::new(&model);
    let (mut fastest, mut back) = (0.0_f64, 0.0_f64);
    for _ in 0..450 {
        step(&model, &mut data).unwrap();
        fastest = fastest.min(data.state.v[2]);
        back = back.max(data.state.v[2]);
    }
    let ratio = back / -fastest;
    assert!((0.4..0.6).contains(&ratio), "{ratio}");
    assert!(inverse(&model, &mut data).unwrap_err().to_string().contains("restitution"));
}

#[test]
fn every_scaling_and_profile_holds_a_box() {
    for (scaling, profile) in [
        (Scaling::Dimensionless, Profile::Exponential),
        (Scaling::Dimensionless, Profile::Linear),
        (Scaling::Dimensionless, Profile::Power),
        (Scaling::Raw, Profile::Exponential),
        (Scaling::Raw, Profile::Linear),
        (Scaling::Raw, Profile::Power),
    ] {
        let mut model = from_text(
            "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1'/>
            <body pos='0 0 0.12'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='300'/></body></worldbody></mujoco>",
        );
        model.options.laws.law = Law::Invertible;
        let own = &mut model.options.laws.invertible;
        (own.scaling, own.profile) = (scaling, profile);
        let mut data = Data::new(&model);
        for _ in 0..1000 {
            step(&model, &mut data).unwrap();
        }
        let gap = data.state.q[2] - 0.1;
        assert!((-1e-4..0.01).contains(&gap) && size(&data.state.v) < 1e-3, "{scaling:?} {profile:?}: {gap}");
        let upward: f64 = data.constraints.force.chunks(3).map(|f| f[0]).sum();
        assert!((upward - 300.0 * 9.81).abs() < 1.0, "{upward}");
    }
}

/// A plate of 3 kg on `n` × `n` balls.
fn plate(n: usize, h: f64) -> Model {
    let at = |k: usize| if n == 1 { 0.0 } else { 0.4 * (k as f64 / (n - 1) as f64 - 0.5) };
    let balls: String =
        (0..n * n).map(|k| format!("<geom size='0.02' pos='{} {} -0.08' mass='0'/>", at(k / n), at(k % n))).collect();
    from_text(&format!(
        "<mujoco><option timestep='{h}'/><custom><text name='saltus_law' data='invertible'/></custom>
        <worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.12'><freejoint/>
        <geom type='box' size='0.2 0.2 0.02' mass='3'/>{balls}</body></worldbody></mujoco>"
    ))
}

#[test]
fn a_body_rests_where_it_was_asked_to_on_any_number_of_points() {
    for (n, h) in [(1, 0.002), (2, 0.002), (2, 0.005), (5, 0.002), (8, 0.002)] {
        let model = plate(n, h);
        let hover = model.options.laws.invertible.hover;
        let mut data = Data::new(&model);
        let mut path = Vec::new();
        for _ in 0..(3.0 / h) as usize {
            step(&model, &mut data).unwrap();
            path.push(data.state.q[2] - 0.1);
        }
        let rest = *path.last().unwrap();
        assert_eq!(data.contacts.len(), n * n);
        assert!((rest / hover - 1.0).abs() < 0.02, "{n} × {n} points, h = {h}: {rest}");
        let late = &path[(0.5 / h) as usize..];
        assert!(
            late.iter().all(|gap| (gap - rest).abs() < 0.2 * rest),
            "{n} × {n}, h = {h}: at rest after half a second"
        );
        assert!(path.iter().all(|gap| *gap > -1e-5), "{n} × {n}, h = {h}: it does not penetrate");
        assert!(mismatch(&model, &mut data) < 1e-9);
    }
}

#[test]
fn an_inset_lets_a_box_touch_the_ground_with_its_shape() {
    for (h, inset) in [(0.002, 0.0005), (0.002, 0.002), (0.005, 0.002), (0.002, 0.003)] {
        let mut model = from_text(&format!(
            "<mujoco><option timestep='{h}'/><worldbody><geom type='plane' size='5 5 1'/>
            <body pos='0 0 0.12'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='3'/></body></worldbody></mujoco>",
        ));
        model.options.laws.law = Law::Invertible;
        let rest = |inset: f64| {
            let mut model = model.clone();
            model.options.laws.invertible.inset = inset;
            let mut data = Data::new(&model);
            for _ in 0..(8.0 / h) as usize {
                step(&model, &mut data).unwrap();
            }
            assert!(mismatch(&model, &mut data) < 1e-9);
            data.state.q[2] - 0.1
        };
        let hover = model.options.laws.invertible.hover;
        assert!((rest(inset) - (hover - inset)).abs() < 0.02 * hover, "{}", rest(inset));
        // All is as without, but lower.
        assert!((rest(0.0) - inset - rest(inset)).abs() < 1e-9, "{} {}", rest(0.0), rest(inset));
    }
}

/// A scene after some steps, with an impact on the way.
fn scene(file: &str, steps: usize) -> (Model, Data) {
    let mut model = load(model_file(file)).unwrap();
    model.options.laws.law = Law::Invertible;
    let mut data = Data::new(&model);
    for _ in 0..steps {
        step(&model, &mut data).unwrap();
    }
    (model, data)
}

#[test]
fn islands_and_the_start_of_the_search_do_not_change_the_solution() {
    for (file, steps) in [("cubes.xml", 150), ("grasp.xml", 300), ("humanoid.xml", 200)] {
        let (model, data) = scene(file, steps);
        let mut usual = data.clone();
        forward(&model, &mut usual);
        assert!(!usual.constraints.is_empty(), "{file}");
        for flag in [Disable::ISLAND, Disable::WARMSTART] {
            let mut other_model = model.clone();
            other_model.options.disable.set(flag, true);
            let mut other = data.clone();
            forward(&other_model, &mut other);
            assert_eq!(other.constraints.report.status, SolverStatus::Converged);
            let gap = difference(&usual.acceleration.a, &other.acceleration.a) / size(&usual.acceleration.a);
            assert!(gap < 1e-9, "{file}: {gap:.1e}");
        }
        let mut one = model.clone();
        one.options.disable.set(Disable::ISLAND, true);
        let mut together = data.clone();
        forward(&one, &mut together);
        assert_eq!(together.constraints.n_island, 1);
    }
}

#[test]
fn the_engine_finds_the_impulses_that_plain_arrays_give() {
    for (file, steps) in [("tower.xml", 20), ("humanoid.xml", 200)] {
        let (model, mut data) = scene(file, steps);
        forward(&model, &mut data);
        let (rows, A, v) = invertible::problem_of(&model, &mut data);
        let h = model.options.timestep;
        let f: Vec<f64> = data.constraints.force.iter().map(|f| f * h).collect();
        let mut product = Vec::new();
        A.mul(&f, &mut product);
        let c: Vec<f64> = v.iter().zip(&product).map(|(v, product)| v - product).collect();
        let (plain, _, report) = invertible::forward(&rows, &A, &c, invertible::Wall::Elastic).unwrap();
        assert_eq!(report.status, SolverStatus::Converged);
        let gap = difference(&f, &plain) / size(&f);
        assert!(f.len() > 20 && gap < 1e-8, "{file}: {gap:.1e}");
    }
}

/// A body that rests on one ball; a second ball on an arm, and a limit of another joint, are about
/// to come into reach.
const NEARLY: &str = "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1'/>
    <body pos='0 0 0.101'><freejoint/><geom size='0.1' mass='1'/>
    <body pos='0.3 0 0'><joint type='slide' axis='0 0 1'/><geom size='0.05' mass='0.5'/></body>
    <body pos='-0.3 0 0.1'><joint axis='0 1 0' limited='true' range='-90 0'/><geom size='0.02' pos='-0.1 0 0' mass='0.5'/></body>
    </body></worldbody></mujoco>";

#[test]
fn nothing_jumps_when_a_contact_or_a_limit_comes_into_reach() {
    let mut model = from_text(NEARLY);
    model.options.laws.law = Law::Invertible;
    let reach = model.options.laws.reach;
    for profile in [Profile::Power, Profile::Exponential, Profile::Linear] {
        model.options.laws.invertible.profile = profile;
        // At rest, coming fast enough to be stopped, and leaving.
        for speed in [0.0, -2.0, -8.0, 3.0] {
            // Gaps of the second ball and of the limit.
            let at = |gap: f64, to_limit: f64| {
                let mut data = Data::new(&model);
                data.state.q[7] = gap - 0.051;
                data.state.q[8] = -to_limit;
                (data.state.v[6], data.state.v[7]) = (speed, -speed);
                forward(&model, &mut data);
                assert_eq!(data.constraints.report.status, SolverStatus::Converged);
                data
            };
            let far = at(2.0 * reach, 2.0 * reach);
            assert_eq!(far.constraints.len(), 3);
            let scale = size(&far.acceleration.a);
            for (gap, to_limit, rows) in [(reach, 2.0 * reach, 3), (2.0 * reach, reach, 1), (reach, reach, 4)] {
                let way = 1e-12;
                let [mut near, mut beyond] = [-way, way].map(|x| at(gap + x, to_limit + x));
                assert_eq!(near.constraints.len(), 3 + rows);
                assert_eq!(beyond.constraints.len(), 3);
                let jump = difference(&near.acceleration.a, &beyond.acceleration.a) / scale;
                assert!(jump < 1e-9, "{profile:?}, {speed} m/s: v⁺ jumps by {jump:.1e}");
                let a = beyond.acceleration.a.iter().map(|a| 0.9 * a + 0.1).collect::<Vec<f64>>();
                let force = [&mut near, &mut beyond].map(|data| {
                    data.acceleration.a.copy_from_slice(&a);
                    inverse(&model, data).unwrap();
                    data.acceleration.tau_inverse.clone()
                });
                let jump = difference(&force[0], &force[1]) / size(&force[1]);
                assert!(jump < 1e-9, "{profile:?}, {speed} m/s: τ jumps by {jump:.1e}");
            }
        }
    }
}

#[test]
fn forces_fade_with_their_derivatives_at_the_reach() {
    let mut model = ball(1.0, 0.11, "");
    model.options.timestep = 0.002;
    let force = |share: f64| {
        let mut data = Data::new(&model);
        data.state.q[2] = 0.1 + 0.01 * (1.0 - share);
        forward(&model, &mut data);
        data.constraints.force[0]
    };
    // As the fourth power of what is left of the reach.
    for share in [1e-2, 1e-3] {
        let ratio = force(2.0 * share) / force(share);
        assert!((15.0..17.0).contains(&ratio), "{ratio}");
    }
    assert!(force(1e-2) < 1e-6 * 9.81, "{}", force(1e-2));
}

/// Bodies that turn about their own centres of mass have the approximate inverse mass 0 at their
/// contacts.
#[test]
fn wheels_that_turn_about_their_centres_touch() {
    let model = from_text(
        "<mujoco><custom><text name='saltus_law' data='invertible'/></custom><worldbody>
           <body><joint axis='0 1 0'/><geom type='box' size='.01 .01 .01' mass='.01'/></body>
           <body pos='.021 0 0'><joint axis='0 1 0'/><geom type='box' size='.01 .01 .01' mass='.01'/></body>
           <body pos='0 0 .021'><joint type='ball'/><geom type='box' size='.01 .01 .01' mass='.01'/></body></worldbody></mujoco>",
    );
    let mut data = Data::new(&model);
    data.state.v[0] = 1.0;
    for _ in 0..200 {
        step(&model, &mut data).unwrap();
        assert!(!data.contacts.is_empty());
        assert_eq!(data.constraints.report.status, SolverStatus::Converged);
        let largest = size(&data.constraints.force);
        assert!(largest < 1.0, "{largest}");
    }
}

/// Two fingers on one palm, side by side, `gap` apart in the reference pose; the second can come
/// nearer to the first.
fn fingers(gap: f64) -> Model {
    let mut model = from_text(&format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' size='.03 .03 .01' pos='0 0 -.05'/>
           <body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 .05' size='.005' mass='.01'/></body>
           <body pos='{} 0 0'><joint type='slide' axis='1 0 0'/>
             <geom type='capsule' fromto='0 0 0 0 0 .05' size='.005' mass='.01'/></body>
         </body></worldbody></mujoco>",
        0.01 + gap
    ));
    model.options.laws.law = Law::Invertible;
    model
}

#[test]
fn links_that_are_always_near_each_other_are_seen_only_where_they_can_collide() {
    for (gap, own) in [(0.004, 0.002), (0.012, 0.006), (0.03, 0.01), (-0.001, 0.0002)] {
        let model = fingers(gap);
        let at = |w: f64, speed: f64| {
            let mut data = Data::new(&model);
            data.state.q[8] = w - gap;
            data.state.v[7] = speed;
            forward(&model, &mut data);
            data
        };
        assert_eq!(at(gap, 0.0).contacts.is_empty(), gap > own, "{gap}: in the reference pose");
        assert!(at(1.001 * own, 0.0).contacts.is_empty() && !at(0.999 * own, 0.0).contacts.is_empty(), "{gap}");
        // Nothing jumps where it comes into being, however fast; and what comes in is stopped.
        for speed in [0.0, -0.3] {
            let (far, near) = (at(own * (1.0 + 1e-9), speed), at(own * (1.0 - 1e-9), speed));
            assert!(difference(&near.acceleration.a, &far.acceleration.a) < 1e-6, "{gap} {speed}");
        }
        let mut data = at(1.5 * own, -0.3);
        (0..100).for_each(|_| step(&model, &mut data).unwrap());
        let deepest = data.contacts.iter().fold(1.0, |m: f64, c| m.min(c.dist));
        assert!(deepest > -1e-3, "{gap}: {deepest}");
    }
}

/// A heavy ball that falls, and an arm on it whose light tip is near the floor.
const FALLING: &str = "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='5 5 1'/>
    <body pos='0 0 0.12'><freejoint/><geom size='0.1' mass='40'/>
      <body pos='0.1 0 0'><joint axis='0 1 0' damping='0.01'/>
        <geom type='capsule' fromto='0 0 0 0.2 0 -0.1' size='0.01' mass='0.2'/></body></body></worldbody></mujoco>";

/// Why the humanoid of Fig. 4 flew apart with a steep barrier: rows see z = v + A ∇d_V(v), in which
/// the barrier of a heavy body is a velocity of light links that nobody has, and friction opposes
/// it.
#[test]
fn steep_barriers_of_heavy_bodies_drag_at_light_links() {
    let friction = |slope: f64, walls: bool| {
        let mut model = from_text(FALLING);
        model.options.laws.law = Law::Invertible;
        model.options.laws.reach = 0.05;
        let own = &mut model.options.laws.invertible;
        (own.scaling, own.slope, own.walls) = (Scaling::Raw, slope, walls);
        let mut data = Data::new(&model);
        data.state.v[2] = -4.0;
        assert!(mismatch(&model, &mut data) < 1e-9, "the solver has converged, and the inverse agrees");
        let light = data.contacts.iter().position(|c| c.geom2.idx() == 2).unwrap();
        let row = data.contacts[light].first_row as usize;
        let f = &data.constraints.force[row..row + 3];
        f[1].hypot(f[2])
    };
    let alone = friction(10.0, false);
    let [gentle, steep, steeper] = [10.0, 30.0, 100.0].map(|slope| friction(slope, true));
    assert!(gentle > 4.0 * alone && steep > 2.0 * gentle && steeper > steep, "{alone} {gentle} {steep} {steeper}");
}
