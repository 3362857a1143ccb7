//! Replies that are streams: server-sent events, or a JSON object a line.

mod lines;
mod said;

use self::lines::Lines;
use self::said::Said;
use super::content::Coding;
use crate::protocol::{ErrorKind, Failure};
use std::str::FromStr;

/// A longer event is refused: a buffer must have an end.
const LONGEST_EVENT: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a stream consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamForm {
    /// Server-sent events, as the HTML standard has them.
    Sse,
    /// A line each: JSON, or any text.
    Lines,
}

impl FromStr for StreamForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sse" => Ok(Self::Sse),
            "lines" => Ok(Self::Lines),
            _ => Err("a stream is sse or lines".into()),
        }
    }
}

/// One stream as far as it has come; of its events nothing is kept but what they said.
#[derive(Clone, Debug)]
pub struct StreamReader {
    form: StreamForm,
    lines: Lines,
    event: Event,
    /// Since the reader was asked last.
    events: u32,
    contents: u32,
    heard: Heard,
}

/// An event of SSE that goes on.
#[derive(Clone, Debug, Default)]
struct Event {
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
}

/// What was heard since the stream began.
#[derive(Clone, Debug, Default)]
struct Heard {
    /// Whether a line came: only before the first one may a byte order mark stand.
    has_begun: bool,
    has_events: bool,
    is_too_long: bool,
    tokens: Option<u64>,
    error: Option<String>,
}

impl StreamReader {
    pub fn new(form: StreamForm) -> Self {
        Self {
            form,
            lines: Lines::default(),
            event: Event::default(),
            events: 0,
            contents: 0,
            heard: Heard::default(),
        }
    }

    /// The next stream begins; the memory is kept.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.event.clear();
        (self.events, self.contents) = (0, 0);
        self.heard = Heard::default();
    }

    pub fn take(&mut self, bytes: &[u8]) {
        if self.heard.is_too_long {
            return;
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.take(bytes, |line| self.line(line));
        self.lines = lines;
        if self.lines.pending() + self.event.data.len() > LONGEST_EVENT {
            self.heard.is_too_long = true;
        }
    }

    /// Nothing more comes. An event of SSE that is not ended by an empty line is none.
    pub fn end(&mut self) {
        if self.form == StreamForm::Lines {
            let mut lines = std::mem::take(&mut self.lines);
            lines.end(|line| self.line(line));
            self.lines = lines;
        }
    }

    /// Events since this was asked last, and those among them with content.
    pub fn new_events(&mut self) -> (u32, u32) {
        let new = (self.events, self.contents);
        (self.events, self.contents) = (0, 0);
        new
    }

    /// What the server said that it made, if it did.
    pub fn tokens(&self) -> Option<u64> {
        self.heard.tokens
    }

    /// What is wrong with the stream, which is complete.
    pub fn judge(&self, coding: Coding) -> Option<Failure> {
        let wrong = |why: &str| Some(Failure::new(ErrorKind::Body, why));
        if coding != Coding::None {
            return wrong("a stream that is packed");
        }
        if let Some(error) = &self.heard.error {
            let message = format!("an error in the stream: {error}");
            return Some(Failure::new(ErrorKind::Status, message));
        }
        if self.heard.is_too_long {
            return wrong("an event of over 1 MiB");
        }
        match self.heard.has_events {
            true => None,
            false => wrong("a stream without events"),
        }
    }

    fn line(&mut self, line: &[u8]) {
        let is_first = !std::mem::replace(&mut self.heard.has_begun, true);
        let line = match is_first {
            true => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            false => line,
        };
        match self.form {
            StreamForm::Lines if line.trim_ascii().is_empty() => {}
            StreamForm::Lines => self.came(&Said::of(b"", line)),
            StreamForm::Sse if line.is_empty() => {
                if self.event.has_data {
                    self.came(&Said::of(&self.event.name, &self.event.data));
                }
                self.event.clear();
            }
            StreamForm::Sse => self.event.field(line),
        }
    }

    fn came(&mut self, said: &Said) {
        self.events += 1;
        self.contents += u32::from(said.has_content);
        self.heard.has_events = true;
        self.heard.tokens = said.tokens.or(self.heard.tokens);
        if self.heard.error.is_none() {
            self.heard.error.clone_from(&said.error);
        }
    }
}

