//! The command line that every contender of this workload takes.

/// What one invocation is to do.
pub struct Options {
    pub host: String,
    pub port: u16,
    /// Commands of each of the four kinds in a round.
    pub iterations: usize,
    pub rounds: usize,
    /// Commands sent before their replies are awaited; `None` is a whole round.
    pub pipeline_depth: Option<usize>,
    /// Digest all replies.
    pub verify: bool,
}

impl Options {
    /// Reads the process's arguments; the error is one line for a person.
    pub fn from_env() -> Result<Self, String> {
        let mut options = Options {
            host: "127.0.0.1".to_owned(),
            port: 0,
            iterations: 100_000,
            rounds: 1,
            pipeline_depth: None,
            verify: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            if name == "--verify" {
                options.verify = true;
                continue;
            }
            let value = arguments
                .next()
                .ok_or_else(|| format!("{name}: unknown option, or its value is missing"))?;
            match name.as_str() {
                "--host" => options.host = value,
                "--port" => options.port = number(&name, &value)?,
                "--iterations" => options.iterations = number(&name, &value)?,
                "--rounds" => options.rounds = number(&name, &value)?,
                "--pipeline-depth" => options.pipeline_depth = Some(number(&name, &value)?),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        if options.port == 0 {
            return Err("--port is required".to_owned());
        }
        if options.pipeline_depth == Some(0) {
            return Err("--pipeline-depth must be at least 1".to_owned());
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{name} takes a whole number, not {value:?}"))
}
