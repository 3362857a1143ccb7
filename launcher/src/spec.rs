//! What the referee asks for: one program, then commands.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub argv: Vec<String>,
    pub cwd: String,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// CPUs the program may run on; `null` leaves it those of the launcher.
    #[serde(default)]
    pub cpus: Option<Vec<usize>>,
    /// The network namespace that it gets, as `/proc` or `/run/netns` has it; that of the launcher
    /// without.
    #[serde(default)]
    pub network: Option<String>,
    #[serde(default)]
    pub stdin: Option<String>,
    #[serde(default)]
    pub stdout: Option<String>,
    #[serde(default)]
    pub stderr: Option<String>,
    #[serde(default = "default_output_limit")]
    pub output_limit: u64,
    #[serde(default)]
    pub time_limit_ms: Option<u64>,
    #[serde(default)]
    pub peak_memory: bool,
}

fn default_output_limit() -> u64 {
    1 << 20
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "cmd", rename_all = "snake_case")]
pub enum Command {
    Freeze,
    Thaw,
    Usage {
        #[serde(default = "yes")]
        memory: bool,
    },
    Stop {
        grace_ms: u64,
    },
}

fn yes() -> bool {
    true
}

impl Spec {
    pub fn parse(line: &[u8]) -> Result<Spec, String> {
        let spec: Spec = serde_json::from_slice(line)
            .map_err(|error| format!("cannot read what to start: {error}"))?;
        if spec.argv.first().is_none_or(String::is_empty) {
            return Err("cannot run anything: argv is empty".into());
        }
        if spec.cpus.as_ref().is_some_and(Vec::is_empty) {
            return Err(format!("cannot run {}: cpus is empty", spec.argv[0]));
        }
        Ok(spec)
    }
}

impl Command {
    pub fn parse(line: &[u8]) -> Result<Command, String> {
        serde_json::from_slice(line).map_err(|error| format!("cannot read a command: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_named() {
        let error = Spec::parse(br#"{"argv":["a"],"cwd":"/","cpu":[0]}"#).unwrap_err();
        assert!(error.contains("`cpu`"), "{error}");
    }

    #[test]
    fn usage_reads_memory_unless_told_not_to() {
        let full = Command::parse(br#"{"cmd":"usage"}"#).unwrap();
        let cheap = Command::parse(br#"{"cmd":"usage","memory":false}"#).unwrap();
        assert_eq!(full, Command::Usage { memory: true });
        assert_eq!(cheap, Command::Usage { memory: false });
    }

    #[test]
    fn an_empty_command_line_is_refused() {
        assert!(Spec::parse(br#"{"argv":[],"cwd":"/"}"#).is_err());
        assert!(Spec::parse(br#"{"argv":[""],"cwd":"/"}"#).is_err());
        assert!(Spec::parse(br#"{"argv":["a"],"cwd":"/","cpus":[]}"#).is_err());
    }
}
