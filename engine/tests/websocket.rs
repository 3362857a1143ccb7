//! WebSocket load against our own echo, and against servers that do exactly what they are told.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;

use deadheat_load::protocol::websocket::frame::{self, Header, Opcode};
use deadheat_load::protocol::websocket::handshake;
use program::{number, refusal, run, summary};
use serde_json::Value;
use serving::Server;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::mpsc::{channel, Receiver};
use std::sync::Mutex;
use support::{read_head, server};

/// A server that upgrades each connection and then goes on as told.
fn upgraded(serve: impl Fn(&mut dyn Peer) + Send + Sync + 'static) -> SocketAddr {
    server(move |mut stream, _| {
        if upgrade(&mut stream).is_some() {
            serve(&mut stream);
        }
    })
}

trait Peer: Read + Write {}
impl<T: Read + Write> Peer for T {}

/// Answers an upgrade; its head.
fn upgrade(stream: &mut (impl Read + Write)) -> Option<String> {
    let head = read_head(stream)?;
    let key = head
        .lines()
        .find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
    let accept = handshake::accept(key.expect("a key"));
    let answer = format!("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n");
    stream.write_all(answer.as_bytes()).ok()?;
    Some(head)
}

/// A frame of a client, which must be masked; `None` at the end of the stream.
fn read_frame(stream: &mut dyn Peer) -> Option<(Opcode, Vec<u8>, [u8; 4])> {
    let mut bytes = Vec::new();
    let header = loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
        if let Some(header) = Header::parse(&bytes).expect("a frame") {
            break header;
        }
    };
    assert!(header.fin);
    let mut payload = vec![0; header.length as usize];
    stream.read_exact(&mut payload).ok()?;
    let key = header.key.expect("clients mask their frames");
    frame::mask(&mut payload, key);
    Some((header.opcode, payload, key))
}

/// The next message as text; other frames are passed over.
fn read_text(stream: &mut dyn Peer) -> Option<String> {
    loop {
        let (opcode, payload, _) = read_frame(stream)?;
        match opcode {
            Opcode::Text => return Some(String::from_utf8(payload).expect("text")),
            Opcode::Close => return None,
            _ => {}
        }
    }
}

fn say(stream: &mut dyn Peer, opcode: Opcode, payload: &[u8]) {
    let mut bytes = Vec::new();
    frame::write(opcode, payload, None, &mut bytes);
    // The client may be gone; it is the one under test.
    let _ = stream.write_all(&bytes);
}

fn echo(stream: &mut dyn Peer) {
    while let Some(text) = read_text(stream) {
        say(stream, Opcode::Text, text.as_bytes());
    }
}

fn url(address: impl std::fmt::Display) -> String {
    format!("ws://{address}/chat")
}

/// Exactly so many right replies, and no error.
fn assert_right(summary: &Value, requests: u64) {
    assert_eq!(number(&summary["requests"]), requests, "{summary}");
    assert_eq!(number(&summary["errors"]), 0, "{summary}");
}

/// A summary of a run with errors: it succeeds all the same.
fn errors(summary: &Value, kind: &str) -> (u64, String) {
    let first = summary["first_error"].as_str().unwrap_or_default();
    (number(&summary["errors_by_kind"][kind]), first.to_owned())
}

#[test]
fn an_echo_of_each_length_and_kind() {
    let server = Server::of("ws", &[]);
    let url = url(server.address());
    let file = tempfile::NamedTempFile::new().expect("a file");
    // Lengths that stand in one, two and eight bytes, and one that no single read brings.
    for length in [0, 1, 125, 126, 65_535, 65_536, 1 << 20] {
        let text = "x".repeat(length);
        std::fs::write(file.path(), &text).expect("written");
        let data = format!("@{}", file.path().display());
        let length = format!("^x{{{length}}}$");
        let expect = if text.len() > 1_000 { "^x+$" } else { &length };
        let arguments = [
            &url,
            "-c",
            "2",
            "-n",
            "20",
            "--data",
            &data,
            "--expect-match",
            expect,
        ];
        assert_right(&summary(&arguments), 20);
        assert_right(
            &summary(&[&arguments[..], &["--binary", "--pipeline", "3"]].concat()),
            20,
        );
    }
    let served = server.stop();
    assert_eq!(number(&served["requests"]), 7 * 40);
    assert_eq!(number(&served["connections"]), 7 * 4);
}

