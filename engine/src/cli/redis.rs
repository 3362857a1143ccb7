//! Options of load on a Redis server.

use clap::Args;
use deadheat_load::error::Result;
use deadheat_load::protocol::redis::{words, Ask};
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
    pub fn ask(&self, pipeline: u32) -> Result<Ask> {
        let commands: Result<_> = self.commands.iter().map(|line| words(line)).collect();
        let reply = |text: &String| {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        };
        Ok(Ask {
            commands: commands?,
            expect: (!self.replies.is_empty()).then(|| self.replies.iter().map(reply).collect()),
            pipeline: Some(pipeline),
            resp3: self.resp3,
        })
    }
}
