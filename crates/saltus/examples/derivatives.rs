//! Exact derivatives of a step and of inverse dynamics, through contact:
//! `cargo run --release --example derivatives`

fn main() -> Result<(), saltus::Error> {
    let model = saltus::load("models/humanoid.xml")?;
    let knee = model.actuator("left_knee")?;
    let mut data = saltus::Data::new(&model);
    data.reset_to_key(&model, model.key("squat")?);
    for _ in 0..60 {
        saltus::step(&model, &mut data)?;
    }
    saltus::forward(&model, &mut data);

    // dx⁺ = A dx + B du, dsensor = C dx + D du; x is (q, v, act), q in its tangent space.
    let d = saltus::derivatives(&model, &data)?;
    println!("A {} × {}, B {} × {}, C {} × {}", d.A.rows(), d.A.cols(), d.B.rows(), d.B.cols(), d.C.rows(), d.C.cols());
    println!("{} contacts; not exact: {:?}", data.contacts.len(), d.inexact);

    // The same by a step with a little more control.
    let (change, nv) = (1e-4, model.size.nv);
    let next = |change: f64| {
        let mut data = data.clone();
        data.set_control(&model, knee, data.control(&model, knee) + change);
        saltus::step(&model, &mut data).map(|()| data.state.v)
    };
    let (less, more) = (next(-change)?, next(change)?);
    let worst = (0..nv).map(|i| d.B[(nv + i, knee.idx())] - (more[i] - less[i]) / (2.0 * change));
    println!("largest difference to finite differences: {:.1e}", worst.fold(0.0, |w: f64, x| w.max(x.abs())));

    let inverse = saltus::inverse_derivatives(&model, &data)?;
    println!(
        "dτ/dq {:.3}, dτ/dv {:.3}, dτ/da {:.3} at the root's height",
        inverse.dtau_dq[(2, 2)],
        inverse.dtau_dv[(2, 2)],
        inverse.dtau_da[(2, 2)]
    );
    Ok(())
}
