//! Exact derivatives with named parts. `sim::derivative` offers more, including batches and
//! versions without allocation.

use crate::Matrix;
use saltus_sim::derivative::point::describe;
use saltus_sim::derivative::{self, DerivativeError, Workspace};
use saltus_sim::finite_difference::Transition;
use saltus_sim::{Data, Model};

/// Derivatives of a step: dx⁺ = A dx + B du and dsensor = C dx + D du, where x is (q, v, act) with
/// q in its tangent space (2 nv + na values). Sensors belong to the state before the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivatives {
    /// Next state with respect to the state · (2 nv + na) × (2 nv + na).
    pub A: Matrix,
    /// Next state with respect to the controls · (2 nv + na) × nu.
    pub B: Matrix,
    /// Sensors with respect to the state · nsensordata × (2 nv + na).
    pub C: Matrix,
    /// Sensors with respect to the controls · nsensordata × nu.
    pub D: Matrix,
    /// Simplifications in the derivatives, as text; empty if they are exact.
    pub inexact: Vec<String>,
}

/// Derivatives of inverse dynamics τ(q, v, a), each nv × nv.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseDerivatives {
    /// Forces with respect to coordinates, in their tangent space · nv × nv.
    pub dtau_dq: Matrix,
    /// Forces with respect to velocities · nv × nv.
    pub dtau_dv: Matrix,
    /// Forces with respect to accelerations · nv × nv.
    pub dtau_da: Matrix,
    /// Simplifications in the derivatives, as text; empty if they are exact.
    pub inexact: Vec<String>,
}

/// Exact derivatives of a step from the current state, through contacts. Requires
/// [`forward`](crate::forward) at that state.
///
/// ```
/// let spec = saltus::io::read_str(saltus::shipped::HUMANOID, &Default::default())?;
/// let model = saltus::compile(&spec)?;
/// let mut data = saltus::Data::new(&model);
/// saltus::forward(&model, &mut data);
/// let d = saltus::derivatives(&model, &data)?;
/// assert_eq!((d.A.rows(), d.B.cols()), (2 * model.size.nv, model.size.nu));
/// // A velocity moves its own coordinate by the time step.
/// assert!((d.A[(0, model.size.nv)] - model.options.timestep).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derivatives(model: &Model, data: &Data) -> Result<Derivatives, DerivativeError> {
    let size = &model.size;
    let n = 2 * size.nv + size.na;
    let [mut A, mut B] = [Matrix::zeros(n, n), Matrix::zeros(n, size.nu)];
    let [mut C, mut D] = [Matrix::zeros(size.nsensordata, n), Matrix::zeros(size.nsensordata, size.nu)];
    let sensors = size.nsensordata > 0;
    let mut work = Workspace::default();
    let out = Transition {
        A: Some(A.values_mut()),
        B: Some(B.values_mut()),
        C: sensors.then(|| C.values_mut()),
        D: sensors.then(|| D.values_mut()),
    };
    let report = derivative::transition(model, data, &mut work, out)?;
    let inexact = describe(model, data, report);
    Ok(Derivatives { A, B, C, D, inexact })
}

/// Exact derivatives of inverse dynamics at the current q, v and a. Requires
/// [`inverse`](crate::inverse) or [`forward`](crate::forward) at that state.
///
/// ```
/// let spec = saltus::io::read_str(saltus::shipped::HUMANOID, &Default::default())?;
/// let model = saltus::compile(&spec)?;
/// let mut data = saltus::Data::new(&model);
/// saltus::inverse(&model, &mut data)?;
/// let d = saltus::inverse_derivatives(&model, &data)?;
/// // With respect to the acceleration: the inertia matrix, here the mass.
/// assert!((d.dtau_da[(0, 0)] - d.dtau_da[(2, 2)]).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inverse_derivatives(model: &Model, data: &Data) -> Result<InverseDerivatives, DerivativeError> {
    let nv = model.size.nv;
    let [mut dtau_dq, mut dtau_dv, mut dtau_da] = core::array::from_fn(|_| Matrix::zeros(nv, nv));
    let mut work = Workspace::default();
    let out = derivative::Inverse {
        dtau_dq: dtau_dq.values_mut(),
        dtau_dv: dtau_dv.values_mut(),
        dtau_da: dtau_da.values_mut(),
    };
    let report = derivative::inverse(model, data, false, &mut work, out)?;
    let inexact = describe(model, data, report);
    Ok(InverseDerivatives { dtau_dq, dtau_dv, dtau_da, inexact })
}
