//! What a call looks like on its way to the server; rendered once a turn.

use super::ask::Ask;
use crate::protocol::h2::frame::{self, DATA, END_HEADERS, END_STREAM, FRAME_SIZE, HEADERS};
use crate::protocol::h2::hpack::{indexed, literal, literal_indexed};
use crate::template::with_token;

const USER_AGENT: &str = concat!("deadheat-load/", env!("CARGO_PKG_VERSION"));
const POST: usize = 3;
const HTTP: usize = 6;
const HTTPS: usize = 7;
/// Index of the newest entry of the dynamic table.
const NEWEST: usize = 62;
/// What an entry costs beside its bytes, RFC 7541 section 4.1.
const OVERHEAD: usize = 32;

/// The rendered call.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// Enters the headers into the server's table.
    pub first_block: Vec<u8>,
    /// Refers to them there; the same for every call, as real clients send it.
    pub next_block: Vec<u8>,
    /// Needs no table.
    pub plain_block: Vec<u8>,
    /// What the server's table has to hold.
    pub table_size: usize,
    /// Prefix and message.
    pub payload: Vec<u8>,
    /// HEADERS and DATA in one, for calls whose payload fits into one frame ...
    pub both: Vec<u8>,
    /// ... and where the stream's number stands in DATA.
    pub data_id_at: usize,
}

/// Where the stream's number stands in a frame.
pub const ID_AT: usize = 5;

impl Wire {
    pub fn new(ask: &Ask, is_tls: bool, authority: &str, token: &str, payload: Vec<u8>) -> Self {
        let mut fields = vec![
            (":path".into(), format!("/{}", ask.call)),
            (":authority".into(), authority.to_owned()),
            ("content-type".to_owned(), "application/grpc".to_owned()),
            ("user-agent".to_owned(), USER_AGENT.to_owned()),
            ("te".to_owned(), "trailers".to_owned()),
        ];
        if let Some(ms) = ask.deadline_ms {
            fields.push(("grpc-timeout".into(), timeout(ms)));
        }
        if ask.gzip {
            fields.push(("grpc-encoding".into(), "gzip".into()));
            // A server may answer in the encoding that it was asked in.
            fields.push(("grpc-accept-encoding".into(), "gzip".into()));
        }
        for (name, value) in &ask.metadata {
            fields.push((name.to_ascii_lowercase(), with_token(value, token)));
        }
        let scheme = if is_tls { HTTPS } else { HTTP };
        let fixed = [indexed(POST), indexed(scheme)].concat();
        let mut wire = Self {
            first_block: fixed.clone(),
            next_block: fixed.clone(),
            plain_block: fixed,
            payload,
            ..Self::default()
        };
        for (i, (name, value)) in fields.iter().enumerate() {
            let (name, value) = (name.as_bytes(), value.as_bytes());
            wire.first_block.extend(literal_indexed(name, value));
            wire.next_block
                .extend(indexed(NEWEST + fields.len() - 1 - i));
            wire.plain_block.extend(literal(name, value));
            wire.table_size += name.len() + value.len() + OVERHEAD;
        }
        if wire.payload.len() <= FRAME_SIZE {
            frame::push(HEADERS, END_HEADERS, 0, &wire.next_block, &mut wire.both);
            wire.data_id_at = wire.both.len() + ID_AT;
            frame::push(DATA, END_STREAM, 0, &wire.payload, &mut wire.both);
        }
        wire
    }

    /// Appends a whole call.
    #[inline]
    pub fn push_both(&self, stream: u32, output: &mut Vec<u8>) {
        let from = output.len();
        output.extend_from_slice(&self.both);
        let id = stream.to_be_bytes();
        for at in [from + ID_AT, from + self.data_id_at] {
            output[at..at + 4].copy_from_slice(&id);
        }
    }
}

/// At most eight digits and a unit: gRPC over HTTP/2, "Timeout".
fn timeout(ms: u32) -> String {
    if ms < 100_000_000 {
        format!("{ms}m")
    } else {
        format!("{}S", ms / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::h2::hpack::Decoder;

    #[test]
    fn all_three_blocks_say_the_same() {
        let ask = Ask {
            call: "a.B/C".into(),
            metadata: vec![("X-Key".into(), "{token}".into())],
            deadline_ms: Some(1500),
            gzip: true,
            ..Ask::default()
        };
        let wire = Wire::new(&ask, false, "h:1", "7f", vec![0; 5]);
        let mut decoder = Decoder::default();
        let mut said = |block: &[u8]| {
            let mut text = String::new();
            let mut take = |name: &[u8], value: &[u8]| {
                text += &String::from_utf8_lossy(&[name, b": ", value, b"\n"].concat());
            };
            decoder.decode(block, &mut take).unwrap();
            text
        };
        let first = said(&wire.first_block);
        assert!(first.starts_with(":method: POST\n:scheme: http\n:path: /a.B/C\n:authority: h:1\n"));
        assert!(first.ends_with(
            "grpc-timeout: 1500m\ngrpc-encoding: gzip\ngrpc-accept-encoding: gzip\nx-key: 7f\n"
        ));
        assert_eq!(said(&wire.next_block), first);
        assert_eq!(said(&wire.next_block), first);
        assert_eq!(said(&wire.plain_block), first);
        assert!(wire.next_block.len() < 12);
    }
}
