//! Limit sensors: distance to the limit, velocity towards it, force. Zero if the limit is not
//! active.

use crate::data::{Constraints, Data, RowKind};
use crate::model::kinds::SensorKind;

pub(super) fn read(data: &Data, kind: SensorKind, id: usize) -> f64 {
    use SensorKind::*;
    let wanted = match kind {
        TendonLimitPos | TendonLimitVel | TendonLimitFrc => RowKind::LimitTendon,
        _ => RowKind::LimitJoint,
    };
    let rows: &Constraints = &data.constraints;
    let first = rows.n_equality + rows.n_friction;
    let active = (first..first + rows.n_limit).find(|&r| rows.kind[r] == wanted && rows.id[r] as usize == id);
    active.map_or(0.0, |r| match kind {
        JointLimitPos | TendonLimitPos => rows.pos[r] - rows.margin[r],
        JointLimitVel | TendonLimitVel => rows.vel[r],
        _ => rows.force[r],
    })
}
