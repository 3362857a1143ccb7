//! What requests look like on their way to the server; rendered once a run.
//!
//! Fields that are the same in every request of a run go into the server's table with the
//! first request on a connection, and all others refer to them there, as those of real clients
//! do. Whatever differs from request to request is spelled out.

use super::frame::{self, DATA, END_HEADERS, END_STREAM, FRAME_SIZE, HEADERS};
use super::hpack::{indexed, literal, literal_indexed};
use super::shared_fields::{shared, static_index};
use crate::template::{LengthPrefix, Template};

/// Index of the newest entry of the dynamic table.
const NEWEST: usize = 62;
/// What an entry costs beside its bytes, RFC 7541 section 4.1.
const OVERHEAD: usize = 32;
/// Where the stream's number stands in a frame.
const ID_AT: usize = 5;

/// A request to be rendered: pseudo-fields first, names in lower case, the token in place.
#[derive(Clone, Debug, Default)]
pub struct RequestTemplate {
    pub fields: Vec<(String, Template)>,
    /// Empty: the request ends with its headers.
    pub payload: Template,
}

/// A rendered request.
#[derive(Clone, Debug, Default)]
pub struct RenderedRequest {
    /// Enters what all requests have in common into the server's table.
    pub first_block: Template,
    /// Refers to it there.
    pub next_block: Template,
    /// Needs no table.
    pub plain_block: Template,
    /// What the server's table has to hold.
    pub table_size: usize,
    pub payload: Template,
    pub has_payload: bool,
    /// HEADERS and DATA in one, if they are constant and the payload fits into one frame ...
    both: Vec<u8>,
    /// ... and where the stream's number stands in the last of them.
    last_id_at: usize,
}

/// Renders the requests of a run.
pub fn render(requests: Vec<RequestTemplate>) -> Vec<RenderedRequest> {
    let shared = shared(&requests);
    let wires = requests.into_iter();
    wires
        .map(|request| RenderedRequest::new(request, &shared))
        .collect()
}

impl RenderedRequest {
    fn new(request: RequestTemplate, shared: &[(String, Vec<u8>)]) -> Self {
        let place = |name: &str| shared.iter().position(|(shared, _)| shared == name);
        let mut fields = request.fields;
        // All requests enter the shared fields in the same order, that of `place`. Pseudo-fields
        // stay in front.
        fields.sort_by_key(|(name, _)| match (name.starts_with(':'), place(name)) {
            (true, place) => (0, place.map_or(0, |place| place + 1)),
            (false, place) => (1, place.unwrap_or(usize::MAX)),
        });
        let mut wire = Self {
            has_payload: request.payload.constant() != Some(&[]),
            payload: request.payload,
            ..Self::default()
        };
        for (name, value) in &fields {
            let constant = value.constant();
            if let Some(index) = constant.and_then(|value| static_index(name, value)) {
                wire.push_all(&Template::bytes(&indexed(index)));
            } else if let (Some(at), Some(value)) = (place(name), constant) {
                let (name, index) = (name.as_bytes(), NEWEST + shared.len() - 1 - at);
                wire.first_block.push(&literal_indexed(name, value));
                wire.next_block.push(&indexed(index));
                wire.plain_block.push(&literal(name, value));
                wire.table_size += name.len() + value.len() + OVERHEAD;
            } else {
                wire.push_all(&spelled(name, value));
            }
        }
        wire.render_both();
        wire
    }

    fn push_all(&mut self, field: &Template) {
        for block in [
            &mut self.first_block,
            &mut self.next_block,
            &mut self.plain_block,
        ] {
            block.append(field.clone());
        }
    }

    fn render_both(&mut self) {
        let (Some(block), Some(payload)) = (self.next_block.constant(), self.payload.constant())
        else {
            return;
        };
        if block.len() > FRAME_SIZE || payload.len() > FRAME_SIZE {
            return;
        }
        let flags = END_HEADERS | self.end_of_headers();
        frame::push(HEADERS, flags, 0, block, &mut self.both);
        self.last_id_at = ID_AT;
        if self.has_payload {
            self.last_id_at += self.both.len();
            frame::push(DATA, END_STREAM, 0, payload, &mut self.both);
        }
    }

    /// END_STREAM where nothing follows the headers.
    pub fn end_of_headers(&self) -> u8 {
        if self.has_payload {
            0
        } else {
            END_STREAM
        }
    }

    /// Whether [`RenderedRequest::push_whole`] can send a request whose payload is `length` long: in one
    /// frame for headers and one for data.
    #[inline]
    pub fn is_short(&self, sequence: u64, length: usize) -> bool {
        !self.both.is_empty()
            || (length <= FRAME_SIZE && self.next_block.len(sequence) <= FRAME_SIZE)
    }

