//! Validation of compiled models from outside (binary files): after [`Model::validate`] every index
//! is in range, every table is complete, and the tree is ordered, so that no stage of the pipeline
//! can fail.

mod attached;
mod coupling;
mod tree;

use super::Model;
use crate::ids::Span;

/// The tables of the model are inconsistent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("invalid model: {0}")]
pub struct InvalidModel(pub String);

type Verdict = Result<(), InvalidModel>;

/// Maximum number of entries of a table.
const MAX_LEN: usize = 1 << 26;

impl Model {
    /// Checks that all tables are consistent.
    pub fn validate(&self) -> Verdict {
        tree::check_sizes(self)?;
        tree::check_bodies(self)?;
        tree::check_joints(self)?;
        tree::check_dofs(self)?;
        tree::check_pattern(self)?;
        attached::check_geoms(self)?;
        attached::check_sites(self)?;
        attached::check_views(self)?;
        attached::check_meshes(self)?;
        attached::check_hfields(self)?;
        attached::check_materials(self)?;
        coupling::check_pairs(self)?;
        coupling::check_equalities(self)?;
        coupling::check_tendons(self)?;
        coupling::check_actuators(self)?;
        coupling::check_sensors(self)?;
        coupling::check_custom(self)?;
        coupling::check_keys(self)?;
        coupling::check_options(self)
    }

    /// Returns a validated copy with changed numbers. Values that the compiler derives from them
    /// (reference lengths, constraint weights) do not change;
    /// [`update_reference`](crate::compiler::update_reference) recomputes them after changes of
    /// masses and frames. To add or remove elements, change the [`ModelSpec`](crate::ModelSpec) and
    /// compile it.
    pub fn edited(&self, change: impl FnOnce(&mut Self)) -> Result<Self, InvalidModel> {
        let mut model = self.clone();
        change(&mut model);
        model.validate()?;
        Ok(model)
    }

    /// Checks the objects and the number of outputs of each sensor.
    pub fn validate_sensors(&self) -> Verdict {
        coupling::check_sensors(self)
    }
}

fn require(ok: bool, message: impl FnOnce() -> String) -> Verdict {
    if ok { Ok(()) } else { Err(InvalidModel(message())) }
}

/// Every listed array of a table has `n` entries.
macro_rules! same_len {
    ($table:expr, $name:literal, $n:expr, [$($field:ident),+ $(,)?]) => {
        $($crate::model::validate::require($table.$field.len() == $n, || {
            format!("{}.{} has {} entries, not {}", $name, stringify!($field), $table.$field.len(), $n)
        })?;)+
    };
}
use same_len;

/// User data has `per` numbers for each of `n` elements.
fn check_user(what: &str, user: &[f64], n: usize, per: usize) -> Verdict {
    require(n.checked_mul(per) == Some(user.len()), || format!("{what}: user data has the wrong length"))?;
    check_finite(what, user)
}

fn check_ids(what: &str, ids: impl IntoIterator<Item = u32>, bound: usize) -> Verdict {
    for id in ids {
        require((id as usize) < bound, || format!("{what}: index {id} is not below {bound}"))?;
    }
    Ok(())
}

fn check_span(what: &str, span: Span, bound: usize) -> Verdict {
    let end = u64::from(span.start) + u64::from(span.len);
    require(end <= bound as u64, || format!("{what}: entries {}…{end} are not within {bound}", span.start))
}

/// Spans that follow each other without gaps and fill `total` entries.
fn check_tiling(what: &str, spans: &[Span], total: usize) -> Verdict {
    let mut next = 0u64;
    for span in spans {
        require(u64::from(span.start) == next || span.len == 0, || format!("{what}: spans do not follow each other"))?;
        next += u64::from(span.len);
    }
    require(next == total as u64, || format!("{what}: spans cover {next} entries of {total}"))
}

fn check_finite<'a>(what: &str, values: impl IntoIterator<Item = &'a f64>) -> Verdict {
    require(values.into_iter().all(|v| v.is_finite()), || format!("{what}: a number is not finite"))
}

fn check_unit(what: &str, quats: &[saltus_math::Quat]) -> Verdict {
    require(quats.iter().all(|q| (q.norm() - 1.0).abs() < 1e-6), || format!("{what}: a quaternion is not a unit"))
}

fn flat3(v: &[saltus_math::Vec3]) -> impl Iterator<Item = &f64> {
    v.iter().flat_map(|v| [&v.x, &v.y, &v.z])
}

fn flat<const N: usize>(v: &[[f64; N]]) -> impl Iterator<Item = &f64> {
    v.iter().flatten()
}
