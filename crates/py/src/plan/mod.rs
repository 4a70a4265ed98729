//! Planning: tasks as tables, terms that are Python functions, optimization, plans and their replay.

mod core;
mod function;
mod run;
mod task;

pub use self::core::PlanCore;
pub use function::check_function;
pub use run::optimize;
pub use task::{task_keys, task_names, task_tables, task_text};
