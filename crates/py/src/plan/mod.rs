//! Planning: tasks as dictionaries, terms that are Python functions, optimization, plans and
//! replays.

mod core;
mod function;
mod run;
mod sensor;
mod task;

pub use self::core::PlanCore;
pub use function::check_function;
pub use run::optimize;
pub use sensor::{sensor_obstacle, sensor_slopes};
pub use task::{model_name, task_keys, task_names, task_tables, task_text};
