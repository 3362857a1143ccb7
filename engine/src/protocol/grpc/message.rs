//! Messages from JSON, by the contract.

use super::ask::Ask;
use super::expected::Expected;
use super::template::template;
use crate::error::{Error, Result};
use crate::template::nested::{Length, Nested};
use crate::template::with_token;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::Compression;
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use serde_json::Value;
use std::io::{Read, Write};
use std::path::Path;

/// Bytes before each message: whether it is compressed, and its length.
pub const PREFIX: usize = 5;

/// One method of a contract.
#[derive(Clone, Debug)]
pub struct Method(MethodDescriptor);

impl Method {
    /// Finds the method in a contract.
    ///
    /// # Errors
    /// The contract has no such method, or one that takes a stream of requests.
    pub fn find(pool: &DescriptorPool, ask: &Ask) -> Result<Self> {
        let (service, method) = ask.call.rsplit_once('/').ok_or_else(|| {
            let call = &ask.call;
            Error::usage(format!("--call {call:?}: not package.Service/Method"))
        })?;
        let found = pool.get_service_by_name(service).ok_or_else(|| {
            let known: Vec<_> = pool.services().map(|s| s.full_name().to_owned()).collect();
            let known = known.join(", ");
            Error::usage(format!(
                "no service {service} in the contract, only: {known}"
            ))
        })?;
        let found = found
            .methods()
            .find(|known| known.name() == method)
            .ok_or_else(|| {
                let known: Vec<_> = found.methods().map(|m| m.name().to_owned()).collect();
                let known = known.join(", ");
                Error::usage(format!("no method {method} in {service}, only: {known}"))
            })?;
        if found.is_client_streaming() {
            let call = &ask.call;
            return Err(Error::usage(format!(
                "{call} takes a stream of requests, which is not supported"
            )));
        }
        if !found.is_server_streaming() && ask.messages.is_some_and(|n| n != 1) {
            return Err(Error::usage(format!(
                "{} replies with one message",
                ask.call
            )));
        }
        Ok(Self(found))
    }

    /// The request with its prefix, as it goes over the wire.
    ///
    /// # Errors
    /// `data` is not such a message, or has `{seq}` where it cannot be.
    pub fn request(&self, data: &Value, token: &str, gzip: bool) -> Result<Nested> {
        let data = match data {
            Value::Null => Value::Object(serde_json::Map::new()),
            data => data.clone(),
        };
        let message = Message::new(self.0.input(), data, token, "--data")?;
        if !gzip {
            return Ok(framed(0, message.template));
        }
        let Some(bytes) = message.template.constant() else {
            return Err(Error::usage(
                "--gzip: with {seq} each call would have to be compressed",
            ));
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
        let packed = packed.map_err(|error| Error::usage(format!("gzip: {error}")))?;
        Ok(framed(1, Nested::bytes(&packed)))
    }

    /// # Errors
    /// `expect` is not such a message, or has `{seq}` where it cannot be.
    pub fn reply(&self, expect: &Value, token: &str) -> Result<Expected> {
        let message = Message::new(self.0.output(), expect.clone(), token, "expect")?;
        Ok(Expected::new(
            framed(0, message.template),
            message.descriptor,
        ))
    }
}

/// A message that came compressed; `None` if it is none, or too long.
pub fn unpack(packed: &[u8], longest: u32) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    let mut decoder = GzDecoder::new(packed).take(u64::from(longest) + 1);
    decoder.read_to_end(&mut message).ok()?;
    (message.len() <= longest as usize).then_some(message)
}

/// A message with its prefix.
pub fn framed(flag: u8, message: Nested) -> Nested {
    let mut framed = Nested::bytes(&[flag]);
    framed.push_counted(Length::Word, message);
    framed
}

/// A message made from JSON.
struct Message {
    descriptor: MessageDescriptor,
    template: Nested,
}

impl Message {
    fn new(
        descriptor: MessageDescriptor,
        mut value: Value,
        token: &str,
        what: &str,
    ) -> Result<Self> {
        put_token(&mut value, token);
        let places = count_places(&value);
        let name = descriptor.full_name().to_owned();
        let message = DynamicMessage::deserialize(descriptor.clone(), value);
        let message = message.map_err(|error| {
            let hint = if places > 0 {
                "; {seq} can only stand in texts"
            } else {
                ""
            };
            Error::usage(format!("{what} is no {name}: {error}{hint}"))
        })?;
        let bytes = message.encode_to_vec();
        let template = match places {
            0 => Some(Nested::bytes(&bytes)),
            _ => template(&descriptor, &bytes).filter(|template| template.places() == places),
        };
        let template = template.ok_or_else(|| {
            Error::usage(format!(
                "{what}: {{seq}} stands in a part of {name} that is no text"
            ))
        })?;
        Ok(Self {
            descriptor,
            template,
        })
    }
}

/// Puts the turn's token into every text and every key of a map.
fn put_token(value: &mut Value, token: &str) {
    match value {
        Value::String(text) => *text = with_token(text, token),
        Value::Array(elements) => elements
            .iter_mut()
            .for_each(|value| put_token(value, token)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            fields.extend(old.into_iter().map(|(key, mut value)| {
                put_token(&mut value, token);
                (with_token(&key, token), value)
            }));
        }
        _ => {}
    }
}

/// How often `{seq}` stands in texts and keys.
fn count_places(value: &Value) -> usize {
    match value {
        Value::String(text) => Nested::text(text).places(),
        Value::Array(elements) => elements.iter().map(count_places).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| Nested::text(key).places() + count_places(value))
            .sum(),
        _ => 0,
    }
}

/// Reads the contract.
///
/// # Errors
/// It cannot be read, or is wrong.
pub fn contract(ask: &Ask) -> Result<DescriptorPool> {
    match (&ask.proto, &ask.protoset) {
        (Some(path), None) => compile(path),
        (None, Some(path)) => load(path),
        _ => Err(Error::usage("gRPC: either --proto or --protoset is needed")),
    }
}

fn compile(path: &Path) -> Result<DescriptorPool> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let wrong = |why: &dyn std::fmt::Display| Error::usage(format!("{}: {why}", path.display()));
    let set = protox::compile([path], [folder]).map_err(|error| wrong(&error))?;
    DescriptorPool::from_file_descriptor_set(set).map_err(|error| wrong(&error))
}

fn load(path: &Path) -> Result<DescriptorPool> {
    let wrong = |why: &dyn std::fmt::Display| Error::usage(format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
    DescriptorPool::decode(bytes.as_slice()).map_err(|error| wrong(&error))
}