    /// Appends a whole request, which has to be short.
    #[inline]
    pub fn push_whole(&self, stream: u32, sequence: u64, length: usize, output: &mut Vec<u8>) {
        if self.both.is_empty() {
            return self.push_varying(stream, sequence, length, output);
        }
        let from = output.len();
        output.extend_from_slice(&self.both);
        let id = stream.to_be_bytes();
        for at in [from + ID_AT, from + self.last_id_at] {
            output[at..at + 4].copy_from_slice(&id);
        }
    }

    fn push_varying(&self, stream: u32, sequence: u64, length: usize, output: &mut Vec<u8>) {
        let block_length = self.next_block.len(sequence);
        let flags = END_HEADERS | self.end_of_headers();
        frame::push_header(block_length, HEADERS, flags, stream, output);
        self.next_block.write(sequence, output);
        if self.has_payload {
            frame::push_header(length, DATA, END_STREAM, stream, output);
            self.payload.write(sequence, output);
        }
    }
}

/// A field that changes no table.
fn spelled(name: &str, value: &Template) -> Template {
    let mut field = Template::bytes(&[0]);
    field.push_counted(LengthPrefix::Hpack, Template::bytes(name.as_bytes()));
    field.push_counted(LengthPrefix::Hpack, value.clone());
    field
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::super::hpack::Decoder;
    use super::*;

    fn request(fields: &[(&str, &str)], payload: &str) -> RequestTemplate {
        let field = |(name, value): &(&str, &str)| ((*name).to_owned(), Template::text(value));
        RequestTemplate {
            fields: fields.iter().map(field).collect(),
            payload: Template::text(payload),
        }
    }

    fn said(decoder: &mut Decoder, block: &Template, sequence: u64) -> Vec<String> {
        let mut bytes = Vec::new();
        block.write(sequence, &mut bytes);
        let mut fields = Vec::new();
        let mut take = |name: &[u8], value: &[u8]| {
            fields.push(String::from_utf8([name, b"=", value].concat()).unwrap());
        };
        decoder.decode(&bytes, &mut take).unwrap();
        fields
    }

    #[test]
    fn every_order_of_requests_is_understood() {
        let requests = vec![
            request(
                &[
                    (":method", "GET"),
                    (":scheme", "http"),
                    (":path", "/a/{seq}"),
                    (":authority", "h"),
                    ("x-one", "1"),
                    ("x-two", "2"),
                    ("x-own", "a"),
                ],
                "",
            ),
            request(
                &[
                    (":method", "PUT"),
                    (":scheme", "http"),
                    (":path", "/"),
                    (":authority", "h"),
                    ("x-two", "2"),
                    ("x-own", "b"),
                    ("x-own", "c"),
                    ("x-one", "1"),
                ],
                "n={seq}",
            ),
        ];
        let expected = [
            ":method=GET :scheme=http :path=/a/1234 :authority=h x-one=1 x-two=2 x-own=a",
            ":method=PUT :scheme=http :path=/ :authority=h x-one=1 x-two=2 x-own=b x-own=c",
        ];
        let sorted = |mut fields: Vec<String>| {
            let pseudo = fields.iter().take_while(|field| field.starts_with(':'));
            assert_eq!(pseudo.count(), 4, "pseudo-fields first: {fields:?}");
            fields.sort();
            fields
        };
        let expected = expected.map(|text| sorted(text.split(' ').map(str::to_owned).collect()));
        let wires = render(requests);
        for first in [0, 1] {
            let mut decoder = Decoder::default();
            let fields = said(&mut decoder, &wires[first].first_block, 1234);
            assert_eq!(sorted(fields), expected[first]);
            for (wire, expected) in wires.iter().zip(&expected) {
                for block in [&wire.next_block, &wire.plain_block] {
                    let fields = said(&mut decoder, block, 1234);
                    assert_eq!(&sorted(fields), expected);
                }
            }
        }
        assert!(wires[0].is_short(1, 0) && wires[1].is_short(1, 3));
    }

    #[test]
    fn whole_requests_are_frames() {
        let fields = [(":method", "POST"), (":path", "/{seq}")];
        let shapes = [
            (request(&fields[..1], "abc"), 2),
            (request(&fields[..1], ""), 1),
            (request(&fields, "n={seq}"), 2),
            (request(&fields, ""), 1),
        ];
        for (request, count) in shapes {
            let wires = render(vec![request]);
            let mut bytes = Vec::new();
            let length = wires[0].payload.len(98_765);
            wires[0].push_whole(0x0102_0305, 98_765, length, &mut bytes);
            let (mut at, mut frames) = (0, Vec::new());
            while let Some((frame, used)) = Frame::parse(&bytes[at..]).unwrap() {
                assert_eq!(frame.stream, 0x0102_0305);
                frames.push(frame.has(END_STREAM));
                at += used;
            }
            assert_eq!(at, bytes.len());
            assert_eq!(frames.len(), count);
            assert!(frames.pop().unwrap() && !frames.contains(&true));
        }
    }
}
