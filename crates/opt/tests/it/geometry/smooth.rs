//! Planning models are smooth and their derivatives exact.

use super::{model, parse, place, planning};
use saltus_math::Random;
use saltus_sim::derivative::{self, Workspace};
use saltus_sim::finite_difference::{self, Transition};
use saltus_sim::options::law::Law;
use saltus_sim::{Data, Model, ModelSpec, compile, forward};

fn under_the_invertible_law(spec: &ModelSpec) -> Model {
    let mut model = compile(&planning(spec).spec).expect("compiles");
    let laws = &mut model.options.laws;
    (laws.law, laws.reach) = (Law::Invertible, 0.05);
    (laws.invertible.smoothing, laws.invertible.hover) = (0.1, 0.005);
    // Differences need a converged solution.
    model.options.tolerance = 1e-14;
    model
}

/// Derivatives of a step at the present state: analytic, and by central differences. None where the
/// first are inexact.
fn both(model: &Model, data: &mut Data) -> Option<[Vec<f64>; 2]> {
    forward(model, data);
    let n = 2 * model.size.nv + model.size.na;
    let mut out = [vec![0.0; n * n], vec![0.0; n * n]];
    let [exact, difference] = &mut out;
    let into = |A| Transition { A: Some(A), B: None, C: None, D: None };
    let mut work = Workspace::default();
    let report = derivative::transition(model, data, &mut work, into(exact)).expect("derivatives");
    if !report.exact() {
        return None;
    }
    finite_difference::transition(model, data, 1e-6, true, into(difference)).expect("differences");
    Some(out)
}

#[test]
fn the_humanoid_has_exact_derivatives() {
    let model = under_the_invertible_law(&model("humanoid.xml"));
    let (mut random, mut data) = (Random(5), Data::new(&model));
    let mut touching = 0;
    for _ in 0..20 {
        place(&mut random, &model, &mut data, 0.3);
        let [a, b] = both(&model, &mut data).expect("exact");
        touching += usize::from(!data.contacts.is_empty());
        let scale = a.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        let worst = a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(worst < 1e-4 * scale, "{worst} of {scale}");
    }
    assert!(touching > 5);
}

/// A box whose corners land on each kind of surface.
fn on_surface(surface: &str) -> ModelSpec {
    parse(&format!(
        r#"<mujoco><option timestep="0.005"/><asset>
             <mesh name="wedge" vertex="-0.3 -0.3 -0.1  0.3 -0.3 -0.1  -0.3 0.3 -0.1  0.3 0.3 -0.1  -0.2 0 0.1  0.2 0.02 0.1"/>
             <hfield name="hills" nrow="5" ncol="5" size="0.5 0.5 0.1 0.1"
               elevation="0 1 0 2 1  1 3 1 0 2  2 0 4 1 0  1 2 0 3 1  0 1 2 1 0"/></asset>
           <worldbody><geom {surface}/>
             <body pos="0 0 0.2"><freejoint/><geom type="box" size="0.06 0.04 0.03"/></body></worldbody></mujoco>"#
    ))
}

#[test]
fn balls_on_every_surface_have_exact_derivatives() {
    let surfaces = [
        r#"type="plane" size="0 0 1" euler="10 20 0""#,
        r#"type="box" size="0.3 0.2 0.1" euler="10 20 0""#,
        r#"type="sphere" size="0.15""#,
        r#"type="capsule" size="0.1 0.3" euler="80 20 0""#,
        r#"type="cylinder" size="0.1 0.3" euler="80 20 0""#,
        r#"type="ellipsoid" size="0.3 0.2 0.1" euler="10 20 0""#,
        r#"type="mesh" mesh="wedge""#,
        r#"type="hfield" hfield="hills""#,
    ];
    for surface in surfaces {
        let model = under_the_invertible_law(&on_surface(surface));
        let (mut random, mut data) = (Random(11), Data::new(&model));
        let (mut touching, mut inexact, mut wrong) = (0, 0, Vec::new());
        for _ in 0..150 {
            place(&mut random, &model, &mut data, 0.25);
            data.state.v.iter_mut().for_each(|v| *v = random.signed());
            let Some([a, b]) = both(&model, &mut data) else {
                inexact += 1;
                continue;
            };
            touching += usize::from(!data.contacts.is_empty());
            // Deep contacts are those of balls with their centre inside, where nothing is promised.
            if data.contacts.iter().any(|c| c.dist < -0.004) {
                continue;
            }
            let scale = a.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let worst = a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale;
            if worst > 1e-4 {
                wrong.push(worst);
            }
        }
        // Differences are wrong where a ball goes from a face to an edge within their step.
        println!("{surface}: touching {touching}, inexact {inexact}, wrong {wrong:?}");
        assert!(touching > 30 && wrong.len() <= 1 && inexact == 0, "{surface}: {touching} {inexact} {wrong:?}");
    }
}
