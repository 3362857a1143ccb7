//! WebSocket as RFC 6455 has it: upgrades, frames and the end of connections, against servers that
//! do exactly what they are told.

#[path = "support/program.rs"]
mod program;
mod support;
#[path = "support/websocket.rs"]
mod websocket;

use deadheat_load::protocol::websocket::frame::{self, Opcode};
use program::{number, refusal, summary};
use std::sync::mpsc::{channel, Receiver};
use std::sync::Mutex;
use support::{read_head, server};
use websocket::{assert_right, errors, read_frame, read_text, say, upgrade, upgraded, url};

#[test]
fn the_upgrade_says_what_was_asked_and_frames_are_masked_anew() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let address = server(move |mut stream, _| {
        let tell = tell.lock().unwrap().clone();
        tell.send(upgrade(&mut stream).expect("an upgrade"))
            .unwrap();
        let mut keys = std::collections::HashSet::new();
        while let Some((opcode, payload, key)) = read_frame(&mut stream) {
            assert!(keys.insert(key), "a key twice in a few frames");
            if opcode == Opcode::Close {
                tell.send(format!("{payload:?}")).unwrap();
                return;
            }
            assert_eq!(opcode, Opcode::Binary);
            say(&mut stream, Opcode::Binary, &payload);
        }
    });
    let url = format!("ws://{address}/{{token}}?n={{seq}}");
    let arguments = [
        &url,
        "-c",
        "1",
        "-n",
        "10",
        "--token",
        "T",
        "--data",
        "a",
        "--binary",
        "-H",
        "Authorization: Bearer {token}",
    ];
    assert_right(&summary(&arguments), 10);
    let head: String = told.recv().unwrap();
    assert!(
        head.starts_with("GET /T?n=0 HTTP/1.1\r\nHost: 127.0.0.1:"),
        "{head}"
    );
    for line in [
        "Authorization: Bearer T",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
    // At the end the client says that it goes: 1000.
    assert_eq!(told.recv().unwrap(), "[3, 232]");
}

#[test]
fn fragments_with_pings_between_them() {
    let address = upgraded(|stream| {
        while let Some(text) = read_text(stream) {
            // In the middle of a character, too.
            let (one, two) = text.as_bytes().split_at(text.len() / 2);
            let mut bytes = Vec::new();
            let mut fragment = |first: u8, text: &[u8]| {
                bytes.extend_from_slice(&[first, text.len() as u8]);
                bytes.extend_from_slice(text);
            };
            fragment(0x01, one);
            fragment(0x89, b"still there?");
            fragment(0x00, b"");
            fragment(0x80, two);
            for byte in bytes {
                // The client may be gone; it is the one under test.
                let _ = stream.write_all(&[byte]);
            }
            let (opcode, payload, _) = read_frame(stream).expect("a pong");
            assert_eq!(
                (opcode, payload.as_slice()),
                (Opcode::Pong, &b"still there?"[..])
            );
        }
    });
    let message = "Grüße {seq}";
    let arguments = [
        &url(address),
        "-c",
        "2",
        "-n",
        "40",
        "--data",
        message,
        "--expect-body",
        message,
    ];
    assert_right(&summary(&arguments), 40);
}

#[test]
fn a_server_that_closes_is_answered_and_what_was_in_flight_fails() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let address = upgraded(move |stream| {
        let tell = tell.lock().unwrap().clone();
        for _ in 0..3 {
            let Some(text) = read_text(stream) else {
                return;
            };
            say(stream, Opcode::Text, text.as_bytes());
        }
        read_text(stream).expect("a fourth message");
        say(stream, Opcode::Close, b"\x03\xf5try later");
        let (opcode, payload, _) = read_frame(stream).expect("an answer");
        // A run that is over leaves nobody to be told.
        let _ = tell.send((opcode, payload));
    });
    let summary = summary(&[&url(address), "-c", "1", "-n", "20", "--data", "a"]);
    assert_eq!(number(&summary["requests"]), 15, "{summary}");
    let (status, first) = errors(&summary, "status");
    assert_eq!(status, 5, "{summary}");
    assert_eq!(first, "the server closed: 1013 try later");
    // The last one is closed, and replaced, as the run ends.
    assert!(number(&summary["websocket"]["upgrades"]) >= 5, "{summary}");
    for _ in 0..5 {
        assert_eq!(told.recv().unwrap(), (Opcode::Close, vec![3, 0xf5]));
    }
}

#[test]
fn a_server_that_closes_between_messages_is_connected_to_again() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let address = upgraded(move |stream| {
        let tell = tell.lock().unwrap().clone();
        for n in 1..=3 {
            let Some(text) = read_text(stream) else {
                return;
            };
            let mut bytes = Vec::new();
            frame::write(Opcode::Text, text.as_bytes(), None, &mut bytes);
            if n == 3 {
                frame::write(Opcode::Close, b"", None, &mut bytes);
            }
            stream.write_all(&bytes).expect("sent");
        }
        let _ = tell.send(read_frame(stream).map(|(opcode, ..)| opcode));
    });
    let summary = summary(&[&url(address), "-c", "1", "-n", "10", "--data", "a"]);
    assert_right(&summary, 10);
    assert_eq!(number(&summary["reconnects"]), 3, "{summary}");
    assert_eq!(three(&told), [Some(Opcode::Close); 3]);
}

fn three<T>(told: &Receiver<T>) -> Vec<T> {
    (0..3).map(|_| told.recv().unwrap()).collect()
}

#[test]
fn what_breaks_the_protocol_is_an_error() {
    for (bytes, message) in [
        (&b"\x81\x01\xff"[..], "a text message that is not UTF-8"),
        (
            b"\x81\x81\0\0\0\0a",
            "a frame that is masked, from a server",
        ),
        (
            b"\xc1\x01a",
            "a frame with reserved bits: an extension, unasked",
        ),
        (b"\x80\x01a", "a continuation of no message"),
        (b"\x81\x01a\x81\x01b", "a message that nobody asked for"),
        (
            b"\x88\x02\x03\xee",
            "a close frame with a code that may not be sent",
        ),
    ] {
        let address = upgraded(move |stream| {
            read_text(stream);
            let _ = stream.write_all(bytes);
            while read_frame(stream).is_some() {}
        });
        let summary = summary(&[&url(address), "-c", "1", "-n", "2", "--data", "a"]);
        let (protocol, first) = errors(&summary, "protocol");
        assert!(protocol > 0, "{message}: {summary}");
        assert!(first.starts_with(message), "{message}: {summary}");
    }
}

#[test]
fn a_refused_upgrade_ends_before_any_load() {
    let answering = |answer: &'static str| {
        server(move |mut stream, _| {
            if read_head(&mut stream).is_some() {
                support::send(&mut stream, answer.as_bytes());
            }
        })
    };
    let refused = answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    let why = refusal(&[&url(refused), "-c", "1", "--data", "a"]);
    assert!(why.contains("refused the upgrade: status 403"), "{why}");
    let lying = answering("HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n");
    let why = refusal(&[&url(lying), "-c", "1", "--data", "a"]);
    assert!(
        why.contains("an upgrade with another Sec-WebSocket-Accept"),
        "{why}"
    );
}
