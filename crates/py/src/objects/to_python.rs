//! Rust values → Python objects.

use super::ConversionError;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::ser::{self, Error, Serialize, Serializer};

type Done<'py> = Result<Value<'py>, ConversionError>;

/// The Python object of a value.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> Result<Bound<'py, PyAny>, ConversionError> {
    value.serialize(Converter { py })?.object(py)
}

/// A converted value. Numbers are kept as they are until it is known whether they are in a row.
#[derive(Debug)]
enum Value<'py> {
    Real(f64),
    Whole(i64),
    Object(Bound<'py, PyAny>),
}

impl<'py> Value<'py> {
    fn object(self, py: Python<'py>) -> Result<Bound<'py, PyAny>, ConversionError> {
        Ok(match self {
            Value::Real(x) => x.into_pyobject(py).map_err(PyErr::from)?.into_any(),
            Value::Whole(n) => n.into_pyobject(py).map_err(PyErr::from)?.into_any(),
            Value::Object(object) => object,
        })
    }

    fn whole(&self) -> Option<i64> {
        if let Value::Whole(n) = self { Some(*n) } else { None }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Value::Real(x) => Some(*x),
            Value::Whole(n) => Some(*n as f64),
            Value::Object(_) => None,
        }
    }
}

/// An array, if all items are numbers and there are some; else a list.
fn row<'py>(py: Python<'py>, items: Vec<Value<'py>>) -> Done<'py> {
    if items.is_empty() {
        return Ok(Value::Object(PyList::empty(py).into_any()));
    }
    if let Some(whole) = items.iter().map(Value::whole).collect::<Option<Vec<_>>>() {
        return Ok(Value::Object(whole.into_pyarray(py).into_any()));
    }
    if let Some(numbers) = items.iter().map(Value::number).collect::<Option<Vec<_>>>() {
        return Ok(Value::Object(numbers.into_pyarray(py).into_any()));
    }
    let items = items.into_iter().map(|item| item.object(py)).collect::<Result<Vec<_>, _>>()?;
    Ok(Value::Object(PyList::new(py, items)?.into_any()))
}

/// A variant of an enum with contents: a dictionary with one entry.
fn tagged<'py>(py: Python<'py>, variant: &str, value: Value<'py>) -> Done<'py> {
    let dict = PyDict::new(py);
    dict.set_item(variant, value.object(py)?)?;
    Ok(Value::Object(dict.into_any()))
}

#[derive(Clone, Copy)]
struct Converter<'py> {
    py: Python<'py>,
}

/// Items of a list, or of a variant with several.
struct Items<'py> {
    py: Python<'py>,
    items: Vec<Value<'py>>,
    variant: Option<&'static str>,
}

/// Fields of a struct, or of a variant that has names for them.
struct Fields<'py> {
    py: Python<'py>,
    fields: Vec<(&'static str, Value<'py>)>,
    is_quaternion: bool,
    variant: Option<&'static str>,
}

/// Entries of a map.
struct Entries<'py> {
    py: Python<'py>,
    dict: Bound<'py, PyDict>,
    key: Option<Bound<'py, PyAny>>,
}

impl<'py> Converter<'py> {
    fn items(self, length: Option<usize>, variant: Option<&'static str>) -> Result<Items<'py>, ConversionError> {
        Ok(Items { py: self.py, items: Vec::with_capacity(length.unwrap_or(0)), variant })
    }
}

impl<'py> Items<'py> {
    fn push(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), ConversionError> {
        self.items.push(value.serialize(Converter { py: self.py })?);
        Ok(())
    }

    fn finish(self) -> Done<'py> {
        let row = row(self.py, self.items)?;
        match self.variant {
            Some(variant) => tagged(self.py, variant, row),
            None => Ok(row),
        }
    }
}

impl<'py> Fields<'py> {
    fn push(&mut self, key: &'static str, value: &(impl Serialize + ?Sized)) -> Result<(), ConversionError> {
        self.fields.push((key, value.serialize(Converter { py: self.py })?));
        Ok(())
    }

    fn finish(self) -> Done<'py> {
        if self.is_quaternion {
            return row(self.py, self.fields.into_iter().map(|(_, value)| value).collect());
        }
        let dict = PyDict::new(self.py);
        for (key, value) in self.fields {
            dict.set_item(key, value.object(self.py)?)?;
        }
        let dict = Value::Object(dict.into_any());
        match self.variant {
            Some(variant) => tagged(self.py, variant, dict),
            None => Ok(dict),
        }
    }
}

