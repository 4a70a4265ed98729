//! Typed access to attributes.

use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::Vec3;

/// Maximum number of values in one attribute or element.
const MAX_NUMBERS: usize = 20_000_000;

/// Keywords of boolean and three-way attributes.
pub const BOOL: &[(&str, bool)] = &[("false", false), ("true", true)];
pub const TRISTATE: &[(&str, Option<bool>)] = &[("false", Some(false)), ("true", Some(true)), ("auto", None)];

impl<'t> Element<'t> {
    /// Numbers of an attribute, of any count.
    pub fn list(self, name: &str) -> Result<Option<Vec<f64>>, ReadError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let values = numbers(text).map_err(|e| self.attribute_error(name, e))?;
        Ok((!values.is_empty()).then_some(values))
    }

    /// Numbers inside the element, of any count.
    pub fn content_numbers(self) -> Result<Vec<f64>, ReadError> {
        numbers(self.content()).map_err(|e| self.error(e))
    }

    /// Same as [`list`](Self::list), finite or infinite but not NaN, between `least` and
    /// `out.len()` numbers; returns the count.
    fn fill(self, name: &str, out: &mut [f64], least: usize) -> Result<usize, ReadError> {
        let Some(values) = self.list(name)? else { return Ok(0) };
        if values.iter().any(|v| v.is_nan()) {
            return Err(self.attribute_error(name, "NaN is not a valid value"));
        }
        if values.len() < least || values.len() > out.len() {
            let most = out.len();
            let expected = match (least, most) {
                (1, 1) => "one number".to_owned(),
                (a, b) if a == b => format!("{a} numbers"),
                (a, b) => format!("{a} to {b} numbers"),
            };
            return Err(self.attribute_error(name, format!("expected {expected}, found {}", values.len())));
        }
        out[..values.len()].copy_from_slice(&values);
        Ok(values.len())
    }

    /// Overwrites the first numbers of `out` with those given; returns the count.
    pub fn some(self, name: &str, out: &mut [f64]) -> Result<usize, ReadError> {
        self.fill(name, out, 1)
    }

    /// Overwrites all of `out`; returns whether the attribute is present.
    pub fn exact(self, name: &str, out: &mut [f64]) -> Result<bool, ReadError> {
        let n = out.len();
        Ok(self.fill(name, out, n)? > 0)
    }

    pub fn real(self, name: &str, out: &mut f64) -> Result<bool, ReadError> {
        self.exact(name, std::slice::from_mut(out))
    }

    pub fn real_option(self, name: &str, out: &mut Option<f64>) -> Result<bool, ReadError> {
        let mut value = 0.0;
        let given = self.real(name, &mut value)?;
        if given {
            *out = Some(value);
        }
        Ok(given)
    }

    pub fn vec3(self, name: &str, out: &mut Vec3) -> Result<bool, ReadError> {
        let values: &mut [f64; 3] = out.as_mut();
        self.exact(name, values)
    }

    /// Single-precision numbers, exactly as many as `out` holds.
    pub fn single(self, name: &str, out: &mut [f32]) -> Result<bool, ReadError> {
        let mut values = [0.0; 8];
        let given = self.exact(name, &mut values[..out.len().min(8)])?;
        if given {
            out.iter_mut().zip(values).for_each(|(o, v)| *o = v as f32);
        }
        Ok(given)
    }

    /// User data: replaces that of a default class.
    pub fn user(self, out: &mut Vec<f64>) -> Result<(), ReadError> {
        if let Some(values) = self.list("user")? {
            *out = values;
        }
        Ok(())
    }

    pub fn integers(self, name: &str) -> Result<Option<Vec<i32>>, ReadError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let parse = |word: &str| {
            word.parse::<i32>()
                .map_err(|_| self.attribute_error(name, format!("expected a 32-bit integer, found {word:?}")))
        };
        let values = text.split_ascii_whitespace().map(parse).collect::<Result<Vec<_>, _>>()?;
        Ok((!values.is_empty()).then_some(values))
    }

    pub fn integer(self, name: &str, out: &mut i32) -> Result<bool, ReadError> {
        let Some(values) = self.integers(name)? else { return Ok(false) };
        let [value] = values[..] else {
            return Err(self.attribute_error(name, format!("expected one integer, found {}", values.len())));
        };
        *out = value;
        Ok(true)
    }

    /// A count: an integer that is not negative.
    pub fn count(self, name: &str, out: &mut usize) -> Result<bool, ReadError> {
        let mut value = 0;
        let given = self.integer(name, &mut value)?;
        if given {
            *out = usize::try_from(value)
                .map_err(|_| self.attribute_error(name, format!("expected an integer ≥ 0, found {value}")))?;
        }
        Ok(given)
    }

    /// One of a set of keywords.
    pub fn keyword<T: Copy>(self, name: &str, words: &[(&str, T)], out: &mut T) -> Result<bool, ReadError> {
        let Some(text) = self.text(name) else { return Ok(false) };
        *out = self.word(name, text, words)?;
        Ok(true)
    }

    /// Looks up a keyword.
    pub fn word<T: Copy>(self, name: &str, word: &str, words: &[(&str, T)]) -> Result<T, ReadError> {
        words.iter().find(|(w, _)| *w == word).map(|(_, value)| *value).ok_or_else(|| {
            let allowed: Vec<_> = words.iter().map(|(w, _)| *w).collect();
            self.attribute_error(name, format!("expected one of: {}; found {word:?}", allowed.join(", ")))
        })
    }

    pub fn flag(self, name: &str, out: &mut bool) -> Result<bool, ReadError> {
        self.keyword(name, BOOL, out)
    }

    pub fn string(self, name: &str, out: &mut String) {
        if let Some(text) = self.text(name) {
            *out = text.to_owned();
        }
    }

    pub fn string_option(self, name: &str, out: &mut Option<String>) {
        if let Some(text) = self.text(name) {
            *out = Some(text.to_owned());
        }
    }

    /// A required string.
    pub fn required(self, name: &str) -> Result<String, ReadError> {
        self.text(name).map(str::to_owned).ok_or_else(|| self.attribute_error(name, "required but not given"))
    }
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let mut values = Vec::new();
    for word in text.split_ascii_whitespace() {
        values.push(number(word)?);
        if values.len() > MAX_NUMBERS {
            return Err(format!("more than {MAX_NUMBERS} numbers"));
        }
    }
    Ok(values)
}

fn number(word: &str) -> Result<f64, String> {
    let value: f64 = word.parse().map_err(|_| format!("expected a number, found {word:?}"))?;
    let digits = word.bytes().any(|b| b.is_ascii_digit());
    if value.is_infinite() && digits {
        return Err(format!("{word} is larger than a double-precision number can hold"));
    }
    Ok(value)
}
