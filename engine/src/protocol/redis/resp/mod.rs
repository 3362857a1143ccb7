//! RESP2 and RESP3 replies, read from any pieces of the stream and judged on the way.
//!
//! No reply is ever built up: it is compared, piece by piece, with the canonical form of the
//! one expected (simple strings, bulk strings and verbatim strings all as bulk strings; sets
//! and maps as arrays; every null as `_`). So a reply of 500 MB needs no memory, and what is
//! left unread is at most one line.
//! Source: the Redis serialization protocol specification, redis.io/docs/reference/protocol-spec.

mod compare;
mod values;

pub use self::compare::{Judged, NULL};

use self::compare::Comparison;

/// What came is not RESP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A reply ends after so many bytes; [`Reader::judged`] says what it was.
    Done(usize),
    /// A message that answers nothing (a push) ends there.
    Aside(usize),
    /// So many bytes are used up, and the reply goes on.
    More(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    /// An attribute: it stands before a value and is none.
    Attribute,
    /// A push: it stands between replies and is none.
    Push,
}

#[derive(Clone, Copy, Debug)]
struct Aggregate {
    /// Elements still to come.
    left: u64,
    kind: Kind,
}

/// What one step through the input found.
enum Step {
    /// Nothing that can be used before more has come.
    Wait,
    /// So many bytes, but no value ended with them.
    Part(usize),
    /// The last so many bytes of a value.
    Value(usize),
}

/// One reply on its way in.
#[derive(Debug, Default)]
pub struct Reader {
    aggregates: Vec<Aggregate>,
    /// Aggregates that are no arrays: what is in them is not compared.
    asides: usize,
    /// Bytes still to come of a bulk string, its line end not counted.
    bulk: Option<u64>,
    /// That bulk string is an error.
    bulk_is_error: bool,
    begun: bool,
    comparison: Comparison,
}

impl Reader {
    /// Whether a part of a reply has been used up already.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Takes what there is of one reply. `expected` is in canonical form; `None` is not compared.
    ///
    /// # Errors
    /// What came is not RESP, or breaks one of its limits. The reader is of no use afterwards.
    pub fn read(&mut self, input: &[u8], expected: Option<&[u8]>) -> Result<Progress, Malformed> {
        if !self.begun {
            self.reset();
        }
        let mut at = 0;
        loop {
            let rest = &input[at..];
            let step = match self.bulk {
                Some(left) => self.bulk(rest, left, expected)?,
                None => self.line(rest, expected)?,
            };
            match step {
                Step::Wait => return Ok(Progress::More(at)),
                Step::Part(used) => at += used,
                Step::Value(used) => {
                    at += used;
                    if let Some(kind) = self.value_ended() {
                        self.begun = false;
                        return Ok(match kind {
                            Kind::Push => Progress::Aside(at),
                            Kind::Array | Kind::Attribute => Progress::Done(at),
                        });
                    }
                }
            }
            self.begun = true;
        }
    }

    /// What the reply that is done was; `expected` as it was while reading.
    pub fn judged(&self, expected: Option<&[u8]>) -> Judged {
        self.comparison.judged(expected)
    }

    fn reset(&mut self) {
        self.aggregates.clear();
        self.asides = 0;
        self.bulk = None;
        self.bulk_is_error = false;
        self.comparison.reset();
    }

    /// A value is complete, and with it perhaps those around it. Tells what the outermost is.
    fn value_ended(&mut self) -> Option<Kind> {
        loop {
            let Some(aggregate) = self.aggregates.last_mut() else {
                return Some(Kind::Array);
            };
            aggregate.left -= 1;
            if aggregate.left > 0 {
                return None;
            }
            let kind = aggregate.kind;
            self.aggregates.pop();
            match kind {
                Kind::Array => {}
                Kind::Attribute => {
                    self.asides -= 1;
                    return None;
                }
                Kind::Push => return Some(Kind::Push),
            }
        }
    }
}
