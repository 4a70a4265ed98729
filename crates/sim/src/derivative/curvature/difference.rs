//! Second derivatives of yᵀ ID by forward differences of its gradient, in each of q, v and a.

use super::{Curvature, PointError, inverse_product, run_inverse};
use crate::callbacks::NoCallbacks;
use crate::data::Data;
use crate::derivative::Workspace;
use crate::inverse::inverse_forces_from;
use crate::kinematics::coordinates::integrate;
use crate::model::Model;
use crate::stage::Stage;

/// Step of q, rad or m; for v and a it is multiplied by 1/h and 1/h² accordingly.
const EPSILON: f64 = 1e-8;

/// Fills the second derivatives; the first ones must be set. Restores the state, but not the
/// results.
pub(super) fn update(
    model: &Model,
    data: &mut Data,
    y: &[f64],
    work: &mut Workspace,
    out: &mut Curvature,
) -> Result<(), PointError> {
    let (nv, h) = (model.size.nv, model.options.timestep);
    let mut there = core::mem::take(&mut work.curvature.moved);
    there.clear(nv);
    let q = data.state.q.clone();
    let mut unit = vec![0.0; nv];
    for i in 0..nv {
        unit[i] = EPSILON;
        integrate(model, &mut data.state.q, &unit, 1.0);
        unit[i] = 0.0;
        run_inverse(model, data, false)?;
        inverse_product(model, data, false, y, work, there.gradient())?;
        data.state.q.copy_from_slice(&q);
        let own = i * nv..(i + 1) * nv;
        difference(&there.by_q, &out.by_q, EPSILON, &mut out.qq[own.clone()]);
        difference(&there.by_v, &out.by_v, EPSILON, &mut out.qv[own.clone()]);
        difference(&there.by_a, &out.by_a, EPSILON, &mut out.qa[own]);
    }
    run_inverse(model, data, false)?;
    for i in 0..nv {
        let (v, step) = (data.state.v[i], EPSILON / h);
        data.state.v[i] += step;
        inverse_forces_from(model, data, Stage::Position, &mut NoCallbacks)?;
        inverse_product(model, data, false, y, work, there.gradient())?;
        data.state.v[i] = v;
        let own = i * nv..(i + 1) * nv;
        difference(&there.by_v, &out.by_v, step, &mut out.vv[own.clone()]);
        difference(&there.by_a, &out.by_a, step, &mut out.va[own]);
    }
    inverse_forces_from(model, data, Stage::Position, &mut NoCallbacks)?;
    for i in 0..nv {
        let (a, step) = (data.acceleration.a[i], EPSILON / (h * h));
        data.acceleration.a[i] += step;
        inverse_forces_from(model, data, Stage::Velocity, &mut NoCallbacks)?;
        inverse_product(model, data, false, y, work, there.gradient())?;
        data.acceleration.a[i] = a;
        difference(&there.by_a, &out.by_a, step, &mut out.aa[i * nv..(i + 1) * nv]);
    }
    work.curvature.moved = there;
    for x in [&mut out.qq, &mut out.vv, &mut out.aa] {
        symmetrize(x, nv);
    }
    Ok(())
}

fn difference(there: &[f64], here: &[f64], step: f64, out: &mut [f64]) {
    out.iter_mut().zip(there.iter().zip(here)).for_each(|(x, (a, b))| *x = (a - b) / step);
}

fn symmetrize(x: &mut [f64], nv: usize) {
    for i in 0..nv {
        for j in 0..i {
            let mean = 0.5 * (x[i * nv + j] + x[j * nv + i]);
            (x[i * nv + j], x[j * nv + i]) = (mean, mean);
        }
    }
}
