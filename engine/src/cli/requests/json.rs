//! A line of `--requests` in JSON.

use super::read_bytes;
use base64::{engine::general_purpose::STANDARD, Engine};
use deadheat_load::template::Body;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;

/// A line of JSON whose `KEY_file`, and `body_file` in `expect`, name files with what else stands in
/// `KEY` and `body`.
pub(super) fn json_with_files<T: DeserializeOwned>(
    line: &str,
    folder: &Path,
    keys: &[&str],
) -> Result<T, String> {
    let Once(mut json) = serde_json::from_str(line).map_err(|error| error.to_string())?;
    for key in keys {
        put_file(&mut json, folder, key)?;
    }
    if let Some(expect) = json.get_mut("expect") {
        put_file(expect, folder, "body")?;
    }
    serde_json::from_value(json).map_err(|error| error.to_string())
}

fn put_file(json: &mut Value, folder: &Path, key: &str) -> Result<(), String> {
    let file_key = format!("{key}_file");
    let Some(object) = json.as_object_mut() else {
        return Ok(());
    };
    let Some(file) = object.remove(&file_key) else {
        return Ok(());
    };
    let Value::String(file) = file else {
        return Err(format!("{file_key}: not the name of a file"));
    };
    if object.contains_key(key) {
        return Err(format!("{key} or {file_key}, not both"));
    }
    let bytes = read_bytes(&folder.join(file)).map_err(|error| error.message)?;
    let content = match Body::of_file(bytes) {
        Body::Text(text) => text.into(),
        Body::Binary(bytes) => serde_json::json!({"base64": STANDARD.encode(bytes)}),
    };
    object.insert(key.into(), content);
    Ok(())
}

/// Any JSON in which no object has a key twice: `Value` itself takes the last of them.
struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(EachKeyOnce).map(Self)
    }
}

struct EachKeyOnce;

impl<'de> Visitor<'de> for EachKeyOnce {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Once(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Once(value))) = pairs.next_entry::<String, Once>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("{key:?} is given twice")));
            }
            object.insert(key, value);
        }
        Ok(object.into())
    }
}
