//! A stream of tokens as servers of language models send it, with each event at its planted time:
//! the truth that a generator's figures are held against.

use super::faults::Held;
use super::http::answer_each;
use super::{Manner, Refused, Responder, Service};
use crate::protocol::http::stream::StreamForm;
use std::time::Duration;

/// What is planted; times run from the arrival of a request.
#[derive(Clone, Debug)]
pub struct Plan {
    pub form: StreamForm,
    /// When the event comes that says the role, and has no content.
    pub first_event: Duration,
    /// When the first content comes: of one request after the other, over and over.
    pub first_content: Vec<Duration>,
    /// From one content to the next, and to the end: one after the other, over and over.
    pub gaps: Vec<Duration>,
    /// Events with content.
    pub contents: u64,
    /// In each of them.
    pub tokens: u64,
}

/// The service.
#[derive(Clone, Debug)]
pub struct Tokens {
    plan: Plan,
    head: Vec<u8>,
    content: Vec<u8>,
    end: Vec<u8>,
    error: Vec<u8>,
}

/// A piece of a reply, and how long after its request it is sent.
type Piece<'a> = (Duration, &'a [u8]);

impl Tokens {
    pub fn new(plan: Plan) -> Self {
        let tokens = plan.contents * plan.tokens;
        let text = "token ".repeat(plan.tokens as usize);
        let media = match plan.form {
            StreamForm::Sse => "text/event-stream",
            StreamForm::Lines => "application/x-ndjson",
        };
        let (role, content, last) = match plan.form {
            StreamForm::Sse => (
                chat(r#"{"role":"assistant","content":""}"#, "null"),
                chat(&format!(r#"{{"content":"{text}"}}"#), "null"),
                vec![
                    chat("{}", r#""stop""#),
                    format!(r#"{{"choices":[],"usage":{{"completion_tokens":{tokens}}}}}"#),
                    "[DONE]".into(),
                ],
            ),
            StreamForm::Lines => {
                let line = |text: &str, rest: &str| {
                    format!(r#"{{"message":{{"role":"assistant","content":"{text}"}},{rest}}}"#)
                };
                let last = format!(r#""done":true,"eval_count":{tokens}"#);
                (
                    line("", r#""done":false"#),
                    line(&text, r#""done":false"#),
                    vec![line("", &last)],
                )
            }
        };
        let event = |text: &str| match plan.form {
            StreamForm::Sse => chunk(&format!("data: {text}\n\n")),
            StreamForm::Lines => chunk(&format!("{text}\n")),
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        let last: String = last.iter().map(|text| event(text)).collect();
        let error = event(r#"{"error":{"message":"planted"}}"#);
        Self {
            head: (head + &event(&role)).into(),
            content: event(&content).into(),
            end: format!("{last}0\r\n\r\n").into(),
            error: format!("{error}0\r\n\r\n").into(),
            plan,
        }
    }

    /// The reply to request `number`, from 1: after half of its contents comes an error if it
    /// fails.
    fn pieces(&self, number: u64, manner: Manner) -> Vec<Piece<'_>> {
        let plan = &self.plan;
        let nth = |all: &[Duration], n: u64| all[(n % all.len() as u64) as usize];
        let mut at = nth(&plan.first_content, number - 1);
        let mut pieces = vec![(plan.first_event, self.head.as_slice())];
        let (contents, end) = match manner {
            Manner::Truth | Manner::WrongBody => (plan.contents, &self.end),
            Manner::Fail => (plan.contents / 2, &self.error),
        };
        for n in 0..contents {
            pieces.push((at, &self.content));
            at += nth(&plan.gaps, n);
        }
        pieces.push((at, end));
        pieces
    }
}

/// A chunk of OpenAI's chat, as JSON.
fn chat(delta: &str, reason: &str) -> String {
    format!(
        r#"{{"object":"chat.completion.chunk","model":"planted","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
    )
}

/// One of a chunked body.
fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

impl Service for Tokens {
    type Client = ();

    const HOLDS_REPLIES: bool = true;

    fn client(&mut self, _responder: &mut Responder) {}

    fn answer(
        &mut self,
        (): &mut (),
        input: &[u8],
        responder: &mut Responder,
    ) -> Result<usize, Refused> {
        answer_each(input, responder, |_, responder| {
            let manner = responder.begin();
            for (after, bytes) in self.pieces(responder.served.requests, manner) {
                responder.held.push(Held {
                    due_ns: responder.now_ns + after.as_nanos() as u64,
                    bytes: bytes.to_vec(),
                    last: false,
                });
            }
            responder.end();
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn planted(form: StreamForm) -> Tokens {
        Tokens::new(Plan {
            form,
            first_event: ms(5),
            first_content: vec![ms(50), ms(70)],
            gaps: vec![ms(10), ms(30)],
            contents: 4,
            tokens: 2,
        })
    }

    #[test]
    fn each_piece_has_its_time() {
        let tokens = planted(StreamForm::Sse);
        let times = |number, manner| -> Vec<u64> {
            let pieces = tokens.pieces(number, manner);
            pieces.iter().map(|(at, _)| at.as_millis() as u64).collect()
        };
        assert_eq!(times(1, Manner::Truth), [5, 50, 60, 90, 100, 130]);
        assert_eq!(times(2, Manner::Truth), [5, 70, 80, 110, 120, 150]);
        assert_eq!(times(3, Manner::Fail), [5, 50, 60, 90]);
    }

    #[test]
    fn both_forms_say_the_same() {
        for form in [StreamForm::Sse, StreamForm::Lines] {
            let tokens = planted(form);
            let pieces = tokens.pieces(1, Manner::Truth);
            let texts: Vec<String> = pieces
                .iter()
                .map(|(_, bytes)| String::from_utf8(bytes.to_vec()).unwrap())
                .collect();
            assert!(texts[0].starts_with("HTTP/1.1 200 OK\r\n"), "{texts:?}");
            assert!(
                texts[1].contains(r#""content":"token token ""#),
                "{texts:?}"
            );
            assert!(texts[5].contains(":8}"), "{texts:?}");
            assert!(texts[5].ends_with("\r\n0\r\n\r\n"), "{texts:?}");
        }
    }
}
