//! What became of each assertion.

use super::shown;
use serde::Serialize;
use std::fmt::Write;

/// Lines for people; `--json` has all.
const MOST: usize = 50;

#[derive(Clone, Debug, Serialize)]
pub struct AssertionSummary {
    pub assertion: String,
    /// Replies that it failed for.
    pub failed: u64,
}

/// A line each, those that failed first; nothing where there are none.
pub fn table(assertions: &[AssertionSummary]) -> String {
    let mut all: Vec<&AssertionSummary> = assertions.iter().collect();
    all.sort_by_key(|assertion| assertion.failed == 0);
    let mut text = String::new();
    for AssertionSummary { assertion, failed } in all.iter().take(MOST) {
        let failed = shown::thousands(*failed);
        // A String takes every character.
        let _ = writeln!(text, "assertion: {assertion}: {failed} failed");
    }
    if all.len() > MOST {
        let more = all.len() - MOST;
        let _ = writeln!(text, "{more} more assertions: --json");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_failed_come_first_and_very_many_are_cut() {
        let of = |n: u64| AssertionSummary {
            assertion: format!("contains {n}"),
            failed: u64::from(n == 60) * 1_234,
        };
        let all: Vec<AssertionSummary> = (0..=60).map(of).collect();
        let table = table(&all);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 51);
        assert_eq!(lines[0], "assertion: contains 60: 1,234 failed");
        assert_eq!(lines[1], "assertion: contains 0: 0 failed");
        assert_eq!(lines[50], "11 more assertions: --json");
        assert_eq!(super::table(&[]), "");
    }
}
