//! What is asked of a gRPC server, and what it is to answer.

use crate::error::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

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
    /// The request as JSON; texts may hold `{token}`.
    pub data: Value,
    /// The reply as JSON, the same; without it any message will do.
    pub expect: Option<Value>,
    /// Replies that a call has to bring; 1 if not said. Above 1 the method has to stream.
    pub messages: Option<u32>,
    /// Calls in flight on one connection; 1 if not said.
    #[serde(rename = "streams")]
    pub depth: Option<u32>,
    pub metadata: Vec<(String, String)>,
    /// Served to the server as `grpc-timeout`.
    pub deadline_ms: Option<u32>,
    /// Compress requests.
    pub gzip: bool,
    /// Time each message of a reply.
    #[serde(skip)]
    pub time_messages: bool,
}

impl CallSpec {
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
