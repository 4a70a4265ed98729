//! E. Todorov, *A convex, smooth and invertible contact model for trajectory optimization*, ICRA
//! 2011.

mod dense;
pub mod fig1;
pub mod fig3;
pub mod fig4;
pub mod gait;
pub mod table1;

use saltus::store::table::Array;

/// Columns side by side under one name, as panels want them.
fn columns(name: &str, columns: &[&[f64]]) -> Array {
    let rows = columns.first().map_or(0, |c| c.len());
    let values = (0..rows).flat_map(|r| columns.iter().map(move |c| c[r])).collect();
    Array { values, ..Array::matrix(name, columns.len()) }
}
