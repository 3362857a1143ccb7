//! Redis: commands in turn, pipelined, every reply judged.

mod command;
mod login;
mod prepared;
pub mod resp;

pub use command::{words, Words};
pub use login::Login;

use self::command::canonical;
use self::prepared::Command;
use self::resp::{Judged, Malformed, Progress, Reader};
use super::in_order::InOrder;
use super::{ErrorKind, Failure, Protocol, Reply, Slot};
use crate::error::{Error, Result};
use crate::template::nested::Nested;
use serde_json::Value;

/// Longest reply that is remembered to be compared as it stands.
const LONGEST_KNOWN: usize = 4 * 1024;

/// What is asked of a Redis server, and what it is to answer; the fields of `open`.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ask {
    /// Sent in turn; words may hold `{token}` and `{seq}`.
    pub commands: Vec<Words>,
    /// One for each command, in the form of [`canonical`]; without it any reply will do that
    /// is no error.
    pub expect: Option<Vec<Value>>,
    /// Commands in flight on one connection; 1 if not said.
    pub pipeline: Option<u32>,
    /// Speak RESP3 instead of RESP2.
    pub resp3: bool,
}

/// The protocol, with the commands of one turn rendered.
#[derive(Clone)]
pub struct Redis {
    login: Login,
    commands: Vec<Command>,
    /// An expected reply with its sequence number in place.
    scratch: Vec<u8>,
}

/// What one connection remembers.
pub struct Connection {
    /// Which command was sent.
    in_flight: InOrder<u32>,
    /// The same requests' numbers, where replies are expected to hold them.
    numbers: Option<InOrder<u64>>,
    /// Commands of the login whose replies are still to come.
    login: &'static [&'static str],
    reader: Reader,
}

impl Redis {
    /// # Errors
    /// No command, an empty one, or an `expect` that does not fit the commands.
    pub fn new(ask: &Ask, login: Login) -> Result<Self> {
        if ask.commands.is_empty() {
            return Err(Error::usage(
                "Redis: at least one command is needed (-r 'GET foo')",
            ));
        }
        if ask.commands.iter().any(Vec::is_empty) {
            return Err(Error::usage("Redis: a command without a word"));
        }
        if let Some(expect) = &ask.expect {
            if expect.len() != ask.commands.len() {
                return Err(Error::usage(format!(
                    "Redis: {} commands, but {} expected replies",
                    ask.commands.len(),
                    expect.len()
                )));
            }
            for reply in expect {
                canonical(reply, "", &mut Nested::default())?;
            }
        }
        let expect = |i| ask.expect.as_ref().map(|expect| Value::clone(&expect[i]));
        let words = ask.commands.iter().enumerate();
        let commands = words.map(|(i, words)| Command::new(words.clone(), expect(i)));
        let mut redis = Self {
            login,
            commands: commands.collect(),
            scratch: Vec::new(),
        };
        redis.prepare("");
        Ok(redis)
    }

    fn is_numbered(&self) -> bool {
        self.commands.iter().any(Command::is_numbered)
    }

    /// Which command request number `sequence` is.
    #[inline]
    fn turn_of(&self, sequence: u64) -> u32 {
        match self.commands.len() as u64 {
            1 => 0,
            n => (sequence % n) as u32,
        }
    }
}

impl Connection {
    /// The oldest command has its reply.
    #[inline]
    fn pop(&mut self) {
        self.in_flight.pop();
        if let Some(numbers) = &mut self.numbers {
            numbers.pop();
        }
    }
}

fn malformed(Malformed(why): Malformed) -> Failure {
    Failure::protocol(why)
}

impl Protocol for Redis {
    type Connection = Connection;

    fn prepare(&mut self, token: &str) {
        for command in &mut self.commands {
            command.prepare(token);
        }
    }

    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> Connection {
        Connection {
            in_flight: InOrder::new(depth),
            numbers: self.is_numbered().then(|| InOrder::new(depth)),
            login: self.login.say(output),
            reader: Reader::default(),
        }
    }

    fn ready(&self, connection: &Connection) -> bool {
        connection.login.is_empty()
    }

    #[inline]
    fn room(&self, _connection: &Connection) -> u32 {
        u32::MAX
    }

    #[inline]
    fn spent(&self, _connection: &Connection) -> bool {
        false
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut Connection,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    ) {
        let command = self.turn_of(sequence);
        connection.in_flight.push(slot, command);
        if let Some(numbers) = &mut connection.numbers {
            numbers.push(slot, sequence);
        }
        let command = &self.commands[command as usize];
        match &command.varying {
            None => command.wire.write(1, output),
            Some(varying) => varying.write(sequence, output),
        }
    }

