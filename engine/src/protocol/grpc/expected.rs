//! The reply that is expected.

use super::framing::{framed, PREFIX};
use crate::template::Template;
use prost_reflect::{DynamicMessage, MessageDescriptor};
use std::cell::RefCell;

/// Of every call of a run.
#[derive(Clone, Debug)]
pub struct Expected {
    /// With its prefix: what most servers will send.
    framed: Template,
    /// A compressed form of it that has come, with its prefix; empty if none has.
    packed: RefCell<Vec<u8>>,
    descriptor: MessageDescriptor,
}

impl Expected {
    pub fn new(framed: Template, descriptor: MessageDescriptor) -> Self {
        Self {
            framed,
            packed: RefCell::default(),
            descriptor,
        }
    }

    /// Of one call; `scratch` is used if it varies.
    #[inline]
    pub fn of<'a>(&'a self, sequence: u64, scratch: &'a mut Vec<u8>) -> Wanted<'a> {
        Wanted {
            framed: self.framed.rendered(sequence, scratch),
            expected: self,
        }
    }
}

/// The reply that is expected of one call.
pub struct Wanted<'a> {
    framed: &'a [u8],
    expected: &'a Expected,
}

impl Wanted<'_> {
    /// Its bytes, as most servers will send them.
    #[inline]
    pub fn message(&self) -> &[u8] {
        &self.framed[PREFIX..]
    }

    /// What follows the expected message in `data`, if `data` begins with it.
    #[inline]
    pub fn strip<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        let packed = self.expected.packed.borrow();
        match data.strip_prefix(self.framed) {
            None if !packed.is_empty() => data.strip_prefix(packed.as_slice()),
            rest => rest,
        }
    }

    /// These compressed bytes are the message: next time they need not be unpacked.
    pub fn is_also(&self, packed: &[u8]) {
        if self.expected.framed.constant().is_some() {
            let packed = framed(1, Template::bytes(packed));
            *self.expected.packed.borrow_mut() = packed.constant().unwrap_or_default().to_vec();
        }
    }

    fn decode(&self, bytes: &[u8]) -> Option<DynamicMessage> {
        DynamicMessage::decode(self.expected.descriptor.clone(), bytes).ok()
    }

    /// Whether other bytes are the same message: fields may stand in another order.
    #[cold]
    pub fn is(&self, bytes: &[u8]) -> bool {
        let message = self.decode(bytes);
        message.is_some() && message == self.decode(self.message())
    }

    /// What is wrong with `bytes`.
    #[cold]
    pub fn explain(&self, bytes: &[u8]) -> String {
        let shown = |message: Option<DynamicMessage>| {
            let text = serde_json::to_string(&message?).unwrap_or_default();
            Some(text.chars().take(200).collect::<String>())
        };
        let expected = shown(self.decode(self.message())).unwrap_or_default();
        match shown(self.decode(bytes)) {
            Some(message) => format!("message {message}, expected {expected}"),
            None => format!(
                "{} bytes that are no message, expected {expected}",
                bytes.len()
            ),
        }
    }
}
