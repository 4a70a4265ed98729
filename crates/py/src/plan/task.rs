//! Conversion of tasks between Python dictionaries and TOML. Only the parser knows the legal keys.

use crate::error::value_error;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use saltus::opt::task::Task;
use saltus::shipped;
use std::fmt::Write;
use toml::Value;

/// Names and texts of the built-in tasks.
#[pyfunction]
pub fn task_names() -> Vec<(&'static str, &'static str)> {
    shipped::task_names().into_iter().filter_map(|name| Some((name, shipped::task(name)?))).collect()
}

/// The name of a model: of a built-in one, of a file, or of a text.
#[pyfunction]
pub fn model_name(model: &str) -> String {
    if model.trim_start().starts_with('<') {
        return "task".to_owned();
    }
    // A file that cannot be read is an error later, where the model is needed.
    let spec = if shipped::model(model).is_some() { None } else { saltus::load_spec(model).ok() };
    saltus::task::model_name(model, &spec.unwrap_or_default())
}

/// The tables of a task, validated as far as that is possible without its model.
#[pyfunction]
pub fn task_tables<'py>(py: Python<'py>, text: &str, file: &str) -> PyResult<Bound<'py, PyAny>> {
    Task::parse(text, file).map_err(value_error)?;
    let tables: toml::Table = text.parse().map_err(value_error)?;
    to_python(py, &Value::Table(tables))
}

/// The legal keys of each table of this task; those at the top level are under an empty name.
/// Tables of terms are omitted.
#[pyfunction]
pub fn task_keys(text: &str, file: &str) -> PyResult<Vec<(String, Vec<&'static str>)>> {
    let (_, keys) = Task::parse_with_keys(text, file).map_err(value_error)?;
    // Nested tables are set as a whole.
    let name = |table: &str| table.trim_start_matches('[').trim_end_matches(']').to_owned();
    let is_own = |table: &str| table.is_empty() || (table.ends_with(']') && !table.starts_with("[["));
    Ok(keys.into_iter().filter(|k| is_own(&k.table)).map(|k| (name(&k.table), k.keys)).collect())
}

/// The text of a task file from tables, in their order.
#[pyfunction]
pub fn task_text(tables: &Bound<'_, PyDict>) -> PyResult<String> {
    let (mut head, mut rest) = (String::new(), String::new());
    for (key, value) in tables.iter() {
        let key = bare(&key)?;
        let Some(value) = to_toml(&value, &key)? else { continue };
        match value {
            Value::Table(table) => write_table(&mut rest, &format!("[{key}]"), &table)?,
            Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_table) => {
                for table in list.iter().filter_map(Value::as_table) {
                    write_table(&mut rest, &format!("[[{key}]]"), table)?;
                }
            }
            value => write_line(&mut head, &key, &value),
        }
    }
    Ok(head + &rest)
}

fn write_table(out: &mut String, title: &str, table: &toml::Table) -> PyResult<()> {
    // Writing to a String cannot fail.
    _ = writeln!(out, "\n{title}");
    // The keys that identify a table come first.
    let is_first = |key: &str| matches!(key, "name" | "kind");
    let (first, others): (Vec<_>, Vec<_>) = table.iter().partition(|(key, _)| is_first(key));
    for (key, value) in first.into_iter().chain(others) {
        check_bare(key)?;
        write_line(out, key, value);
    }
    Ok(())
}

fn write_line(out: &mut String, key: &str, value: &Value) {
    _ = writeln!(out, "{key} = {value}");
}

fn bare(key: &Bound<'_, PyAny>) -> PyResult<String> {
    let key: String = key.extract().map_err(|_| PyTypeError::new_err(format!("a key must be a string, not {key}")))?;
    check_bare(&key)?;
    Ok(key)
}

fn check_bare(key: &str) -> PyResult<()> {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { Ok(()) } else { Err(value_error(format!("{key:?}: a key can contain only letters, digits, - and _"))) }
}

/// Converts a value; None for a missing key.
fn to_toml(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Option<Value>> {
    if value.is_none() {
        return Ok(None);
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Some(Value::Boolean(value.extract()?)));
    }
    if value.is_instance_of::<PyInt>() {
        let whole = value.extract().map_err(|_| value_error(format!("{place}: the number {value} is too large")))?;
        return Ok(Some(Value::Integer(whole)));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(Value::Float(value.extract()?)));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Some(Value::String(value.extract()?)));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut table = toml::Table::new();
        for (key, value) in dict.iter() {
            let key: String =
                key.extract().map_err(|_| PyTypeError::new_err(format!("{place}: {key} is not a valid key")))?;
            if let Some(value) = to_toml(&value, &format!("{place} {key}"))? {
                table.insert(key, value);
            }
        }
        return Ok(Some(Value::Table(table)));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let mut list = Vec::new();
        for item in value.try_iter()? {
            list.extend(to_toml(&item?, place)?);
        }
        return Ok(Some(Value::Array(list)));
    }
    // NumPy scalars and arrays.
    if let Ok(plain) = value.call_method0("tolist") {
        return to_toml(&plain, place);
    }
    if let Ok(path) = value.call_method0("__fspath__") {
        return to_toml(&path, place);
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!("{place}: expected numbers, strings, lists or dictionaries, found {kind}")))
}

fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Boolean(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Integer(x) => x.into_pyobject(py)?.into_any(),
        Value::Float(x) => x.into_pyobject(py)?.into_any(),
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Datetime(date) => date.to_string().into_pyobject(py)?.into_any(),
        Value::Array(list) => {
            let items = list.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Table(table) => {
            let dict = PyDict::new(py);
            for (key, item) in table {
                dict.set_item(key, to_python(py, item)?)?;
            }
            dict.into_any()
        }
    })
}

/// Parses the text of a task and loads its model.
pub fn read(text: &str, file: &str) -> PyResult<(Task, saltus::ModelSpec)> {
    let task = Task::parse(text, file).map_err(value_error)?;
    let spec = saltus::task::load_model(&task).map_err(value_error)?;
    Ok((task, spec))
}
