//! What one connection remembers, and what it hears besides the replies to commands.

use super::resp::{Judged, Malformed, Progress, Reader};
use crate::protocol::in_order::InOrder;
use crate::protocol::{ErrorKind, Failure};

pub struct RedisConnection {
    /// Which command was sent.
    pub in_flight: InOrder<u32>,
    /// The same requests' numbers, where replies are expected to hold them.
    pub numbers: Option<InOrder<u64>>,
    /// Commands of the login whose replies are still to come.
    login: &'static [&'static str],
    pub reader: Reader,
}

impl RedisConnection {
    /// `login`: the commands of the login that was sent.
    pub fn new(depth: u32, is_numbered: bool, login: &'static [&'static str]) -> Self {
        Self {
            in_flight: InOrder::new(depth),
            numbers: is_numbered.then(|| InOrder::new(depth)),
            login,
            reader: Reader::default(),
        }
    }

    #[inline]
    pub fn is_logged_in(&self) -> bool {
        self.login.is_empty()
    }

    /// The oldest command has its reply.
    #[inline]
    pub fn pop(&mut self) {
        self.in_flight.pop();
        if let Some(numbers) = &mut self.numbers {
            numbers.pop();
        }
    }

    /// Takes the reply to a command of the login; how many bytes were used.
    #[cold]
    pub fn login(&mut self, input: &[u8]) -> Result<usize, Failure> {
        match self.reader.read(input, None)? {
            Progress::More(used) | Progress::Aside(used) => Ok(used),
            Progress::Done(used) => {
                if let Judged::Error(text) = self.reader.judged(None) {
                    let message = format!("refused {}: -{text}", self.login[0]);
                    return Err(Failure::new(ErrorKind::Status, message));
                }
                self.login = &self.login[1..];
                Ok(used)
            }
        }
    }

    /// Nothing is in flight: only a push may come.
    #[cold]
    pub fn aside(&mut self, input: &[u8]) -> Result<usize, Failure> {
        if !self.reader.begun() && input[0] != b'>' {
            let line = input
                .split(|&byte| byte == b'\r')
                .next()
                .unwrap_or_default();
            let line = String::from_utf8_lossy(&line[..line.len().min(120)]);
            // For one: -ERR max number of clients reached
            return Err(Failure::protocol(format!("said unasked: {line}")));
        }
        match self.reader.read(input, None)? {
            Progress::More(used) | Progress::Aside(used) | Progress::Done(used) => Ok(used),
        }
    }
}

impl From<Malformed> for Failure {
    fn from(Malformed(why): Malformed) -> Self {
        Self::protocol(why)
    }
}
