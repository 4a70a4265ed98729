//! Tables of a task file whose keys are taken one by one. The only place that knows the TOML
//! library.
//!
//! A table remembers the keys that it was asked for, so that what is left at the end is a mistake
//! and what could have been meant is known.

use super::error::{TaskError, listed};
use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;
use toml::de::{DeTable, DeValue};

/// Line of a task file, from 1; 0 for what a program made. Where something was written is no part
/// of what it means, so all lines are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line(pub usize);

impl PartialEq for Line {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct At<T> {
    /// Its value.
    pub value: T,
    /// Line of the task file.
    pub line: Line,
}

impl<T> From<T> for At<T> {
    /// A value that a program made.
    fn from(value: T) -> Self {
        Self { value, line: Line::default() }
    }
}

#[derive(Clone, Debug)]
enum Value {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<At<Value>>),
    Table(Vec<(String, At<Value>)>),
    Date,
    TooLong,
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Value::Flag(_) => "true or false",
            Value::Number(x) if x.is_nan() => "NaN, which is not a number",
            Value::Number(x) if x.is_infinite() => "an infinite number",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(list) if list.iter().any(|at| matches!(at.value, Value::Number(x) if !x.is_finite())) => {
                "a list with a number that is not finite"
            }
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Date => "a date or a time (texts are written in quotes)",
            Value::TooLong => "a number with too many digits",
        }
    }
}

/// Numbers by dof: one for all, a list, or by the names of joints.
#[derive(Clone, Debug, PartialEq)]
pub enum ByDof {
    /// One number for all.
    All(f64),
    /// A number for each.
    List(Vec<f64>),
    /// By names of joints.
    Joints(Vec<(At<String>, f64)>),
}

/// A table whose keys are taken one by one.
#[derive(Debug)]
pub(super) struct Table {
    /// How it is called in messages.
    pub title: String,
    pub line: Line,
    entries: Vec<(String, At<Value>)>,
    asked: Vec<&'static str>,
    /// Where the keys of all tables are collected.
    keys: Rc<RefCell<Vec<TableKeys>>>,
}

/// The keys that a table of a task file may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableKeys {
    /// Name of the table, `[[term]]` for each term; empty for the file itself.
    pub table: String,
    /// Its keys.
    pub keys: Vec<&'static str>,
}

type Result<T> = core::result::Result<T, TaskError>;

impl Table {
    /// The whole of a file.
    pub fn parse(text: &str) -> Result<Self> {
        let line_of = |at: usize| Line(1 + text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count());
        let parsed = DeTable::parse(text).map_err(|e| {
            TaskError::grammar(e.span().map_or(Line(1), |s| line_of(s.start)), e.message().trim_end().to_owned())
        })?;
        let entries = entries(parsed.get_ref(), &line_of);
        Ok(Self { title: String::new(), line: Line(1), entries, asked: Vec::new(), keys: Rc::default() })
    }

    /// Name of a key in messages.
    pub fn key(&self, key: &str) -> String {
        if self.title.is_empty() { key.to_owned() } else { format!("{} {key}", self.title) }
    }

    /// The keys of all tables that were read to their end.
    pub fn keys(&self) -> Rc<RefCell<Vec<TableKeys>>> {
        Rc::clone(&self.keys)
    }

    fn take(&mut self, key: &'static str) -> Option<At<Value>> {
        self.asked.push(key);
        let i = self.entries.iter().position(|e| e.0 == key)?;
        Some(self.entries.remove(i).1)
    }

    fn wrong<T>(&self, key: &str, found: &At<Value>, expected: &str) -> Result<T> {
        let message = format!("expected {expected}, found {}", found.value.kind());
        Err(TaskError::at(found.line, self.key(key), message))
    }

    pub fn missing(&self, key: &str, expected: &str) -> TaskError {
        TaskError::at(self.line, self.key(key), format!("this key is missing: expected {expected}"))
    }