impl Event {
    fn clear(&mut self) {
        self.name.clear();
        self.data.clear();
        self.has_data = false;
    }

    /// A line that is not empty; a comment has an empty name.
    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|&byte| byte == b':');
        let (name, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(form: StreamForm, pieces: &[&[u8]]) -> (StreamReader, (u32, u32)) {
        let mut reader = StreamReader::new(form);
        pieces.iter().for_each(|piece| reader.take(piece));
        reader.end();
        let new = reader.new_events();
        (reader, new)
    }

    const CHAT: &str = "\u{feff}: hello\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n\
        event: message\r\nid: 7\r\ndata: {\"choices\":[{\"delta\":\r\ndata: {\"content\":\"Hel\"}}]}\r\n\r\n\
        data:{\"choices\":[],\"usage\":{\"completion_tokens\":5}}\r\rdata: [DONE]\n\ndata: cut off";

    #[test]
    fn events_of_a_chat() {
        let (reader, new) = read(StreamForm::Sse, &[CHAT.as_bytes()]);
        assert_eq!(new, (4, 1));
        assert_eq!(reader.tokens(), Some(5));
        assert_eq!(reader.judge(Coding::None), None);
        assert!(reader.judge(Coding::Gzip).is_some());
    }

    #[test]
    fn lines_of_json() {
        let text = "{\"response\":\"Hel\",\"done\":false}\n\n{\"response\":\"\",\"done\":true,\"eval_count\":3}";
        let (reader, new) = read(StreamForm::Lines, &[text.as_bytes()]);
        assert_eq!(new, (2, 1));
        assert_eq!(reader.tokens(), Some(3));
    }

    #[test]
    fn a_stream_without_events_or_with_an_error_is_wrong() {
        let why = |text: &str| {
            let (reader, _) = read(StreamForm::Sse, &[text.as_bytes()]);
            let failure = reader.judge(Coding::None)?;
            Some((failure.kind, failure.details.message))
        };
        let none = "a stream without events".to_owned();
        for empty in ["", ": ping\n\n", "{\"choices\": []}", "event: x\n\n"] {
            assert_eq!(why(empty), Some((ErrorKind::Body, none.clone())), "{empty}");
        }
        assert_eq!(
            why("data: a\n\ndata: {\"error\": \"full\"}\n\n"),
            Some((
                ErrorKind::Status,
                "an error in the stream: {\"error\": \"full\"}".into()
            ))
        );
        assert_eq!(why("data\n\n"), None);
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut reader = StreamReader::new(StreamForm::Sse);
        let piece = vec![b'x'; LONGEST_EVENT / 2 + 1];
        reader.take(b"data: ");
        reader.take(&piece);
        reader.take(&piece);
        let failure = reader.judge(Coding::None).unwrap();
        assert_eq!(failure.details.message, "an event of over 1 MiB");
    }

    proptest! {
        #[test]
        fn any_bytes_say_the_same_however_they_are_cut(
            pieces in prop::collection::vec(
                prop_oneof![
                    Just("data: "), Just("data"), Just("event: error"), Just(":"), Just("\r"),
                    Just("\n"), Just("{\"error\":1}"), Just("[DONE]"), Just("\u{feff}"), Just("x"),
                ],
                0..20,
            ),
            sse in any::<bool>(),
        ) {
            let form = if sse { StreamForm::Sse } else { StreamForm::Lines };
            let text = pieces.concat();
            let (whole, new) = read(form, &[text.as_bytes()]);
            let bytewise: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            let (cut, new_of_cut) = read(form, &bytewise);
            prop_assert_eq!(new, new_of_cut);
            prop_assert_eq!(whole.judge(Coding::None), cut.judge(Coding::None));
        }

        #[test]
        fn cuts_change_nothing(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let bytes = CHAT.as_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
            let (reader, new) = read(StreamForm::Sse, &pieces);
            prop_assert_eq!(new, (4, 1));
            prop_assert_eq!(reader.tokens(), Some(5));
        }
    }
}
