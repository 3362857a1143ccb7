//! Options of load on a WebSocket server.

use clap::Args;
use deadheat_load::protocol::websocket::MessageSpec;

const WEBSOCKET: &str = "WebSocket (ws://host:port/path; the message is --data, its reply --expect-body, several in flight --pipeline)";

#[derive(Debug, Args)]
pub struct WebSocket {
    /// Send the message as a binary one
    #[arg(long, help_heading = WEBSOCKET)]
    binary: bool,
    /// A reply belongs to the message whose value it has at this JSON path, such as '$.id={seq}' (default: to the oldest)
    #[arg(long, value_name = "PATH=VALUE", help_heading = WEBSOCKET)]
    match_id: Option<String>,
    /// Before every N-th message of a connection send a ping, and time its pong apart
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u64).range(1..), help_heading = WEBSOCKET)]
    ping: Option<u64>,
}

impl WebSocket {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--binary", self.binary),
            ("--match-id", self.match_id.is_some()),
            ("--ping", self.ping.is_some()),
        ];
        let given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name).collect()
    }

    pub fn spec(&self) -> MessageSpec {
        MessageSpec {
            binary: self.binary,
            match_id: self.match_id.clone(),
            ping: self.ping,
        }
    }
}
