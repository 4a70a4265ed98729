//! The compiled half of the Python package `saltus`: model and data cores, and the functions on
//! them. User-facing classes, docstrings and names are on the Python side.

mod arrays;
mod callbacks;
mod constraints;
mod contact;
mod contact_arrays;
mod contacts;
mod data;
mod derivatives;
mod differences;
mod error;
mod fields;
mod functions;
mod maximal;
mod mirror;
mod model;
mod objects;
mod options;
mod parameters;
mod plan;
mod rollout;
mod solver;
mod spec;

use pyo3::prelude::*;

/// Extension module `saltus._saltus`.
#[pymodule]
mod _saltus {
    /// Version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::constraints::{constraint_field, is_sparse};
    #[pymodule_export]
    use crate::contact::{invertible_forward, invertible_inverse};
    #[pymodule_export]
    use crate::contacts::{contact_force, contacts, geom_distance, is_inside, ray, ray_geom, ray_shape};
    #[pymodule_export]
    use crate::data::DataCore;
    #[pymodule_export]
    use crate::derivatives::{
        derivative_seconds, inverse_exact, inverse_exact_batch, sensors_exact_batch, transition_exact,
        transition_exact_batch,
    };
    #[pymodule_export]
    use crate::differences::{inverse_fd, transition_fd};
    #[pymodule_export]
    use crate::functions::{
        DivergenceError, actuation, add_m, advance, apply_ft, difference, forward, full_legacy, full_m, half_step,
        integrate, inverse, jac, jac_dot, jac_object, jac_subtree_com, mul_m, normalize, object_acceleration,
        object_velocity, rne, set_const, solve_m, stage, step,
    };
    #[pymodule_export]
    use crate::maximal::MaximalCore;
    #[pymodule_export]
    use crate::model::ModelCore;
    #[pymodule_export]
    use crate::parameters::{
        inverse_by, inverse_by_many, parameter_names, parameter_values, transition_by, transition_by_many,
    };
    #[pymodule_export]
    use crate::plan::{
        PlanCore, check_function, model_name, optimize, sensor_obstacle, sensor_slopes, task_keys, task_names,
        task_tables, task_text,
    };
    #[pymodule_export]
    use crate::rollout::{rollout, rollout_state_size};
    #[pymodule_export]
    use crate::solver::{
        compare_inverse, constraint_update, inverse_gap, island_count, mul_jac, mul_jac_transposed, solver_report,
    };
    #[pymodule_export]
    use crate::spec::{SpecCore, new_element};
}