macro_rules! whole_numbers {
    ($($name:ident: $type:ty),+) => {
        $(fn $name(self, n: $type) -> Done<'py> {
            Ok(Value::Whole(i64::from(n)))
        })+
    };
}

impl<'py> Serializer for Converter<'py> {
    type Ok = Value<'py>;
    type Error = ConversionError;
    type SerializeSeq = Items<'py>;
    type SerializeTuple = Items<'py>;
    type SerializeTupleStruct = Items<'py>;
    type SerializeTupleVariant = Items<'py>;
    type SerializeMap = Entries<'py>;
    type SerializeStruct = Fields<'py>;
    type SerializeStructVariant = Fields<'py>;

    whole_numbers!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    whole_numbers!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32);

    fn serialize_u64(self, n: u64) -> Done<'py> {
        Ok(Value::Whole(i64::try_from(n).map_err(ConversionError::custom)?))
    }

    fn serialize_bool(self, on: bool) -> Done<'py> {
        Ok(Value::Object(on.into_pyobject(self.py).map_err(PyErr::from)?.to_owned().into_any()))
    }

    /// The number that a file has for it: 0.1, not 0.10000000149011612.
    fn serialize_f32(self, x: f32) -> Done<'py> {
        Ok(Value::Real(x.to_string().parse().map_err(ConversionError::custom)?))
    }

    fn serialize_f64(self, x: f64) -> Done<'py> {
        Ok(Value::Real(x))
    }

    fn serialize_char(self, c: char) -> Done<'py> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Done<'py> {
        Ok(Value::Object(PyString::new(self.py, text).into_any()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Done<'py> {
        row(self.py, bytes.iter().map(|byte| Value::Whole(i64::from(*byte))).collect())
    }

    fn serialize_none(self) -> Done<'py> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done<'py> {
        Ok(Value::Object(self.py.None().into_bound(self.py)))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done<'py> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Done<'py> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done<'py> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Done<'py> {
        tagged(self.py, variant, value.serialize(self)?)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items<'py>, ConversionError> {
        self.items(length, None)
    }

    fn serialize_tuple(self, length: usize) -> Result<Items<'py>, ConversionError> {
        self.items(Some(length), None)
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items<'py>, ConversionError> {
        self.items(Some(length), None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Items<'py>, ConversionError> {
        self.items(Some(length), Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'py>, ConversionError> {
        Ok(Entries { py: self.py, dict: PyDict::new(self.py), key: None })
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Fields<'py>, ConversionError> {
        let fields = Vec::with_capacity(length);
        Ok(Fields { py: self.py, fields, is_quaternion: name == "Quat", variant: None })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Fields<'py>, ConversionError> {
        let fields = Vec::with_capacity(length);
        Ok(Fields { py: self.py, fields, is_quaternion: false, variant: Some(variant) })
    }
}

macro_rules! items {
    ($($name:ident: $push:ident),+) => {
        $(impl<'py> ser::$name for Items<'py> {
            type Ok = Value<'py>;
            type Error = ConversionError;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConversionError> {
                self.push(value)
            }

            fn end(self) -> Done<'py> {
                self.finish()
            }
        })+
    };
}
items!(SerializeSeq: serialize_element, SerializeTuple: serialize_element);
items!(SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field);

macro_rules! fields {
    ($($name:ident),+) => {
        $(impl<'py> ser::$name for Fields<'py> {
            type Ok = Value<'py>;
            type Error = ConversionError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), ConversionError> {
                self.push(key, value)
            }

            fn end(self) -> Done<'py> {
                self.finish()
            }
        })+
    };
}
fields!(SerializeStruct, SerializeStructVariant);

impl<'py> ser::SerializeMap for Entries<'py> {
    type Ok = Value<'py>;
    type Error = ConversionError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ConversionError> {
        self.key = Some(to_python(self.py, &key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConversionError> {
        let key = self.key.take().ok_or_else(|| ConversionError::custom("a value without a key"))?;
        Ok(self.dict.set_item(key, to_python(self.py, &value)?)?)
    }

    fn end(self) -> Done<'py> {
        Ok(Value::Object(self.dict.into_any()))
    }
}
