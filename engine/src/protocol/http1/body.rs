//! A reply's body as it comes: its end is found and its bytes are compared, none are kept.

use super::chunked::{step, Chunks};
use super::head::{Framing, Malformed, ResponseHead};
use crate::protocol::http::compare::Compared;
use crate::protocol::http::content::Content;

/// What of the body has come, and whether it was right so far.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    state: State,
    content: Compared,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Length(u64),
    Chunked(Chunks),
    UntilClose,
}

/// Bytes used up of what was given.
#[derive(Debug)]
pub enum Progress {
    Done(usize),
    More(usize),
}

impl Body {
    /// The body that belongs to `head`. Replies to HEAD, 204 and 304 have none, whatever their
    /// headers say.
    #[inline]
    pub fn new(head: &ResponseHead, to_head_request: bool) -> Self {
        let state = if to_head_request || head.status == 204 || head.status == 304 {
            State::Length(0)
        } else {
            match head.framing {
                Framing::Length(length) => State::Length(length),
                Framing::Chunked => State::Chunked(Chunks::Size),
                Framing::UntilClose => State::UntilClose,
            }
        };
        Self {
            state,
            content: Compared::default(),
        }
    }

    /// Takes what has come of the body, compares it with `expected`, and has `looker` look into it.
    #[inline]
    pub fn take(
        &mut self,
        input: &[u8],
        expected: Option<&[u8]>,
        looker: Option<&mut Content>,
    ) -> Result<Progress, Malformed> {
        match self.state {
            State::Length(left) => {
                let n = left.min(input.len() as u64);
                self.content.take(&input[..n as usize], expected);
                if let Some(looker) = looker {
                    looker.take(&input[..n as usize]);
                }
                self.state = State::Length(left - n);
                Ok(if n == left {
                    Progress::Done(n as usize)
                } else {
                    Progress::More(n as usize)
                })
            }
            State::Chunked(chunks) => self.take_chunks(chunks, input, expected, looker),
            State::UntilClose => {
                self.content.take(input, expected);
                if let Some(looker) = looker {
                    looker.take(input);
                }
                Ok(Progress::More(input.len()))
            }
        }
    }

    fn take_chunks(
        &mut self,
        mut chunks: Chunks,
        input: &[u8],
        expected: Option<&[u8]>,
        mut looker: Option<&mut Content>,
    ) -> Result<Progress, Malformed> {
        let mut at = 0;
        loop {
            match chunks {
                Chunks::Done => return Ok(Progress::Done(at)),
                Chunks::Data(left) => {
                    let n = left.min((input.len() - at) as u64);
                    let data = &input[at..at + n as usize];
                    self.content.take(data, expected);
                    if let Some(looker) = &mut looker {
                        looker.take(data);
                    }
                    at += n as usize;
                    chunks = if n == left {
                        Chunks::DataEnd
                    } else {
                        Chunks::Data(left - n)
                    };
                    if n < left {
                        break;
                    }
                }
                _ => match step(chunks, &input[at..])? {
                    Some((used, next)) => {
                        at += used;
                        chunks = next;
                    }
                    None => break,
                },
            }
        }
        self.state = State::Chunked(chunks);
        Ok(Progress::More(at))
    }

    /// Whether the body, now complete, is `expected`.
    #[inline]
    pub fn is(&self, expected: &[u8]) -> bool {
        self.content.is(expected)
    }

    /// The end of the connection is the end of this body.
    #[inline]
    pub fn ends_connection(&self) -> bool {
        matches!(self.state, State::UntilClose)
    }

    pub fn explain(&self, expected: &[u8]) -> String {
        self.content.explain(expected)
    }
}
