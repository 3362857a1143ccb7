//! What is asked of a gRPC server, and what it is to answer.

use crate::error::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The fields of `open` for `grpc://` and `grpcs://`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallSpec {
    /// The contract, as source ...
    pub proto: Option<PathBuf>,
    /// Where it finds what it imports, beside its own folder.
    #[serde(skip)]
    pub import_paths: Vec<PathBuf>,
    /// ... or compiled, as `protoc --descriptor_set_out` writes it; without either it is the server's
    /// own, by reflection.
    pub protoset: Option<PathBuf>,
    /// `package.Service/Method`
    pub call: String,
    /// The request as JSON; texts may hold `{token}`. An array is of several messages, where the
    /// method takes a stream of them.
    pub data: Value,
    /// The reply as JSON, the same; without it any message will do.
    pub expect: Option<Value>,
    /// Messages of each stream: that a call has to bring (1 if not said) and, where it takes a
    /// stream of them, that it sends (those of `data` if not said).
    pub messages: Option<u32>,
    /// Calls in flight on one connection; 1 if not said.
    #[serde(rename = "streams")]
    pub depth: Option<u32>,
    pub metadata: Vec<(String, String)>,
    /// Served to the server as `grpc-timeout`.
    pub deadline_ms: Option<u32>,
    /// Compress requests.
    pub gzip: bool,
    /// Where the method takes a stream of messages: so far apart they are sent, whatever is
    /// answered.
    #[serde(skip)]
    pub message_interval: Option<Duration>,
    /// Where both sides stream: other than a reply for each message.
    #[serde(skip)]
    pub replies: Option<Replies>,
    /// Time each message of a reply.
    #[serde(skip)]
    pub time_messages: bool,
}

/// How many messages a call has to bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replies {
    Any,
    Exactly(u32),
}

impl FromStr for Replies {
    type Err = String;

    /// A number, or `any`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match (text, text.parse()) {
            ("any", _) => Ok(Self::Any),
            (_, Ok(n)) => Ok(Self::Exactly(n)),
            _ => Err(format!("{text:?} is neither a number nor any")),
        }
    }
}

impl CallSpec {
    /// # Errors
    /// Metadata that no header can be.
    pub(super) fn check_metadata(&self) -> Result<()> {
        for (name, value) in &self.metadata {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            let is_value = |byte: u8| (b' '..=b'~').contains(&byte);
            if name.is_empty() || !name.bytes().all(is_name) || !value.bytes().all(is_value) {
                return Err(Error::usage(format!(
                    "metadata {name}: {value}: not such a header"
                )));
            }
        }
        Ok(())
    }

    /// Whether the server is asked for the contract.
    pub fn is_reflected(&self) -> bool {
        self.proto.is_none() && self.protoset.is_none()
    }

    /// Service and method of the call.
    ///
    /// # Errors
    /// It names none.
    pub fn service_and_method(&self) -> Result<(&str, &str)> {
        self.call.rsplit_once('/').ok_or_else(|| {
            let call = &self.call;
            Error::usage(format!("--call {call:?}: not package.Service/Method"))
        })
    }
}