    pub fn flag(&mut self, key: &'static str) -> Result<Option<bool>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Flag(flag), .. }) => Ok(Some(flag)),
            Some(other) => self.wrong(key, &other, "true or false"),
        }
    }

    /// A finite number.
    pub fn number(&mut self, key: &'static str) -> Result<Option<f64>> {
        self.number_that(key, "a finite number", f64::is_finite)
    }

    /// A finite positive number.
    pub fn positive(&mut self, key: &'static str) -> Result<Option<f64>> {
        self.number_that(key, "a positive number", |x| x.is_finite() && x > 0.0)
    }

    /// A number that `is_right`; `expected` says which numbers are.
    fn number_that(
        &mut self,
        key: &'static str,
        expected: &str,
        is_right: impl Fn(f64) -> bool,
    ) -> Result<Option<f64>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Number(x), .. }) if is_right(x) => Ok(Some(x)),
            Some(At { value: Value::Number(x), line }) => {
                Err(TaskError::at(line, self.key(key), format!("expected {expected}, found {x}")))
            }
            Some(other) => self.wrong(key, &other, expected),
        }
    }

    /// A finite number of at least zero.
    pub fn not_negative(&mut self, key: &'static str) -> Result<Option<f64>> {
        self.number_that(key, "a number of at least 0", |x| x.is_finite() && x >= 0.0)
    }

    /// A positive number that is not too large.
    pub fn positive_to(&mut self, key: &'static str, most: f64, unit: &str) -> Result<Option<f64>> {
        let expected = format!("a positive number{unit} up to {most}");
        self.number_that(key, &expected, |x| x > 0.0 && x <= most)
    }

    /// A number of a range.
    pub fn number_in(&mut self, key: &'static str, range: RangeInclusive<f64>, unit: &str) -> Result<Option<f64>> {
        let expected = format!("a number{unit} from {} to {}", range.start(), range.end());
        self.number_that(key, &expected, |x| range.contains(&x))
    }

    /// A whole number of a range.
    pub fn count(&mut self, key: &'static str, range: RangeInclusive<usize>) -> Result<Option<usize>> {
        let (low, high) = (*range.start(), *range.end());
        let expected = format!("a whole number from {low} to {high}");
        let found =
            self.number_that(key, &expected, |x| (low as f64..=high as f64).contains(&x) && x.fract() == 0.0)?;
        Ok(found.map(|x| x as usize))
    }

    /// Three whole numbers of a range.
    pub fn counts(&mut self, key: &'static str, range: RangeInclusive<usize>) -> Result<Option<[usize; 3]>> {
        let Some(found) = self.take(key) else { return Ok(None) };
        let (low, high) = (*range.start(), *range.end());
        let is_count = |x: &f64| (low as f64..=high as f64).contains(x) && x.fract() == 0.0;
        match list_of_numbers(&found.value).as_deref() {
            Some(&[x, y, z]) if [x, y, z].iter().all(is_count) => Ok(Some([x as usize, y as usize, z as usize])),
            _ => {
                let message = format!("expected three whole numbers from {low} to {high}");
                Err(TaskError::at(found.line, self.key(key), message))
            }
        }
    }

    pub fn text(&mut self, key: &'static str) -> Result<Option<At<String>>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Text(value), line }) => Ok(Some(At { value, line })),
            Some(other) => self.wrong(key, &other, "text"),
        }
    }

    /// One of a few words.
    pub fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(found) = self.text(key)? else { return Ok(None) };
        match words.iter().find(|w| w.0 == found.value) {
            Some(word) => Ok(Some(word.1)),
            None => Err(self.unknown_word(key, &found, words.iter().map(|w| w.0))),
        }
    }

    pub fn unknown_word<'a>(
        &self,
        key: &str,
        found: &At<String>,
        words: impl IntoIterator<Item = &'a str>,
    ) -> TaskError {
        let message = format!("expected one of {}; found {:?}", listed(words), found.value);
        TaskError::at(found.line, self.key(key), message)
    }

    pub fn numbers(&mut self, key: &'static str) -> Result<Option<At<Vec<f64>>>> {
        let Some(found) = self.take(key) else { return Ok(None) };
        match list_of_numbers(&found.value) {
            Some(value) => Ok(Some(At { value, line: found.line })),
            None => self.wrong(key, &found, "a list of finite numbers"),
        }
    }

    /// Three numbers; a single one stands for three.
    pub fn axes(&mut self, key: &'static str) -> Result<Option<[f64; 3]>> {
        let Some(found) = self.take(key) else { return Ok(None) };
        if let Value::Number(x) = found.value
            && x.is_finite()
        {
            return Ok(Some([x; 3]));
        }
        match list_of_numbers(&found.value).as_deref() {
            Some(&[x, y, z]) => Ok(Some([x, y, z])),
            _ => self.wrong(key, &found, "three numbers"),
        }
    }

    /// One number for all dofs, a list, or a table by joint.
    pub fn by_dof(&mut self, key: &'static str) -> Result<Option<ByDof>> {
        let Some(found) = self.take(key) else { return Ok(None) };
        let expected = "a number, a list of one number for each dof, or a table { joint = number }";
        match &found.value {
            Value::Number(x) if x.is_finite() => Ok(Some(ByDof::All(*x))),
            Value::Table(entries) => {
                let number = |(name, at): &(String, At<Value>)| match at.value {
                    Value::Number(x) if x.is_finite() => Ok((At { value: name.clone(), line: at.line }, x)),
                    _ => self.wrong(key, at, "a number for each joint"),
                };
                Ok(Some(ByDof::Joints(entries.iter().map(number).collect::<Result<_>>()?)))
            }
            other => match list_of_numbers(other) {
                Some(list) => Ok(Some(ByDof::List(list))),
                None => self.wrong(key, &found, expected),
            },
        }
    }

    /// Weights under `key`; or numbers under `quadratic`, which multiply squares of residuals in
    /// the cost: ½ w² = quadratic.
    pub fn weight(&mut self, key: &'static str) -> Result<Option<ByDof>> {
        let line = self.entries.iter().find(|e| e.0 == "quadratic").map_or(self.line, |e| e.1.line);
        let (weight, quadratic) = (self.by_dof(key)?, self.by_dof("quadratic")?);
        let root = |x: f64| {
            let message = format!("expected numbers that are not negative, found {x}");
            if x < 0.0 { Err(TaskError::at(line, self.key("quadratic"), message)) } else { Ok((2.0 * x).sqrt()) }
        };
        match (weight, quadratic) {
            (weight, None) => Ok(weight),
            (Some(_), Some(_)) => {
                let message = format!("either {key} or quadratic is expected, not both");
                Err(TaskError::at(line, self.key("quadratic"), message))
            }
            (None, Some(ByDof::All(x))) => Ok(Some(ByDof::All(root(x)?))),
            (None, Some(ByDof::List(list))) => {
                Ok(Some(ByDof::List(list.into_iter().map(root).collect::<Result<_>>()?)))
            }
            (None, Some(ByDof::Joints(joints))) => {
                let joints = joints.into_iter().map(|(name, x)| Ok((name, root(x)?)));
                Ok(Some(ByDof::Joints(joints.collect::<Result<_>>()?)))
            }
        }
    }

    /// A list of texts.
    pub fn texts(&mut self, key: &'static str) -> Result<Option<Vec<At<String>>>> {
        let Some(found) = self.take(key) else { return Ok(None) };
        match list_of_texts(&found.value) {
            Some(texts) => Ok(Some(texts)),
            None => self.wrong(key, &found, "a list of texts"),
        }
    }

    /// Pairs of texts.
    pub fn pairs(&mut self, key: &'static str) -> Result<Vec<[At<String>; 2]>> {
        let Some(found) = self.take(key) else { return Ok(Vec::new()) };
        let pair = |at: &At<Value>| list_of_texts(&at.value).and_then(|texts| <[At<String>; 2]>::try_from(texts).ok());
        let pairs = match &found.value {
            Value::List(list) => list.iter().map(pair).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        pairs.map_or_else(|| self.wrong(key, &found, "a list of pairs of names"), Ok)
    }

    /// Whether a key holds a list, a text or something else: for keys of several forms.
    pub fn is_text(&self, key: &str) -> bool {
        self.entries.iter().any(|e| e.0 == key && matches!(e.1.value, Value::Text(_)))
    }

    pub fn table(&mut self, key: &'static str) -> Result<Option<Table>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Table(entries), line }) => {
                let title = if self.title.is_empty() { format!("[{key}]") } else { self.key(key) };
                Ok(Some(Table { title, line, entries, asked: Vec::new(), keys: self.keys() }))
            }
            Some(other) => self.wrong(key, &other, "a table"),
        }
    }

    /// A table; an empty one if there is none.
    pub fn table_or_empty(&mut self, key: &'static str) -> Result<Table> {
        let found = self.table(key)?;
        let empty = || Table {
            title: format!("[{key}]"),
            line: self.line,
            entries: Vec::new(),
            asked: Vec::new(),
            keys: self.keys(),
        };
        Ok(found.unwrap_or_else(empty))
    }

    pub fn tables(&mut self, key: &'static str) -> Result<Vec<Table>> {
        let Some(found) = self.take(key) else { return Ok(Vec::new()) };
        let Value::List(list) = found.value else { return self.wrong(key, &found, "a list of tables ([[term]])") };
        let mut tables = Vec::with_capacity(list.len());
        for at in list {
            match at.value {
                Value::Table(entries) => {
                    let (title, keys) = (format!("[[{key}]]"), self.keys());
                    tables.push(Table { title, line: at.line, entries, asked: Vec::new(), keys });
                }
                _ => return self.wrong(key, &at, "a table"),
            }
        }
        Ok(tables)
    }

    /// All keys must have been asked for.
    pub fn finish(self) -> Result<()> {
        if let Some((key, at)) = self.entries.first() {
            let message = format!("there is no such key; there are {}", listed(&self.asked));
            return Err(TaskError::at(at.line, self.key(key), message));
        }
        self.keys.borrow_mut().push(TableKeys { table: self.title, keys: self.asked });
        Ok(())
    }
}

