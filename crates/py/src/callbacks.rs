//! User code in Python that takes part in the computation.
//!
//! While the engine runs, the data is lent out of its Python object; it is put back for the time of
//! each call into Python, so that callbacks can use all functions on it. Its arrays keep their
//! place in memory throughout.

use crate::data::DataCore;
use core::mem::{replace, swap};
use pyo3::prelude::*;
use saltus::sim::callbacks::Callbacks;
use saltus::sim::ids::ActuatorId;
use saltus::sim::model::kinds::{ActivationKind, BiasKind, GainKind};
use saltus::sim::options::Disable;
use saltus::{Data, Model, Stage};

/// The model and data objects that callbacks get, and the callbacks: control, passive, activation
/// rate, gain, bias, sensor.
pub type UserArgs = (Py<PyAny>, Py<PyAny>, [Option<Py<PyAny>>; 6]);

/// The data of a Python object, borrowed by moving it out; dropping it puts it back.
struct Lent<'a, 'py> {
    core: &'a Bound<'py, DataCore>,
    data: Data,
}

impl<'a, 'py> Lent<'a, 'py> {
    fn new(core: &'a Bound<'py, DataCore>) -> PyResult<Self> {
        let mut inner = core.try_borrow_mut()?;
        inner.take_contacts(core.py())?;
        let placeholder = inner.data.clone();
        inner.lent = true;
        Ok(Self { core, data: replace(&mut inner.data, placeholder) })
    }
}

impl Drop for Lent<'_, '_> {
    fn drop(&mut self) {
        exchange(self.core, &mut self.data);
    }
}

/// Exchanges lent data with what lies in the Python object. It must not fail: arrays in Python are
/// views of the data's memory. Another thread that uses the object at the moment will be done soon.
fn exchange(core: &Bound<'_, DataCore>, data: &mut Data) {
    loop {
        if let Ok(mut inner) = core.try_borrow_mut() {
            swap(&mut inner.data, data);
            inner.lent = !inner.lent;
            return;
        }
        core.py().detach(|| std::thread::sleep(std::time::Duration::from_micros(50)));
    }
}

/// The data in its Python object for the time of a call into Python, also if that unwinds.
struct Present<'a, 'py> {
    core: &'a Bound<'py, DataCore>,
    data: &'a mut Data,
}

impl<'a, 'py> Present<'a, 'py> {
    fn new(core: &'a Bound<'py, DataCore>, data: &'a mut Data) -> Self {
        exchange(core, data);
        Self { core, data }
    }
}

impl Drop for Present<'_, '_> {
    fn drop(&mut self) {
        exchange(self.core, self.data);
    }
}

/// Callbacks of one call.
pub struct User<'a, 'py> {
    core: &'a Bound<'py, DataCore>,
    model: Py<PyAny>,
    data: Py<PyAny>,
    callbacks: [Option<Py<PyAny>>; 6],
    /// Activation rate, gain and bias of each actuator, found before actuation.
    actuation: [Vec<f64>; 3],
    /// The first error that a callback raised; the others are not called any more.
    error: Option<PyErr>,
}

const CONTROL: usize = 0;
const PASSIVE: usize = 1;
const ACTUATION: [usize; 3] = [2, 3, 4];
const SENSOR: usize = 5;

/// Runs `f` on the data with callbacks. If one of them raised, the state is as before and the error
/// is given.
pub fn with_callbacks<R>(
    core: &Bound<'_, DataCore>,
    (model, data, callbacks): UserArgs,
    f: impl FnOnce(&mut Data, &mut User<'_, '_>) -> R,
) -> PyResult<R> {
    let user_error = {
        let mut user =
            User { core, model, data, callbacks, actuation: [Vec::new(), Vec::new(), Vec::new()], error: None };
        let mut lent = Lent::new(core)?;
        let (state, input) = (lent.data.state.clone(), lent.data.input.clone());
        let result = f(&mut lent.data, &mut user);
        match user.error {
            None => return Ok(result),
            Some(error) => {
                copy_state(&state, &mut lent.data);
                lent.data.input.ctrl.copy_from_slice(&input.ctrl);
                error
            }
        }
    };
    Err(user_error)
}

