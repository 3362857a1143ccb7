//! `deadheat-load serve sse`.

use super::{Place, FAULTS};
use crate::cli::units;
use clap::Args;
use deadheat_load::error::{Error, Result};
use deadheat_load::protocol::http::stream::StreamForm;
use deadheat_load::serve::sse::{Plan, Tokens};
use deadheat_load::serve::Faults;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Sse {
    #[command(flatten)]
    place: Place,
    /// sse, as OpenAI's chat, or lines, a JSON object each as Ollama's
    #[arg(long, default_value = "sse", value_name = "sse|lines")]
    form: StreamForm,
    /// When the event that says the role, and has no content, comes
    #[arg(long, default_value = "10ms", value_name = "TIME", value_parser = units::duration)]
    first_event: Duration,
    /// When the first content comes; several are of one request after the other
    #[arg(long, default_value = "50ms", value_name = "TIME,TIME", value_delimiter = ',', value_parser = units::duration)]
    first_content: Vec<Duration>,
    /// From one content to the next, and to the end; several come one after the other
    #[arg(long, default_value = "10ms", value_name = "TIME,TIME", value_delimiter = ',', value_parser = units::duration)]
    gap: Vec<Duration>,
    /// Events with content
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    contents: u64,
    /// Tokens in each of them
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    tokens: u64,
    /// Every N-th stream ends with an error after half of its contents
    #[arg(long, value_name = "1/N", value_parser = units::every, help_heading = FAULTS)]
    fail: Option<u64>,
    /// Send replies one byte at a time
    #[arg(long, help_heading = FAULTS)]
    byte_by_byte: bool,
}

impl Sse {
    /// Serves until told to stop.
    pub fn run(self) -> Result<()> {
        let earliest = self.first_content.iter().min();
        if earliest.is_some_and(|earliest| *earliest < self.first_event) {
            return Err(Error::usage("--first-content: not before --first-event"));
        }
        let tokens = Tokens::new(Plan {
            form: self.form,
            first_event: self.first_event,
            first_content: self.first_content,
            gaps: self.gap,
            contents: self.contents,
            tokens: self.tokens,
        });
        let faults = Faults {
            fail: self.fail,
            byte_by_byte: self.byte_by_byte,
            ..Faults::default()
        };
        self.place.run(tokens, faults)
    }
}
