//! State and inputs as one vector of selected parts in a fixed order, with MuJoCo's numbering of
//! the parts.

use super::Data;
use crate::model::Model;

/// A set of parts of state and inputs. The bits are MuJoCo's; vectors contain the parts in the
/// order of the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateParts(pub u32);

impl StateParts {
    /// Time.
    pub const TIME: Self = Self(1 << 0);
    /// Coordinates.
    pub const Q: Self = Self(1 << 1);
    /// Velocities.
    pub const V: Self = Self(1 << 2);
    /// Activations.
    pub const ACT: Self = Self(1 << 3);
    /// Warm start of the constraint solver.
    pub const WARM_START: Self = Self(1 << 5);
    /// Controls.
    pub const CTRL: Self = Self(1 << 6);
    /// Applied generalized forces.
    pub const TAU_APPLIED: Self = Self(1 << 7);
    /// Applied forces on bodies.
    pub const BODY_FORCE: Self = Self(1 << 8);
    /// Whether each equality constraint is active.
    pub const EQUALITY_ACTIVE: Self = Self(1 << 9);
    /// Positions of mocap bodies.
    pub const MOCAP_POS: Self = Self(1 << 10);
    /// Orientations of mocap bodies.
    pub const MOCAP_QUAT: Self = Self(1 << 11);
    /// User data.
    pub const USER: Self = Self(1 << 12);
    /// q, v and act.
    pub const PHYSICS: Self = Self::Q.with(Self::V).with(Self::ACT);
    /// Time and physics.
    pub const FULL_PHYSICS: Self = Self::TIME.with(Self::PHYSICS);
    /// All inputs.
    pub const INPUTS: Self = Self::CTRL
        .with(Self::TAU_APPLIED)
        .with(Self::BODY_FORCE)
        .with(Self::EQUALITY_ACTIVE)
        .with(Self::MOCAP_POS)
        .with(Self::MOCAP_QUAT)
        .with(Self::USER);
    /// All parts that the next step depends on.
    pub const INTEGRATION: Self = Self::FULL_PHYSICS.with(Self::WARM_START).with(Self::INPUTS);

    /// The union with `other`.
    #[inline]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Whether `part` is included.
    #[inline]
    pub const fn has(self, part: Self) -> bool {
        self.0 & part.0 != 0
    }

    /// Length of a vector of these parts.
    pub fn size(self, model: &Model) -> usize {
        let size = &model.size;
        [
            (Self::TIME, 1),
            (Self::Q, size.nq),
            (Self::V, size.nv),
            (Self::ACT, size.na),
            (Self::WARM_START, size.nv),
            (Self::CTRL, size.nu),
            (Self::TAU_APPLIED, size.nv),
            (Self::BODY_FORCE, 6 * model.nbody()),
            (Self::EQUALITY_ACTIVE, model.nequality()),
            (Self::MOCAP_POS, 3 * size.nmocap),
            (Self::MOCAP_QUAT, 4 * size.nmocap),
            (Self::USER, size.nuserdata),
        ]
        .iter()
        .map(|&(part, n)| if self.has(part) { n } else { 0 })
        .sum()
    }
}

/// The length of a vector of state parts does not match the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a state vector of length {expected}, found length {found}")]
pub struct StateSizeError {
    /// Length of the given vector.
    pub found: usize,
    /// Length of a vector of the parts.
    pub expected: usize,
}

fn check(model: &Model, parts: StateParts, found: usize) -> Result<(), StateSizeError> {
    let expected = parts.size(model);
    if found == expected { Ok(()) } else { Err(StateSizeError { found, expected }) }
}

impl Data {
    /// Copies parts of state and inputs into `vector`.
    pub fn read_parts(&self, model: &Model, parts: StateParts, vector: &mut [f64]) -> Result<(), StateSizeError> {
        check(model, parts, vector.len())?;
        let mut rest = vector;
        let (state, input) = (&self.state, &self.input);
        let time = [state.time];
        let numbers: [(StateParts, &[f64]); 8] = [
            (StateParts::TIME, &time),
            (StateParts::Q, &state.q),
            (StateParts::V, &state.v),
            (StateParts::ACT, &state.act),
            (StateParts::WARM_START, &state.a_warm),
            (StateParts::CTRL, &input.ctrl),
            (StateParts::TAU_APPLIED, &input.tau_applied),
            (StateParts::BODY_FORCE, bytemuck::cast_slice(&input.body_force)),
        ];
        let mut put = |part: StateParts, values: &[f64]| {
            if parts.has(part) {
                let (head, tail) = core::mem::take(&mut rest).split_at_mut(values.len());
                head.copy_from_slice(values);
                rest = tail;
            }
        };
        numbers.into_iter().for_each(|(part, values)| put(part, values));
        for active in &state.equality_active {
            put(StateParts::EQUALITY_ACTIVE, &[f64::from(u8::from(*active))]);
        }
        put(StateParts::MOCAP_POS, bytemuck::cast_slice(&state.mocap_pos));
        put(StateParts::MOCAP_QUAT, bytemuck::cast_slice(&state.mocap_quat));
        put(StateParts::USER, &state.user);
        Ok(())
    }

    /// Copies `vector` into parts of state and inputs.
    pub fn write_parts(&mut self, model: &Model, parts: StateParts, vector: &[f64]) -> Result<(), StateSizeError> {
        check(model, parts, vector.len())?;
        let mut rest = vector;
        let (state, input) = (&mut self.state, &mut self.input);
        let mut take = |part: StateParts, values: &mut [f64]| {
            if parts.has(part) {
                let (head, tail) = rest.split_at(values.len());
                values.copy_from_slice(head);
                rest = tail;
            }
        };
        take(StateParts::TIME, core::slice::from_mut(&mut state.time));
        take(StateParts::Q, &mut state.q);
        take(StateParts::V, &mut state.v);
        take(StateParts::ACT, &mut state.act);
        take(StateParts::WARM_START, &mut state.a_warm);
        take(StateParts::CTRL, &mut input.ctrl);
        take(StateParts::TAU_APPLIED, &mut input.tau_applied);
        take(StateParts::BODY_FORCE, bytemuck::cast_slice_mut(&mut input.body_force));
        for active in &mut state.equality_active {
            let mut value = [f64::from(u8::from(*active))];
            take(StateParts::EQUALITY_ACTIVE, &mut value);
            *active = value[0] != 0.0;
        }
        take(StateParts::MOCAP_POS, bytemuck::cast_slice_mut(&mut state.mocap_pos));
        take(StateParts::MOCAP_QUAT, bytemuck::cast_slice_mut(&mut state.mocap_quat));
        take(StateParts::USER, &mut state.user);
        Ok(())
    }
}
