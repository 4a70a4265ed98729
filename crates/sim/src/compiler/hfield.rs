//! Height fields.

use super::names::{Element, Outcome};
use crate::model::Model;
use crate::model::spec::ModelSpec;

/// Maximum number of elevations of all fields together.
const MAX_ELEVATIONS: usize = 1 << 28;

/// Fills the table of height fields, elevations scaled to [0, 1].
pub(super) fn fill_hfields(spec: &ModelSpec, model: &mut Model) -> Outcome {
    let table = &mut model.hfields;
    for (id, field) in spec.hfields.iter().enumerate() {
        let element = Element::new("hfield", &field.name, id, &field.place);
        element.check(field.nrow >= 2 && field.ncol >= 2, || {
            format!("at least 2 rows and 2 columns are needed, got {} × {}", field.nrow, field.ncol)
        })?;
        element.check(field.size.iter().all(|s| *s > 0.0 && s.is_finite()), || {
            format!("all four sizes must be positive, got {:?}", field.size)
        })?;
        let count = field.nrow.saturating_mul(field.ncol);
        element.check(count.saturating_add(table.data.len()) < MAX_ELEVATIONS, || "the grid is too large".into())?;
        element.check(field.elevation.is_empty() || field.elevation.len() == count, || {
            format!("{count} elevations are needed, got {}", field.elevation.len())
        })?;
        element.check(field.elevation.iter().all(|e| e.is_finite()), || "elevations must be finite".into())?;
        table.name.push(field.name.clone());
        table.file.push(field.file.clone().unwrap_or_default());
        table.size.push(field.size);
        table.nrow.push(field.nrow as u32);
        table.ncol.push(field.ncol as u32);
        table.start.push(table.data.len() as u32);
        if field.elevation.is_empty() {
            table.data.extend(std::iter::repeat_n(0.0, count));
            continue;
        }
        let low = field.elevation.iter().copied().fold(f32::INFINITY, f32::min);
        let high = field.elevation.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let span = high - low;
        table.data.extend(field.elevation.iter().map(|e| if span > 1e-14 { (e - low) / span } else { 0.0 }));
    }
    Ok(())
}