/// Copies into the same buffers: arrays in Python are views of them.
fn copy_state(from: &saltus::sim::data::State, data: &mut Data) {
    let to = &mut data.state;
    to.time = from.time;
    to.q.copy_from_slice(&from.q);
    to.v.copy_from_slice(&from.v);
    to.act.copy_from_slice(&from.act);
    to.a_warm.copy_from_slice(&from.a_warm);
}

impl User<'_, '_> {
    /// Calls callback `k` with the data in its place.
    fn call(&mut self, k: usize, data: &mut Data, extra: Option<i32>) -> Option<f64> {
        let py = self.core.py();
        let Some(callback) = &self.callbacks[k] else { return None };
        if self.error.is_some() {
            return None;
        }
        let present = Present::new(self.core, data);
        let objects = (&self.model, &self.data);
        let mut outcome = match extra {
            None => callback.call1(py, objects).map(|_| None),
            Some(x) => callback.call1(py, (objects.0, objects.1, x)).and_then(|value| {
                let is_number = ACTUATION.contains(&k);
                if is_number { value.extract::<f64>(py).map(Some) } else { Ok(None) }
            }),
        };
        let taken = self.core.try_borrow_mut().map_err(PyErr::from).and_then(|mut inner| inner.take_contacts(py));
        if let (Ok(_), Err(error)) = (&outcome, taken) {
            outcome = Err(error);
        }
        drop(present);
        match outcome {
            Ok(value) => value,
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// Rates of all actuators, then gain and bias of each: the reference's order.
    pub fn find_actuation(&mut self, model: &Model, data: &mut Data) {
        let n = model.nactuator();
        self.actuation = [vec![0.0; n], vec![1.0; n], vec![0.0; n]];
        if model.options.disable.has(Disable::ACTUATION) {
            return;
        }
        let actuators = &model.actuators;
        let is_user = |k: usize, a: usize| match k {
            0 => actuators.activation[a] == ActivationKind::User,
            1 => actuators.gain[a] == GainKind::User,
            _ => actuators.bias[a] == BiasKind::User,
        };
        let rates = (0..n).map(|a| (0, a));
        let forces = (0..n).flat_map(|a| [(1, a), (2, a)]);
        for (k, a) in rates.chain(forces).filter(|&(k, a)| is_user(k, a)) {
            if let Some(value) = self.call(ACTUATION[k], data, Some(a as i32)) {
                self.actuation[k][a] = value;
            }
        }
    }

    fn found(&self, k: usize, actuator: ActuatorId) -> f64 {
        self.actuation[k].get(actuator.idx()).copied().unwrap_or(if k == 1 { 1.0 } else { 0.0 })
    }
}

impl Callbacks for User<'_, '_> {
    fn control(&mut self, model: &Model, data: &mut Data) {
        if !model.options.disable.has(Disable::ACTUATION) {
            self.call(CONTROL, data, None);
        }
        self.find_actuation(model, data);
    }
    fn passive(&mut self, model: &Model, data: &mut Data) {
        let off = model.options.disable;
        if !(off.has(Disable::SPRING) && off.has(Disable::DAMPER)) {
            self.call(PASSIVE, data, None);
        }
    }
    fn activation_rate(&mut self, _: &Model, _: &Data, actuator: ActuatorId) -> f64 {
        self.found(0, actuator)
    }
    fn gain(&mut self, _: &Model, _: &Data, actuator: ActuatorId) -> f64 {
        self.found(1, actuator)
    }
    fn bias(&mut self, _: &Model, _: &Data, actuator: ActuatorId) -> f64 {
        self.found(2, actuator)
    }
    fn sensor(&mut self, _: &Model, data: &mut Data, stage: Stage) {
        self.call(SENSOR, data, Some(stage as i32));
    }
}
