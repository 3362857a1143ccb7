//! Options of load on a gRPC server.

use super::units;
use clap::Args;
use deadheat_load::error::{Error, Result};
use deadheat_load::protocol::grpc::{CallSpec, Replies};
use deadheat_load::template::Body;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

const GRPC: &str = "gRPC (grpc://host:port, with --data as JSON and -H as metadata; {seq} in texts only, not with --gzip)";

#[derive(Debug, Args)]
pub struct Grpc {
    /// Contract, as source (without it and --protoset: the server's own, by reflection)
    #[arg(long, value_name = "FILE", conflicts_with = "protoset", help_heading = GRPC)]
    proto: Option<PathBuf>,
    /// Where --proto finds what it imports, beside its own folder; may be given several times
    #[arg(long, value_name = "FOLDER", requires = "proto", help_heading = GRPC)]
    import_path: Vec<PathBuf>,
    /// Contract, compiled (protoc --descriptor_set_out --include_imports)
    #[arg(long, value_name = "FILE", help_heading = GRPC)]
    protoset: Option<PathBuf>,
    /// What to call: package.Service/Method
    #[arg(long, value_name = "METHOD", help_heading = GRPC)]
    call: Option<String>,
    /// Messages of each stream: that a call sends (those of --data in turn), and that it must bring
    #[arg(long, value_name = "N", help_heading = GRPC)]
    messages: Option<u32>,
    /// Send the messages of a call so far apart (without it at once, or where the server streams too each when the one before is answered)
    #[arg(long, value_name = "TIME", value_parser = units::duration, help_heading = GRPC)]
    message_interval: Option<Duration>,
    /// Messages that a call must bring where both sides stream, if not one for each it sends
    #[arg(long = "replies", value_name = "N|any", help_heading = GRPC)]
    replies_to_messages: Option<Replies>,
    /// Message that each reply must be, as JSON; an array of several is of one after the other
    #[arg(long, value_name = "JSON", help_heading = GRPC)]
    expect_message: Option<String>,
    /// Deadline that is told to the server
    #[arg(long, value_name = "TIME", value_parser = units::milliseconds, help_heading = GRPC)]
    deadline: Option<u64>,
    /// Compress requests
    #[arg(long, help_heading = GRPC)]
    gzip: bool,
}

impl Grpc {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--proto", self.proto.is_some()),
            ("--import-path", !self.import_path.is_empty()),
            ("--protoset", self.protoset.is_some()),
            ("--call", self.call.is_some()),
            ("--messages", self.messages.is_some()),
            ("--message-interval", self.message_interval.is_some()),
            ("--replies", self.replies_to_messages.is_some()),
            ("--expect-message", self.expect_message.is_some()),
            ("--deadline", self.deadline.is_some()),
            ("--gzip", self.gzip),
        ];
        let given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    pub fn calls(
        &self,
        data: Option<&Body>,
        metadata: &[(String, String)],
        depth: u32,
    ) -> Result<CallSpec> {
        Ok(CallSpec {
            proto: self.proto.clone(),
            import_paths: self.import_path.clone(),
            protoset: self.protoset.clone(),
            call: self
                .call
                .clone()
                .ok_or_else(|| Error::usage("gRPC: --call package.Service/Method is needed"))?,
            data: data.map_or(Ok(Value::Null), messages)?,
            expect: match &self.expect_message {
                Some(text) => Some(json("--expect-message", text)?),
                None => None,
            },
            messages: self.messages,
            message_interval: self.message_interval,
            replies: self.replies_to_messages,
            depth: Some(depth),
            metadata: metadata.to_vec(),
            deadline_ms: self.deadline.map(|ms| ms.try_into().unwrap_or(u32::MAX)),
            gzip: self.gzip,
            ..CallSpec::default()
        })
    }
}

/// `--data`: a message, or one after the other: an array of them.
fn messages(data: &Body) -> Result<Value> {
    let text = data.text().ok_or_else(|| {
        Error::usage("gRPC: --data is the message as JSON, and this file is no text (bytes of a message are base64 in JSON)")
    })?;
    let all = serde_json::Deserializer::from_str(text).into_iter();
    match all.collect::<serde_json::Result<Vec<Value>>>() {
        Ok(all) if all.len() > 1 => Ok(Value::Array(all)),
        _ => json("--data", text),
    }
}

fn json(option: &str, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Error::usage(format!("{option} {text}: {error}")))
}