#[test]
fn messages_are_made_from_templates_and_replies_held_against_them() {
    let server = Server::of("ws", &["--wrong-body", "1/10"]);
    let url = url(server.address());
    let message = "{token} {seq} {uuid} {user}";
    let mut file = tempfile::Builder::new()
        .suffix(".csv")
        .tempfile()
        .expect("a file");
    write!(file, "user\nann\nbob\n").expect("written");
    let values = file.path().display().to_string();
    for (depth, rate) in [("1", None), ("7", None), ("7", Some("2000"))] {
        let mut arguments = vec![
            url.as_str(),
            "-c",
            "3",
            "-n",
            "300",
            "--pipeline",
            depth,
            "--values",
            &values,
            "--data",
            message,
            "--expect-body",
            message,
            "--allow-shortfall",
        ];
        arguments.extend(rate.iter().flat_map(|rate| ["-R", rate]));
        let summary = summary(&arguments);
        assert_eq!(number(&summary["requests"]), 270, "{summary}");
        assert_eq!(errors(&summary, "body").0, 30, "{summary}");
        assert_eq!(number(&summary["websocket"]["upgrades"]), 3);
        assert_eq!(number(&summary["websocket"]["pings"]), 0);
    }
}

#[test]
fn constant_replies_are_recognised_and_others_seen() {
    let server = Server::of("ws", &["--wrong-body", "1/10"]);
    let url = url(server.address());
    let arguments = [
        &url,
        "-c",
        "1",
        "-n",
        "1000",
        "--pipeline",
        "16",
        "--data",
        "same",
        "--expect-body",
        "same",
    ];
    let summary = summary(&arguments);
    assert_eq!(number(&summary["requests"]), 900, "{summary}");
    assert_eq!(errors(&summary, "body").0, 100, "{summary}");
}