    #[inline]
    fn request_many(
        &mut self,
        connection: &mut Connection,
        mut slots: impl ExactSizeIterator<Item = Slot>,
        first: u64,
        output: &mut Vec<u8>,
    ) -> usize {
        let plain = match self.commands.as_slice() {
            [command] if command.varying.is_none() && connection.numbers.is_none() => Some(command),
            _ => None,
        };
        let Some(command) = plain else {
            return match slots.next() {
                Some(slot) => {
                    self.request(connection, slot, first, output);
                    1
                }
                None => 0,
            };
        };
        let n = slots.len();
        command.wire.write(n, output);
        slots.for_each(|slot| connection.in_flight.push(slot, 0));
        n
    }

    #[inline]
    fn receive_alike(
        &mut self,
        connection: &mut Connection,
        input: &[u8],
        right: &mut impl FnMut(Slot, u16),
    ) -> usize {
        let [command] = self.commands.as_mut_slice() else {
            return 0;
        };
        if !connection.login.is_empty() || connection.reader.begun() {
            return 0;
        }
        let n = command.known.count_in(input, connection.in_flight.len());
        if n > 1 {
            command.known.spread();
        }
        connection.in_flight.pop_many(n, |slot, _| right(slot, 0));
        if let Some(numbers) = &mut connection.numbers {
            numbers.pop_many(n, |_, _| ());
        }
        n * command.known.len()
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut Connection,
        input: &[u8],
        _output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> std::result::Result<usize, Failure> {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            if !connection.login.is_empty() {
                match login(connection, rest)? {
                    0 => break,
                    used => at += used,
                }
                continue;
            }
            let Some((slot, command)) = connection.in_flight.front() else {
                match aside(connection, rest)? {
                    0 => break,
                    used => at += used,
                }
                continue;
            };
            let command = &mut self.commands[command as usize];
            let whole = !connection.reader.begun();
            if whole && command.known.count_in(rest, 1) == 1 {
                at += command.known.len();
                connection.pop();
                replies(right(slot));
                continue;
            }
            let number = connection.numbers.as_ref().and_then(InOrder::front);
            let number = number.map_or(0, |(_, number)| number);
            let expected = command.expected.as_ref();
            let expected = expected.map(|expected| expected.rendered(number, &mut self.scratch));
            match connection.reader.read(rest, expected).map_err(malformed)? {
                Progress::Aside(used) => at += used,
                Progress::Done(used) => {
                    at += used;
                    connection.pop();
                    let judged = connection.reader.judged(expected);
                    if judged == Judged::Right {
                        if whole && used <= LONGEST_KNOWN && !command.is_numbered() {
                            command.known.set(&rest[..used]);
                        }
                        replies(right(slot));
                    } else {
                        let failure = command.failure(judged, expected);
                        replies(Reply {
                            slot,
                            status: 1,
                            failure,
                        });
                    }
                }
                Progress::More(used) => {
                    at += used;
                    break;
                }
            }
        }
        Ok(at)
    }

    fn begun(&self, connection: &Connection, slot: Slot, unused: usize) -> bool {
        connection.login.is_empty()
            && connection
                .in_flight
                .front()
                .is_some_and(|(front, _)| front == slot)
            && (unused > 0 || connection.reader.begun())
    }
}

#[inline]
fn right(slot: Slot) -> Reply {
    Reply {
        slot,
        status: 0,
        failure: None,
    }
}

/// Takes the reply to a command of the login; how many bytes were used.
#[cold]
fn login(connection: &mut Connection, input: &[u8]) -> std::result::Result<usize, Failure> {
    match connection.reader.read(input, None).map_err(malformed)? {
        Progress::More(used) | Progress::Aside(used) => Ok(used),
        Progress::Done(used) => {
            if let Judged::Error(text) = connection.reader.judged(None) {
                let message = format!("refused {}: -{text}", connection.login[0]);
                return Err(Failure::new(ErrorKind::Status, message));
            }
            connection.login = &connection.login[1..];
            Ok(used)
        }
    }
}

/// Nothing is in flight: only a push may come.
#[cold]
fn aside(connection: &mut Connection, input: &[u8]) -> std::result::Result<usize, Failure> {
    if !connection.reader.begun() && input[0] != b'>' {
        let line = input
            .split(|&byte| byte == b'\r')
            .next()
            .unwrap_or_default();
        let line = String::from_utf8_lossy(&line[..line.len().min(120)]);
        // For one: -ERR max number of clients reached
        return Err(Failure::protocol(format!("said unasked: {line}")));
    }
    match connection.reader.read(input, None).map_err(malformed)? {
        Progress::More(used) | Progress::Aside(used) | Progress::Done(used) => Ok(used),
    }
}
