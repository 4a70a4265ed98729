//! How a step advances the state.

use crate::data::Data;
use crate::kinematics::coordinates;
use crate::model::Model;

/// Advances q, v, act and time by one step from the results of the acceleration stage.
pub(crate) fn advance(model: &Model, data: &mut Data) {
    let h = model.options.timestep;
    for i in 0..model.size.nv {
        data.state.v[i] += h * data.acceleration.a[i];
    }
    let v = core::mem::take(&mut data.state.v);
    coordinates::integrate(model, &mut data.state.q, &v, h);
    data.state.v = v;
    data.state.time += h;
    data.stage = crate::stage::Stage::None;
}