#[test]
fn pings_are_timed_apart() {
    let server = Server::of("ws", &[]);
    let url = url(server.address());
    let of = |ping: &str| {
        let summary = summary(&[&url, "-c", "1", "-n", "100", "--data", "a", "--ping", ping]);
        assert_right(&summary, 100);
        number(&summary["websocket"]["pings"])
    };
    assert_eq!(of("1"), 100);
    assert_eq!(of("4"), 25);
    let text = run(&[&url, "-c", "1", "-n", "20", "--data", "a", "--ping"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("\nupgrades: 1; mean "), "{text}");
    assert!(text.contains("\npings: 20; mean "), "{text}");
}

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
fn replies_in_any_order_are_matched_by_identifier() {
    let address = upgraded(|stream| {
        // A welcome, pairs the wrong way round, and news between them.
        say(stream, Opcode::Text, b"welcome");
        while let (Some(one), Some(two)) = (read_text(stream), read_text(stream)) {
            say(stream, Opcode::Text, two.as_bytes());
            say(stream, Opcode::Text, b"{\"news\": 1}");
            say(stream, Opcode::Text, one.as_bytes());
        }
    });
    let message = "{\"id\": {seq}}";
    let url = url(address);
    let arguments = [
        &url,
        "-c",
        "1",
        "-n",
        "40",
        "--pipeline",
        "2",
        "--data",
        message,
        "--expect-body",
        message,
        "--match-id",
        "$.id={seq}",
    ];
    let by_id = summary(&arguments);
    assert_right(&by_id, 40);
    // The welcome may come before the run.
    assert!(
        [20, 21].contains(&number(&by_id["websocket"]["unasked"])),
        "{by_id}"
    );
    let in_order = run(&arguments[..11]);
    assert!(
        !in_order.status.success()
            || String::from_utf8_lossy(&in_order.stdout).contains("errors: ")
    );
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

#[test]
fn what_cannot_be_meant_is_refused() {
    let server = Server::of("ws", &[]);
    let ws = url(server.address());
    for (arguments, message) in [
        (vec![ws.as_str()], "a message is needed (--data)"),
        (
            vec![&ws, "--data", "a", "--expect-status", "200"],
            "--expect-status: only for http:// and https://",
        ),
        (
            vec![&ws, "--data", "a", "--streams", "2"],
            "ws:// has --pipeline",
        ),
        (
            vec![&ws, "--data", "a", "--match-id", "$.id"],
            "has no value",
        ),
        (
            vec![&ws, "--data", "a", "--match-id", "id=1"],
            "is no JSON path",
        ),
        (
            vec![
                &ws,
                "--data",
                "a",
                "--match-id",
                "$.id=1",
                "--pipeline",
                "2",
            ],
            "the same for every message",
        ),
        (
            vec![&ws, "--data", "a", "-H", "Upgrade: h2c"],
            "has no place in the upgrade",
        ),
        (
            vec!["http://127.0.0.1:1/", "--ping"],
            "--ping: only for ws:// and wss://",
        ),
        (
            vec!["redis://127.0.0.1:1/", "-r", "PING", "--values", "x"],
            "--values: only for HTTP and WebSocket",
        ),
    ] {
        let why = refusal(&arguments);
        assert!(why.contains(message), "{arguments:?}: {why}");
    }
}

#[test]
fn over_tls() {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a configuration");
    let config = std::sync::Arc::new(config);
    let address = server(move |stream, _| {
        let session = rustls::ServerConnection::new(std::sync::Arc::clone(&config)).expect("one");
        let mut stream = rustls::StreamOwned::new(session, stream);
        if upgrade(&mut stream).is_some() {
            echo(&mut stream);
        }
    });
    let wss = format!("wss://localhost:{}/", address.port());
    let summary = summary(&[
        &wss,
        "-c",
        "2",
        "-n",
        "50",
        "--insecure",
        "--data",
        "{seq}",
        "--expect-body",
        "{seq}",
        "--pipeline",
        "4",
    ]);
    assert_right(&summary, 50);
    assert_eq!(number(&summary["tls_handshakes"]["full"]), 2, "{summary}");
    assert_eq!(number(&summary["websocket"]["upgrades"]), 2, "{summary}");
}

#[test]
fn a_mix_of_messages_is_told_message_by_message() {
    let server = Server::of("ws", &[]);
    let url = format!("ws://{}/chat", server.address());
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    let lines = [
        r#"{"message": "hello {seq}", "expect": {"body": "hello {seq}"}, "name": "greet"}"#,
        r#"{"message": "news?", "expect": {"contains": "nothing"}}"#,
        r#"{"message": "bye"}"#,
    ];
    writeln!(file, "{}", lines.join("\n")).expect("written");
    let path = file.path().display().to_string();
    for mode in [&["-c", "2"][..], &["-c", "1", "--pipeline", "7"]] {
        let asked = ["-n", "300", "--requests", &path, "-H", "X-A: 1"];
        let summary = summary(&[&[url.as_str()], &asked[..], mode].concat());
        let each = summary["by_request"].as_array().expect("a list");
        let told: Vec<(&str, u64, u64)> = each
            .iter()
            .map(|one| {
                let name = one["name"].as_str().expect("a name");
                (name, number(&one["requests"]), number(&one["errors"]))
            })
            .collect();
        let expected = [("greet", 100, 0), ("news?", 0, 100), ("bye", 100, 0)];
        assert_eq!(told, expected, "{mode:?}");
        let failed = &summary["assertions"][0];
        assert_eq!(number(&failed["failed"]), 100, "{failed}");
    }
    server.stop();
}

#[test]
fn messages_of_a_mix_go_by_weight_and_by_identifier() {
    let server = Server::of("ws", &[]);
    let url = format!("ws://{}/rpc", server.address());
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    let message = |name: &str, weight: u32| {
        format!(
            r#"{{"message": "{{\"id\": {{seq}}, \"method\": \"{name}\"}}", "expect": {{"json": "$.method={name}"}}, "weight": {weight}, "name": "{name}"}}"#
        )
    };
    writeln!(file, "{}\n{}", message("often", 3), message("seldom", 1)).expect("written");
    let path = file.path().display().to_string();
    let asked = [
        "--match-id",
        "$.id={seq}",
        "--pipeline",
        "8",
        "-c",
        "2",
        "-n",
        "4000",
    ];
    let summary = summary(&[&[url.as_str(), "--requests", &path], &asked[..]].concat());
    assert_eq!(number(&summary["errors"]), 0, "{summary}");
    let often = number(&summary["by_request"][0]["requests"]);
    // Of 4,000 drawn from a fixed seed: standard deviation 27.
    assert!((2_800..=3_200).contains(&often), "{often}");
    server.stop();
}

#[test]
fn lines_of_messages_that_are_none_are_refused() {
    for (line, why) in [
        (r#"{"path": "/a"}"#, ":1: unknown field `path`"),
        (r#"{"expect": {}}"#, ":1: missing field `message`"),
        ("", "no messages in it"),
    ] {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        writeln!(file, "{line}").expect("written");
        let path = file.path().display().to_string();
        let told = refusal(&["ws://127.0.0.1:1/", "--requests", &path]);
        assert!(told.contains(why), "{told}");
    }
}
