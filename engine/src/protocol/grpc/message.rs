//! Messages from JSON, by the contract.

use super::ask::Ask;
use crate::error::{Error, Result};
use crate::template::with_token;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::Compression;
use prost_reflect::prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, ReflectMessage,
};
use serde_json::Value;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::Path;

/// Bytes before each message: whether it is compressed, and its length.
pub const PREFIX: usize = 5;

/// One method of a contract.
#[derive(Clone, Debug)]
pub struct Method(MethodDescriptor);

impl Method {
    /// Reads the contract and finds the method.
    ///
    /// # Errors
    /// The contract cannot be read or is wrong, or has no such method, or one that takes a
    /// stream of requests.
    pub fn find(ask: &Ask) -> Result<Self> {
        let pool = match (&ask.proto, &ask.protoset) {
            (Some(path), None) => compile(path)?,
            (None, Some(path)) => load(path)?,
            _ => return Err(Error::usage("gRPC: either --proto or --protoset is needed")),
        };
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
    /// `data` is not such a message.
    pub fn request(&self, data: &Value, token: &str, gzip: bool) -> Result<Vec<u8>> {
        let data = match data {
            Value::Null => Value::Object(serde_json::Map::new()),
            data => data.clone(),
        };
        let message = message(self.0.input(), data, token, "--data")?.encode_to_vec();
        if !gzip {
            return Ok(framed(0, &message));
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(&message).and_then(|()| encoder.finish());
        Ok(framed(
            1,
            &packed.map_err(|error| Error::usage(format!("gzip: {error}")))?,
        ))
    }

    /// # Errors
    /// `expect` is not such a message.
    pub fn reply(&self, expect: &Value, token: &str) -> Result<Expected> {
        let message = message(self.0.output(), expect.clone(), token, "expect")?;
        Ok(Expected {
            framed: framed(0, &message.encode_to_vec()),
            packed: RefCell::default(),
            message,
        })
    }
}

/// The reply that is expected.
#[derive(Clone, Debug)]
pub struct Expected {
    /// With its prefix: what most servers will send.
    pub framed: Vec<u8>,
    /// A compressed form of it that has come, with its prefix; empty if none has.
    packed: RefCell<Vec<u8>>,
    message: DynamicMessage,
}

impl Expected {
    /// What follows the expected message in `data`, if `data` begins with it.
    #[inline]
    pub fn strip<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        let packed = self.packed.borrow();
        match data.strip_prefix(self.framed.as_slice()) {
            None if !packed.is_empty() => data.strip_prefix(packed.as_slice()),
            rest => rest,
        }
    }

    /// These compressed bytes are the message: next time they need not be unpacked.
    pub fn is_also(&self, packed: &[u8]) {
        *self.packed.borrow_mut() = framed(1, packed);
    }

    /// Whether other bytes are the same message: fields may stand in another order.
    #[cold]
    pub fn is(&self, bytes: &[u8]) -> bool {
        let descriptor = self.message.descriptor();
        DynamicMessage::decode(descriptor, bytes).is_ok_and(|message| message == self.message)
    }

    /// What is wrong with `bytes`.
    #[cold]
    pub fn explain(&self, bytes: &[u8]) -> String {
        let expected = shown(&self.message);
        match DynamicMessage::decode(self.message.descriptor(), bytes) {
            Ok(message) => format!("message {}, expected {expected}", shown(&message)),
            Err(_) => format!(
                "{} bytes that are no message, expected {expected}",
                bytes.len()
            ),
        }
    }
}

/// A message that came compressed; `None` if it is none, or too long.
pub fn unpack(packed: &[u8], longest: u32) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    let mut decoder = GzDecoder::new(packed).take(u64::from(longest) + 1);
    decoder.read_to_end(&mut message).ok()?;
    (message.len() <= longest as usize).then_some(message)
}

fn shown(message: &DynamicMessage) -> String {
    let text = serde_json::to_string(message).unwrap_or_default();
    text.chars().take(200).collect()
}

fn framed(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u32).to_be_bytes();
    [&[flag], &length[..], message].concat()
}

fn message(
    descriptor: MessageDescriptor,
    mut value: Value,
    token: &str,
    what: &str,
) -> Result<DynamicMessage> {
    put_token(&mut value, token);
    let name = descriptor.full_name().to_owned();
    DynamicMessage::deserialize(descriptor, value)
        .map_err(|error| Error::usage(format!("{what} is no {name}: {error}")))
}

fn put_token(value: &mut Value, token: &str) {
    match value {
        Value::String(text) => *text = with_token(text, token),
        Value::Array(elements) => elements
            .iter_mut()
            .for_each(|value| put_token(value, token)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| put_token(value, token)),
        _ => {}
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
