//! How the program ends when nothing went wrong before the load.

use super::options::LoadOptions;

/// What each exit code of the program means.
pub const EXIT_CODES: [(i32, &str); 4] = [
    (0, "done, or ended by a signal after load had begun"),
    (
        1,
        "the asked rate was not achieved, no rate kept the objective, or a threshold was broken",
    ),
    (
        2,
        "wrong usage, nobody there, no verdict, or ended by a signal before any load",
    ),
    (130, "ended at once by a second signal"),
];

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
