//! Tables of a task file whose keys are taken one by one. The only place that knows the TOML library.
//!
//! A table remembers the keys that it was asked for, so that what is left at the end is a mistake and what could have
//! been meant is known.

use super::error::{TaskError, listed};
use toml::de::{DeTable, DeValue};

/// A value and its line.
#[derive(Clone, Debug, PartialEq)]
pub struct At<T> {
    /// Its value.
    pub value: T,
    /// Line of the task file.
    pub line: usize,
}

#[derive(Clone, Debug)]
enum Value {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<At<Value>>),
    Table(Vec<(String, At<Value>)>),
    Other,
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Value::Flag(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other => "a date",
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
    pub line: usize,
    entries: Vec<(String, At<Value>)>,
    asked: Vec<&'static str>,
}

type Result<T> = core::result::Result<T, TaskError>;

impl Table {
    /// The whole of a file.
    pub fn parse(text: &str) -> Result<Self> {
        let line_of = |at: usize| 1 + text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count();
        let parsed = DeTable::parse(text).map_err(|e| {
            TaskError::grammar(e.span().map_or(1, |s| line_of(s.start)), e.message().trim_end().to_owned())
        })?;
        let entries = entries(parsed.get_ref(), &line_of);
        Ok(Self { title: String::new(), line: 1, entries, asked: Vec::new() })
    }

    /// Name of a key in messages.
    pub fn key(&self, key: &str) -> String {
        if self.title.is_empty() { key.to_owned() } else { format!("{} {key}", self.title) }
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

    pub fn number(&mut self, key: &'static str) -> Result<Option<f64>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Number(x), .. }) if x.is_finite() => Ok(Some(x)),
            Some(other) => self.wrong(key, &other, "a finite number"),
        }
    }

    pub fn positive(&mut self, key: &'static str) -> Result<Option<f64>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Number(x), .. }) if x.is_finite() && x > 0.0 => Ok(Some(x)),
            Some(At { value: Value::Number(x), line }) => {
                Err(TaskError::at(line, self.key(key), format!("expected a positive number, found {x}")))
            }
            Some(other) => self.wrong(key, &other, "a positive number"),
        }
    }

    /// A whole number of at least one and at most a million.
    pub fn count(&mut self, key: &'static str) -> Result<Option<usize>> {
        match self.take(key) {
            None => Ok(None),
            Some(At { value: Value::Number(x), .. }) if (1.0..=1e6).contains(&x) && x.fract() == 0.0 => {
                Ok(Some(x as usize))
            }
            Some(At { value: Value::Number(x), line }) => {
                let message = format!("expected a whole number from 1 to 1000000, found {x}");
                Err(TaskError::at(line, self.key(key), message))
            }
            Some(other) => self.wrong(key, &other, "a whole number"),
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
        if let Value::Number(x) = found.value {
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

    /// Weights under `key`; or numbers under `quadratic`, which multiply squares of residuals in the cost: ½ w² = quadratic.
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
                Ok(Some(Table { title, line, entries, asked: Vec::new() }))
            }
            Some(other) => self.wrong(key, &other, "a table"),
        }
    }

    pub fn tables(&mut self, key: &'static str) -> Result<Vec<Table>> {
        let Some(found) = self.take(key) else { return Ok(Vec::new()) };
        let Value::List(list) = found.value else { return self.wrong(key, &found, "a list of tables ([[term]])") };
        let mut tables = Vec::with_capacity(list.len());
        for at in list {
            match at.value {
                Value::Table(entries) => {
                    tables.push(Table { title: format!("[[{key}]]"), line: at.line, entries, asked: Vec::new() });
                }
                _ => return self.wrong(key, &at, "a table"),
            }
        }
        Ok(tables)
    }

    /// All keys must have been asked for.
    pub fn finish(self) -> Result<()> {
        match self.entries.first() {
            None => Ok(()),
            Some((key, at)) => {
                let message = format!("there is no such key; there are {}", listed(&self.asked));
                Err(TaskError { known: self.asked.clone(), ..TaskError::at(at.line, self.key(key), message) })
            }
        }
    }
}

fn entries(table: &DeTable<'_>, line_of: &dyn Fn(usize) -> usize) -> Vec<(String, At<Value>)> {
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

fn convert(value: &DeValue<'_>, line_of: &dyn Fn(usize) -> usize) -> Value {
    match value {
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Integer(x) => {
            i64::from_str_radix(x.as_str(), x.radix()).map_or(Value::Other, |x| Value::Number(x as f64))
        }
        DeValue::Float(x) => x.as_str().parse().map_or(Value::Other, Value::Number),
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Datetime(_) => Value::Other,
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
