//! Options of load on a Redis server.

use clap::Args;
use deadheat_load::error::Result;
use deadheat_load::protocol::redis::{words, CommandSpec};
use serde_json::Value;

const REDIS: &str = "Redis (redis://[user:password@]host:port[/database])";

#[derive(Debug, Args)]
pub struct Redis {
    /// Command, such as 'SET key:{seq} "two words"'; several are sent in turn
    #[arg(short = 'r', long = "command", value_name = "COMMAND", help_heading = REDIS)]
    commands: Vec<String>,
    /// Reply to the command at the same place: JSON (5, null, [1]), anything else is a text
    #[arg(long = "expect-reply", value_name = "REPLY", help_heading = REDIS)]
    replies: Vec<String>,
    /// Speak RESP3
    #[arg(long, help_heading = REDIS)]
    resp3: bool,
}

impl Redis {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--command", !self.commands.is_empty()),
            ("--expect-reply", !self.replies.is_empty()),
            ("--resp3", self.resp3),
        ];
        let given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    pub fn commands(&self, depth: u32) -> Result<CommandSpec> {
        let commands: Result<_> = self.commands.iter().map(|line| words(line)).collect();
        let reply = |text: &String| {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        };
        Ok(CommandSpec {
            commands: commands?,
            expect: (!self.replies.is_empty()).then(|| self.replies.iter().map(reply).collect()),
            depth: Some(depth),
            resp3: self.resp3,
        })
    }
}
