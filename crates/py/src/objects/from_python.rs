//! Python objects → Rust values.

use super::ConversionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// The value of a Python object: of its numbers, words, lists, tuples, dictionaries and arrays.
pub fn from_python<T: DeserializeOwned>(object: &Bound<'_, PyAny>) -> Result<T, ConversionError> {
    T::deserialize(Converter(object.clone()))
}

#[derive(Debug)]
struct Converter<'py>(Bound<'py, PyAny>);

impl<'py> Converter<'py> {
    /// The only entry of a dictionary, which is how a variant of an enum is given that has
    /// contents.
    fn only_entry(&self) -> Result<(String, Bound<'py, PyAny>), ConversionError> {
        let entries = self.0.cast::<PyDict>().map(|dict| dict.items());
        match entries {
            Ok(items) if items.len() == 1 => Ok(items.get_item(0)?.extract()?),
            _ => Err(ConversionError::custom(format!(
                "expected a word, or a dictionary with one entry, not {}",
                self.0.get_type().name()?
            ))),
        }
    }
}

impl<'de> Deserializer<'de> for Converter<'_> {
    type Error = ConversionError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        let object = self.0;
        if object.is_none() {
            visitor.visit_unit()
        } else if object.is_instance_of::<PyBool>() {
            visitor.visit_bool(object.extract()?)
        } else if object.is_instance_of::<PyInt>() {
            match object.extract::<i64>() {
                Ok(n) => visitor.visit_i64(n),
                Err(_) => visitor.visit_u64(object.extract()?),
            }
        } else if object.is_instance_of::<PyFloat>() {
            visitor.visit_f64(object.extract()?)
        } else if object.is_instance_of::<PyString>() {
            visitor.visit_string(object.extract()?)
        } else if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            visitor.visit_seq(Items { items: object.extract::<Vec<_>>()?.into_iter(), index: 0 })
        } else if let Ok(dict) = object.cast::<PyDict>() {
            visitor.visit_map(Entries { entries: dict.items().extract::<Vec<_>>()?.into_iter(), value: None })
        } else if object.hasattr("tolist")? {
            // Arrays, and numbers of numpy.
            Converter(object.call_method0("tolist")?).deserialize_any(visitor)
        } else {
            Err(ConversionError::custom(format!("{} is not a type of values", object.get_type().name()?)))
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        if self.0.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        if let Ok(word) = self.0.cast::<PyString>() {
            let word: StringDeserializer<ConversionError> = word.extract::<String>()?.into_deserializer();
            return visitor.visit_enum(word);
        }
        let (variant, contents) = self.only_entry()?;
        visitor.visit_enum(Variant { variant, contents: Converter(contents) })
    }

    /// Whatever it is, its contents are not looked at.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

struct Items<'py> {
    items: std::vec::IntoIter<Bound<'py, PyAny>>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = ConversionError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ConversionError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Converter(item)).map(Some).map_err(|e| e.in_item(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'py> {
    entries: std::vec::IntoIter<(String, Bound<'py, PyAny>)>,
    /// The value whose key was read last.
    value: Option<(String, Bound<'py, PyAny>)>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = ConversionError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ConversionError> {
        self.value = self.entries.next();
        let Some((key, _)) = &self.value else { return Ok(None) };
        let key: StringDeserializer<ConversionError> = key.clone().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ConversionError> {
        let (key, value) = self.value.take().ok_or_else(|| ConversionError::custom("a value without a key"))?;
        seed.deserialize(Converter(value)).map_err(|e| e.in_field(&key))
    }
}

/// A variant of an enum with its contents.
struct Variant<'py> {
    variant: String,
    contents: Converter<'py>,
}

impl<'de, 'py> EnumAccess<'de> for Variant<'py> {
    type Error = ConversionError;
    type Variant = Converter<'py>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Converter<'py>), ConversionError> {
        let variant: StringDeserializer<ConversionError> = self.variant.into_deserializer();
        Ok((seed.deserialize(variant)?, self.contents))
    }
}

impl<'de> VariantAccess<'de> for Converter<'_> {
    type Error = ConversionError;

    fn unit_variant(self) -> Result<(), ConversionError> {
        serde::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ConversionError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ConversionError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        self.deserialize_any(visitor)
    }
}
