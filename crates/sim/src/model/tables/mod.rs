//! Tables of the compiled model, grouped by noun: one array per property; all arrays of a table
//! have the same length.

mod actuator;
mod asset;
mod body;
mod constraint;
mod custom;
mod geom;
mod joint;
mod sensor;
mod tendon;

pub use actuator::ActuatorTable;
pub use asset::{HfieldTable, MaterialTable, MeshTable, TextureTable};
pub use body::{BodyTable, TreeTable};
pub use constraint::{EqualityTable, ExcludeTable, NearTable, PairTable};
pub use custom::{KeyTable, NumericTable, TextTable, TupleTable};
pub use geom::{CameraTable, GeomTable, LightTable, SiteTable};
pub use joint::{DofTable, JointTable};
pub use sensor::SensorTable;
pub use tendon::{TendonTable, WrapTable};
