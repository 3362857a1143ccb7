//! A Redis sink: answers right, several times faster than Redis on long pipelines, and tells
//! afterwards exactly what it was asked. docs/redis-sink.md says what it prints.

pub(crate) mod garbage;
mod keyspace;
mod operation;
mod request;
mod stream;

use self::garbage::Garbage;
use self::keyspace::Keyspace;
use self::operation::Operation;
use self::stream::Stream;
use super::{ConnectionTraffic, Manner, Refused, Responder, Service};
use std::io::Write;
use std::ops::Range;

/// Longest command that is remembered to be recognised when it comes again.
const LONGEST_KNOWN: usize = 4 * 1024;

/// The service.
pub struct Sink {
    keys: Keyspace,
    connections: u64,
    words: Vec<Range<usize>>,
    most_unsent: usize,
    garbage: Option<u64>,
}

pub struct RedisClient {
    number: u64,
    database: u32,
    resp3: bool,
    stream: Stream,
    /// The last command byte for byte, and what it does.
    known: Vec<u8>,
    operation: Operation,
    garbage: Option<Garbage>,
}

impl Sink {
    /// Reads no further while more bytes of replies than `most_unsent` are not taken by the
    /// client; `None`: reads on whatever happens, as Redis does. `garbage`: spoils replies, with
    /// this seed on the first connection and the next on each further one.
    pub fn new(most_unsent: Option<usize>, garbage: Option<u64>) -> Self {
        Self {
            keys: Keyspace::default(),
            connections: 0,
            words: Vec::new(),
            most_unsent: most_unsent.unwrap_or(usize::MAX),
            garbage,
        }
    }

    /// The next command: its length, and `client.operation` is what it does.
    #[inline]
    fn next(&mut self, client: &mut RedisClient, input: &[u8]) -> Result<Option<usize>, Refused> {
        if !client.known.is_empty() && input.starts_with(&client.known) {
            return Ok(Some(client.known.len()));
        }
        if input.is_empty() {
            return Ok(None);
        }
        self.understand(client, input)
    }

    fn understand(
        &mut self,
        client: &mut RedisClient,
        input: &[u8],
    ) -> Result<Option<usize>, Refused> {
        let Some(length) = request::words(input, &mut self.words)? else {
            return Ok(None);
        };
        let words: Vec<&[u8]> = self
            .words
            .iter()
            .map(|range| &input[range.clone()])
            .collect();
        let name = words.first().ok_or(Refused)?.to_ascii_uppercase();
        let name = String::from_utf8_lossy(&name);
        client.operation = Operation::of(&name, &words, client.database, &mut self.keys);
        client.stream.begin(&name, &words);
        client.known.clear();
        if length <= LONGEST_KNOWN {
            client.known.extend_from_slice(&input[..length]);
        }
        Ok(Some(length))
    }
}

impl Service for Sink {
    type Client = RedisClient;

    /// So small that replies which the client does not read are soon seen.
    const SEND_BUFFER: Option<usize> = Some(64 * 1024);

    fn client(&mut self, _responder: &mut Responder) -> RedisClient {
        let garbage = self
            .garbage
            .map(|seed| Garbage::new(seed.wrapping_add(self.connections)));
        self.connections += 1;
        RedisClient {
            garbage,
            number: self.connections,
            database: 0,
            resp3: false,
            stream: Stream::default(),
            known: Vec::new(),
            operation: Operation::Quit,
        }
    }

    fn most_unsent(&self) -> usize {
        self.most_unsent
    }

    fn answer(
        &mut self,
        client: &mut RedisClient,
        input: &[u8],
        responder: &mut Responder,
    ) -> Result<usize, Refused> {
        let mut at = 0;
        while !responder.hung_up() {
            let length = match self.next(client, &input[at..]) {
                Ok(Some(length)) => length,
                Ok(None) => break,
                Err(Refused) => {
                    responder
                        .bytes
                        .extend_from_slice(b"-ERR Protocol error\r\n");
                    return Err(Refused);
                }
            };
            at += length;
            client.stream.again();
            let manner = responder.begin();
            match client.operation {
                Operation::Select(number) => {
                    client.database = number;
                    client.known.clear();
                }
                Operation::Hello(resp3) => client.resp3 = resp3,
                _ => {}
            }
            if manner == Manner::Fail {
                responder.bytes.extend_from_slice(b"-ERR told to fail\r\n");
            } else {
                let from = responder.bytes.len();
                client
                    .operation
                    .run(&mut self.keys, client.resp3, &mut responder.bytes);
                if manner == Manner::WrongBody {
                    spoil(&mut responder.bytes, from);
                }
                if let Some(garbage) = &mut client.garbage {
                    garbage.spoil(&mut responder.bytes, from);
                }
            }
            responder.end();
            if matches!(client.operation, Operation::Quit) {
                return Err(Refused);
            }
        }
        Ok(at)
    }

    fn closed(&mut self, client: RedisClient, traffic: ConnectionTraffic) {
        let report = client.stream.report(client.number, traffic);
        let line = serde_json::to_string(&report).expect("plain data");
        // Nobody who reads it: nobody to tell.
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }
}

/// Another reply: the last digit or letter is changed, and a null becomes a number.
fn spoil(bytes: &mut Vec<u8>, from: usize) {
    if matches!(&bytes[from..], b"$-1\r\n" | b"_\r\n") {
        bytes.truncate(from);
        bytes.extend_from_slice(b":0\r\n");
    } else if let [.., last, b'\r', b'\n'] = &mut bytes[from..] {
        *last ^= 1;
    }
}
