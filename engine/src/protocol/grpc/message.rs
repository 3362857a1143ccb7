//! Messages from JSON, by the contract.

use super::expected::Expected;
use super::framing::framed;
use super::spec::CallSpec;
use super::template::template;
use crate::error::{Error, Result};
use crate::template::{with_token, Template};
use flate2::write::GzEncoder;
use flate2::Compression;
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use serde_json::Value;
use std::io::Write;

/// One method of a contract.
#[derive(Clone, Debug)]
pub struct Method(MethodDescriptor);

impl Method {
    /// Finds the method in a contract.
    ///
    /// # Errors
    /// The contract has no such method, or one that does not stream as it should.
    pub fn find(pool: &DescriptorPool, spec: &CallSpec) -> Result<Self> {
        let (service, method) = spec.service_and_method()?;
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
        let (takes, brings) = (found.is_client_streaming(), found.is_server_streaming());
        let call = &spec.call;
        let wrong = if !takes && !brings && spec.messages.is_some_and(|n| n != 1) {
            Some(format!("{call} replies with one message"))
        } else if !takes && spec.message_interval.is_some() {
            Some(format!("--message-interval: {call} takes one message"))
        } else if !(takes && brings) && spec.replies.is_some() {
            Some(format!(
                "--replies: only where both sides stream, not for {call}"
            ))
        } else {
            None
        };
        match wrong {
            Some(wrong) => Err(Error::usage(wrong)),
            None => Ok(Self(found)),
        }
    }

    /// Whether it takes a stream of messages.
    pub fn takes_messages(&self) -> bool {
        self.0.is_client_streaming()
    }

    /// Whether it replies with a stream of messages.
    pub fn brings_messages(&self) -> bool {
        self.0.is_server_streaming()
    }

    /// The request with its prefix, as it goes over the wire.
    ///
    /// # Errors
    /// `data` is not such a message, or has `{seq}` where it cannot be.
    pub fn request(&self, data: &Value, token: &str, gzip: bool) -> Result<Template> {
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
        Ok(framed(1, Template::bytes(&packed)))
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

/// A message made from JSON.
struct Message {
    descriptor: MessageDescriptor,
    template: Template,
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
            0 => Some(Template::bytes(&bytes)),
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

/// Puts the run's token into every text and every key of a map.
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
        Value::String(text) => Template::text(text).places(),
        Value::Array(elements) => elements.iter().map(count_places).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| Template::text(key).places() + count_places(value))
            .sum(),
        _ => 0,
    }
}
