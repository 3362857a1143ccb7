//! Redis: commands in turn, pipelined, every reply judged.

mod command;
mod connection;
mod login;
mod prepared;
pub mod resp;
mod spec;

pub use command::{words, Words};
pub use login::Login;
pub use spec::CommandSpec;

use self::connection::RedisConnection;
use self::prepared::Command;
use self::resp::{Judged, Progress};
use super::in_order::InOrder;
use super::{Failure, Protocol, Reply, Slot};
use crate::error::Result;

/// Longest reply that is remembered to be compared as it stands.
const LONGEST_KNOWN: usize = 4 * 1024;

/// The protocol, with the commands of one run rendered.
#[derive(Clone)]
pub struct Redis {
    login: Login,
    commands: Vec<Command>,
    /// An expected reply with its sequence number in place.
    scratch: Vec<u8>,
}

impl Redis {
    /// # Errors
    /// No command, an empty one, or an `expect` that does not fit the commands.
    pub fn new(spec: &CommandSpec, login: Login) -> Result<Self> {
        let mut redis = Self {
            login,
            commands: spec.commands()?,
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

impl Protocol for Redis {
    type Connection = RedisConnection;

    fn request_of(&self, sequence: u64) -> u32 {
        self.turn_of(sequence)
    }

    fn prepare(&mut self, token: &str) {
        for command in &mut self.commands {
            command.prepare(token);
        }
    }

    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> RedisConnection {
        let login = self.login.say(output);
        RedisConnection::new(depth, self.is_numbered(), login)
    }

    fn ready(&self, connection: &RedisConnection) -> bool {
        connection.is_logged_in()
    }

    #[inline]
    fn room(&self, _connection: &RedisConnection) -> u32 {
        u32::MAX
    }

    #[inline]
    fn is_draining(&self, _connection: &RedisConnection) -> bool {
        false
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut RedisConnection,
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
        connection: &mut RedisConnection,
        slots: impl ExactSizeIterator<Item = Slot>,
        first: u64,
        output: &mut Vec<u8>,
    ) -> usize {
        let plain = match self.commands.as_slice() {
            [command] if command.varying.is_none() && connection.numbers.is_none() => Some(command),
            _ => None,
        };
        let Some(command) = plain else {
            return self.request_first(connection, slots, first, output);
        };
        let n = slots.len();
        command.wire.write(n, output);
        slots.for_each(|slot| connection.in_flight.push(slot, 0));
        n
    }

    #[inline]
    fn match_cached(
        &mut self,
        connection: &mut RedisConnection,
        input: &[u8],
        right: &mut impl FnMut(Slot, u16),
    ) -> usize {
        let [command] = self.commands.as_mut_slice() else {
            return 0;
        };
        if !connection.is_logged_in() || connection.reader.begun() {
            return 0;
        }
        let n = command.known.recognise(input, connection.in_flight.len());
        connection.in_flight.pop_many(n, |slot, _| right(slot, 0));
        if let Some(numbers) = &mut connection.numbers {
            numbers.pop_many(n, |_, _| ());
        }
        n * command.known.len()
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut RedisConnection,
        input: &[u8],
        _output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> std::result::Result<usize, Failure> {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            if !connection.is_logged_in() {
                match connection.login(rest)? {
                    0 => break,
                    used => at += used,
                }
                continue;
            }
            let Some((slot, command)) = connection.in_flight.front() else {
                match connection.aside(rest)? {
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
            match connection.reader.read(rest, expected)? {
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

    fn begun(&self, connection: &RedisConnection, slot: Slot, unused: usize) -> bool {
        connection.is_logged_in()
            && connection.in_flight.is_next(slot)
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
