//! What is shown while a run goes on: `--progress`.

use super::options::LoadOptions;
use clap::ValueEnum;
use deadheat_load::load::run::RunSpec;
use deadheat_load::load::run_control::Interval;
use deadheat_load::output::live::{Goal, Live};
use std::io::{self, IsTerminal, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressArg {
    /// The view where stderr is a terminal, nothing elsewhere
    Auto,
    /// A few lines that are drawn anew each second
    View,
    /// A line a second
    Lines,
    None,
}

/// Shows one run after the other on stderr.
#[derive(Clone, Copy)]
pub struct Progress(Form);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    View,
    Lines,
    None,
}

/// One run as it is shown.
pub struct Shown {
    form: Form,
    live: Live,
    /// Lines of the view that stand on the terminal.
    drawn: usize,
}

/// Lines that are too long for the terminal are cut off, so that each takes one row.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

impl Progress {
    pub fn new(options: &LoadOptions) -> Self {
        Self(match options.progress {
            _ if options.quiet => Form::None,
            ProgressArg::Auto if io::stderr().is_terminal() => Form::View,
            ProgressArg::Auto | ProgressArg::None => Form::None,
            ProgressArg::View => Form::View,
            ProgressArg::Lines => Form::Lines,
        })
    }

    /// Whether anything is shown at all.
    pub fn is_on(self) -> bool {
        self.0 != Form::None
    }

    /// A run begins.
    pub fn begin(self, spec: &RunSpec) -> Shown {
        let goal = match spec.requests {
            Some(requests) => Goal::Requests(requests),
            None => Goal::Seconds(spec.counted_ms as f64 / 1e3),
        };
        Shown {
            form: self.0,
            live: Live::new(goal),
            drawn: 0,
        }
    }
}

impl Shown {
    /// Seconds that are over.
    pub fn add(&mut self, seconds: &[Interval]) {
        let Some(last) = seconds.last() else {
            return;
        };
        let mut text = String::new();
        match self.form {
            Form::None => {}
            Form::Lines => seconds.iter().for_each(|second| {
                text += &Live::line(second);
                text.push('\n');
            }),
            Form::View => {
                seconds.iter().for_each(|second| self.live.add(second));
                let view = self.live.view(last);
                text = self.to_the_top() + NO_WRAP + &view.join("\n") + "\n" + WRAP;
                self.drawn = view.len();
            }
        }
        write(&text);
    }

    /// The run is over: the view makes room for what comes next.
    pub fn end(&mut self) {
        write(&self.to_the_top());
        self.drawn = 0;
    }

    /// To where the view begins, with nothing below.
    fn to_the_top(&self) -> String {
        match self.drawn {
            0 => String::new(),
            lines => format!("\x1b[{lines}A\r\x1b[J"),
        }
    }
}

/// In one piece; where nobody listens any more there is nothing to be said.
fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