fn entries(table: &DeTable<'_>, line_of: &dyn Fn(usize) -> Line) -> Vec<(String, At<Value>)> {
    let mut entries: Vec<(usize, String, At<Value>)> = table
        .iter()
        .map(|(key, value)| {
            let at = At { value: convert(value.get_ref(), line_of), line: line_of(key.span().start) };
            (key.span().start, key.get_ref().to_string(), at)
        })
        .collect();
    // In the order of the file.
    entries.sort_by_key(|e| e.0);
    entries.into_iter().map(|(_, key, at)| (key, at)).collect()
}

fn convert(value: &DeValue<'_>, line_of: &dyn Fn(usize) -> Line) -> Value {
    match value {
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Integer(x) => {
            let whole = i64::from_str_radix(x.as_str(), x.radix()).map(|x| x as f64);
            // One that is larger is refused with its value, not as something else.
            whole.ok().or_else(|| x.as_str().parse().ok()).map_or(Value::TooLong, Value::Number)
        }
        DeValue::Float(x) => x.as_str().parse().map_or(Value::TooLong, Value::Number),
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(list) => Value::List(
            list.iter().map(|v| At { value: convert(v.get_ref(), line_of), line: line_of(v.span().start) }).collect(),
        ),
        DeValue::Table(table) => Value::Table(entries(table, line_of)),
    }
}

fn list_of_numbers(value: &Value) -> Option<Vec<f64>> {
    let Value::List(list) = value else { return None };
    let number = |at: &At<Value>| match at.value {
        Value::Number(x) if x.is_finite() => Some(x),
        _ => None,
    };
    list.iter().map(number).collect()
}

fn list_of_texts(value: &Value) -> Option<Vec<At<String>>> {
    let Value::List(list) = value else { return None };
    let text = |at: &At<Value>| match &at.value {
        Value::Text(text) => Some(At { value: text.clone(), line: at.line }),
        _ => None,
    };
    list.iter().map(text).collect()
}
