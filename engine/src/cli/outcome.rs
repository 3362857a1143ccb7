//! How the program ends when nothing went wrong before the load.

use super::options::LoadOptions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The asked rate was not achieved.
    FellShort,
    /// A threshold was broken.
    Failed,
}

impl Outcome {
    /// What the exit code says of a rate that was achieved or not.
    pub fn of(options: &LoadOptions, fell_short: bool) -> Self {
        if fell_short && !options.allow_shortfall {
            eprintln!("the asked rate was not achieved (--allow-shortfall makes this no failure)");
            Self::FellShort
        } else {
            Self::Done
        }
    }
}
