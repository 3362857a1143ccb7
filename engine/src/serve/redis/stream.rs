//! What was asked on one connection: exactly which commands, in which order.

use crate::fnv::Fnv1a;
use crate::serve::ConnectionTraffic;
use serde::Serialize;
use std::collections::BTreeMap;

/// Commands that a client library may send before the ones it was told to send.
const BEFORE: [&str; 7] = [
    "AUTH", "CLIENT", "COMMAND", "HELLO", "INFO", "PING", "SELECT",
];
/// Runs and setting-up commands that are told in full.
const MOST_TOLD: usize = 64;
/// Characters of a command that are told.
const LONGEST_TOLD: usize = 80;

/// The commands of one connection, as runs of equal ones.
///
/// Each run is rendered as its length in decimal, `*`, each word as a netstring (`3:SET,`; the
/// first in upper case), and a newline. Equal neighbours are one run, so the rendering is the
/// same for the same commands in the same order, and costs nothing while a command repeats.
#[derive(Debug, Default)]
pub struct Stream {
    hash: Fnv1a,
    commands: u64,
    by_name: BTreeMap<String, u64>,
    before: Vec<String>,
    runs: Vec<(u64, String)>,
    more_runs: u64,
    /// The run that goes on: its length, rendering, text and name.
    length: u64,
    rendered: Vec<u8>,
    text: String,
    name: String,
}

/// The line that is printed when a connection closes.
#[derive(Debug, Serialize)]
pub struct Report {
    event: &'static str,
    connection: u64,
    commands: u64,
    hash: String,
    by_name: BTreeMap<String, u64>,
    /// Names of what came before the first command that counts.
    before: Vec<String>,
    /// The first runs: how many times, which command.
    runs: Vec<(u64, String)>,
    more_runs: u64,
    #[serde(flatten)]
    traffic: ConnectionTraffic,
}

impl Stream {
    /// The command of the last [`Stream::begin`] once more.
    #[inline]
    pub fn again(&mut self) {
        self.length += 1;
    }

    /// A command; [`Stream::again`] follows for each time it came, this one included.
    pub fn begin(&mut self, name: &str, words: &[&[u8]]) {
        let mut rendered = Vec::new();
        for (i, word) in words.iter().enumerate() {
            let word = if i == 0 { name.as_bytes() } else { word };
            rendered.extend_from_slice(format!("{}:", word.len()).as_bytes());
            rendered.extend_from_slice(word);
            rendered.push(b',');
        }
        rendered.push(b'\n');
        if rendered == self.rendered {
            return;
        }
        self.end_run();
        self.rendered = rendered;
        name.clone_into(&mut self.name);
        let text = words[1..].iter().fold(name.to_owned(), |text, word| {
            text + " " + &String::from_utf8_lossy(word)
        });
        self.text = text.chars().take(LONGEST_TOLD).collect();
    }

    fn end_run(&mut self) {
        let length = std::mem::take(&mut self.length);
        if length == 0 {
            return;
        }
        if self.commands == 0 && BEFORE.contains(&self.name.as_str()) {
            if self.before.len() < MOST_TOLD {
                self.before.push(self.name.clone());
            }
            return;
        }
        if self.name == "QUIT" {
            return;
        }
        self.commands += length;
        *self.by_name.entry(self.name.clone()).or_default() += length;
        self.hash.update(format!("{length}*").as_bytes());
        self.hash.update(&self.rendered);
        if self.runs.len() < MOST_TOLD {
            self.runs.push((length, self.text.clone()));
        } else {
            self.more_runs += 1;
        }
    }

    pub fn report(mut self, connection: u64, traffic: ConnectionTraffic) -> Report {
        self.end_run();
        Report {
            event: "connection",
            connection,
            commands: self.commands,
            hash: format!("{:016x}", self.hash.value()),
            by_name: self.by_name,
            before: self.before,
            runs: self.runs,
            more_runs: self.more_runs,
            traffic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(commands: &[&str]) -> Report {
        let mut stream = Stream::default();
        for command in commands {
            let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
            let name = command.split(' ').next().unwrap().to_uppercase();
            stream.begin(&name, &words);
            stream.again();
        }
        stream.report(1, ConnectionTraffic::default())
    }

    #[test]
    fn the_hash_is_of_the_runs() {
        let told = report(&[
            "HELLO 3",
            "DEL foo",
            "SET foo bar",
            "set foo bar",
            "GET foo",
            "QUIT",
        ]);
        let mut hash = Fnv1a::default();
        hash.update(b"1*3:DEL,3:foo,\n2*3:SET,3:foo,3:bar,\n1*3:GET,3:foo,\n");
        assert_eq!(told.hash, format!("{:016x}", hash.value()));
        assert_eq!(told.commands, 4);
        assert_eq!(told.before, ["HELLO"]);
        assert_eq!(told.runs[1], (2, "SET foo bar".to_owned()));
        assert_eq!(told.by_name["SET"], 2);
    }

    #[test]
    fn order_and_words_matter() {
        let hashes = [
            report(&["SET a b", "GET a"]).hash,
            report(&["GET a", "SET a b"]).hash,
            report(&["SET ab", "GET a"]).hash,
            report(&["SET a b", "PING", "GET a"]).hash,
            report(&["SET a b", "SET a b", "GET a"]).hash,
        ];
        for (i, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..i].contains(hash));
        }
    }
}
