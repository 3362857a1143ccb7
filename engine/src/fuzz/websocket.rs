//! Messages of WebSocket servers.

use super::feed::cut_anywhere;
use crate::protocol::http::Request;
use crate::protocol::websocket::{handshake, MessageSpec, WebSocket};
use crate::protocol::Protocol;

/// Any bytes behind an upgrade, as replies in order and as replies by identifier; and as the
/// answer to an upgrade.
pub fn messages(bytes: &[u8]) {
    let mut request = Request::get("/");
    request.body = Some("{\"id\": {seq}}".into());
    for match_id in [None, Some("$.id={seq}".to_owned())] {
        let spec = MessageSpec {
            match_id,
            ping: Some(2),
            ..MessageSpec::default()
        };
        let protocol =
            WebSocket::new(std::slice::from_ref(&request), &spec, 2, "h").expect("a message");
        cut_anywhere(&protocol, bytes);
        cut_anywhere(&protocol, &[upgrade(&protocol).as_bytes(), bytes].concat());
    }
}

/// The answer to the upgrade that the next connection asks for.
fn upgrade(protocol: &WebSocket) -> String {
    let mut output = Vec::new();
    protocol.clone().connect(2, &mut output);
    let text = String::from_utf8(output).expect("a head");
    let (_, key) = text.trim_end().rsplit_once(' ').expect("a key");
    let accept = handshake::accept(key);
    format!(
        "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"\x81\x09{\"id\": 0}".to_vec()),
            Just(b"\x82\x09{\"id\": 1}".to_vec()),
            Just(b"\x01\x02{\"".to_vec()),
            Just(b"\x00\x04id\":".to_vec()),
            Just(b"\x80\x021}".to_vec()),
            Just(b"\x89\x01?".to_vec()),
            Just(b"\x8a\x08\0\0\0\0\0\0\0\x02".to_vec()),
            Just(b"\x88\x02\x03\xe8".to_vec()),
            Just(b"\x81\x7e\x00\x80".to_vec()),
            Just(b"\x82\x7f\0\0\0\0\0\x01\0\0".to_vec()),
            prop::collection::vec(any::<u8>(), 0..6),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn a_short_run(pieces in prop::collection::vec(piece(), 0..12)) {
            super::messages(&pieces.concat());
        }
    }
}
