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

/// Numbers of a table, one row per element.
trait Rows {
    /// The first row with a number that is not finite, and that number.
    fn not_finite(&self) -> Option<(usize, f64)>;
}

fn first_bad<'a>(rows: impl IntoIterator<Item = impl IntoIterator<Item = &'a f64>>) -> Option<(usize, f64)> {
    let bad = rows.into_iter().map(|row| row.into_iter().find(|x| !x.is_finite()).copied());
    bad.enumerate().find_map(|(i, x)| Some((i, x?)))
}

impl Rows for Vec<f64> {
    fn not_finite(&self) -> Option<(usize, f64)> {
        first_bad(self.iter().map(core::slice::from_ref))
    }
}

impl<const N: usize> Rows for Vec<[f64; N]> {
    fn not_finite(&self) -> Option<(usize, f64)> {
        first_bad(self)
    }
}

impl Rows for Vec<saltus_math::Vec3> {
    fn not_finite(&self) -> Option<(usize, f64)> {
        first_bad(self.iter().map(|v| [&v.x, &v.y, &v.z]))
    }
}

/// The numbers of a field of a table are finite; an error names the element.
fn check_rows(kind: &str, field: &str, names: &[String], rows: &dyn Rows) -> Verdict {
    let Some((i, x)) = rows.not_finite() else { return Ok(()) };
    let name = names.get(i).filter(|n| !n.is_empty()).map(|n| format!(" {n:?}")).unwrap_or_default();
    Err(InvalidModel(format!("{kind} {i}{name}: {field} must be finite, found {x}")))
}

/// Every listed field of a table has finite numbers.
macro_rules! finite {
    ($table:expr, $kind:literal, $names:expr, [$($field:ident),+ $(,)?]) => {
        $($crate::model::validate::check_rows($kind, stringify!($field), $names, &$table.$field)?;)+
    };
}
use finite;

fn check_finite<'a>(what: &str, values: impl IntoIterator<Item = &'a f64>) -> Verdict {
    match values.into_iter().enumerate().find(|(_, v)| !v.is_finite()) {
        Some((i, x)) => Err(InvalidModel(format!("{what}: number {i} must be finite, found {x}"))),
        None => Ok(()),
    }
}

fn check_unit(what: &str, quats: &[saltus_math::Quat]) -> Verdict {
    require(quats.iter().all(|q| (q.norm() - 1.0).abs() < 1e-6), || format!("{what}: a quaternion is not a unit"))
}
