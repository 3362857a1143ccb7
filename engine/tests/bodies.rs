//! Bodies that are no texts, from files: over each protocol to the byte, both ways.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;
#[path = "support/websocket.rs"]
mod websocket;

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use deadheat_load::protocol::websocket::frame::Opcode;
use independent::Habits;
use program::{number, refusal, summary};
use serde_json::Value;
use serving::Server;
use std::io::Read;
use std::sync::{Arc, Mutex};
use support::{read_head, send, server};
use tempfile::TempDir;
use websocket::{assert_right, read_frame, say, upgraded, url, Peer};

type Bodies = Arc<Mutex<Vec<Vec<u8>>>>;

/// An HTTP/1.1 server that answers each request with its own body, and keeps them.
fn echo() -> (String, Bodies) {
    let bodies = Bodies::default();
    let kept = Arc::clone(&bodies);
    let address = server(move |mut stream, _| {
        while let Some(head) = read_head(&mut stream) {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "));
            let length = length.map_or(0, |length| length.parse().expect("a length"));
            let mut body = vec![0; length];
            stream.read_exact(&mut body).expect("as many bytes");
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
            let answer = [head.as_bytes(), &body].concat();
            // Kept before the client can be done.
            kept.lock().expect("no panic").push(body);
            send(&mut stream, &answer);
        }
    });
    (format!("http://{address}/echo"), bodies)
}

fn taken(bodies: &Bodies) -> Vec<Vec<u8>> {
    std::mem::take(&mut *bodies.lock().expect("no panic"))
}

/// All bytes there are, places that mean something in a text, and bytes that end a text.
fn bytes() -> Vec<u8> {
    (0..=255).chain(*b"{seq}{token}{uuid}\r\n\0").collect()
}

/// Nothing, every byte, and a megabyte of them.
fn contents() -> [Vec<u8>; 3] {
    [Vec::new(), bytes(), bytes().repeat(4_000)[..1 << 20].into()]
}

/// A file with these bytes; its path, and the path as `--data` takes it.
fn file(directory: &TempDir, name: &str, content: &[u8]) -> (String, String) {
    let path = directory.path().join(name).display().to_string();
    std::fs::write(&path, content).expect("written");
    (path.clone(), format!("@{path}"))
}

#[test]
fn any_bytes_go_and_come_over_http() {
    let (http1, bodies) = echo();
    let http2 = independent::http2(Habits::default());
    let http2 = format!("http://{http2}/echo");
    let directory = tempfile::tempdir().expect("a directory");
    for content in contents() {
        let (_, data) = file(&directory, "body", &content);
        for (url, more) in [(&http1, &[][..]), (&http2, &["--http2", "--streams", "2"])] {
            let arguments = [url, "-n", "8", "-c", "2", "--data", &data];
            let expect = ["--expect-body", &data];
            assert_right(&summary(&[&arguments, more, &expect].concat()), 8);
        }
        assert_eq!(taken(&bodies), vec![content; 8]);
    }
}

#[test]
fn one_byte_that_differs_is_an_error() {
    let (url, _) = echo();
    let directory = tempfile::tempdir().expect("a directory");
    let (_, data) = file(&directory, "body", &bytes());
    let mut other = bytes();
    *other.last_mut().expect("bytes") = 1;
    let (_, expected) = file(&directory, "expected", &other);
    let arguments = [
        url.as_str(),
        "-n",
        "3",
        "-c",
        "1",
        "--data",
        &data,
        "--expect-body",
        &expected,
    ];
    let summary = summary(&arguments);
    assert_eq!(number(&summary["errors_by_kind"]["body"]), 3, "{summary}");
    let first = summary["first_error"].as_str().expect("an error");
    assert!(
        first.contains("right length (277 bytes) but not "),
        "{first}"
    );
}

#[test]
fn a_text_is_a_template_unless_it_is_sent_as_bytes() {
    let (url, bodies) = echo();
    let directory = tempfile::tempdir().expect("a directory");
    let text = "é {seq} {token}";
    let (_, data) = file(&directory, "body", text.as_bytes());
    let run = |option: &str, data: &str| {
        let arguments = [&url, "-n", "2", "-c", "1", "--token", "t", option, data];
        assert_right(&summary(&arguments), 2);
        let found = taken(&bodies);
        let text = |body| String::from_utf8(body).expect("a text");
        found.into_iter().map(text).collect::<Vec<_>>()
    };
    for data in [data.as_str(), text] {
        assert_eq!(run("--data", data), ["é 0 t", "é 1 t"]);
        assert_eq!(run("--data-binary", data), [text, text]);
    }
}

#[test]
fn files_of_requests_bring_any_bytes() {
    let (url, bodies) = echo();
    let directory = tempfile::tempdir().expect("a directory");
    let content = bytes();
    file(&directory, "body", &content);
    file(&directory, "text", b"n={seq}");
    let base64 = STANDARD.encode(&content);
    let length = content.len();
    let (body_at, _) = file(&directory, "body", &content);
    let raw = format!("POST /echo HTTP/1.1\nContent-Length: {length}\n\n");
    let archive = serde_json::json!({"log": {"entries": [{"request": {
        "method": "POST", "url": url, "headers": [], "postData": {"text": base64, "encoding": "base64"},
    }}]}});
    let same = [
        (
            "lines",
            r#"{"method": "POST", "path": "/echo", "body_file": "body", "expect": {"body_file": "body"}}"#
                .into(),
        ),
        (
            "base64",
            serde_json::json!({"method": "POST", "path": "/echo", "body": {"base64": base64}})
                .to_string()
                .into_bytes(),
        ),
        (
            "curl",
            format!("curl {url} --data-binary @{body_at}\n").into_bytes(),
        ),
        ("raw", [raw.as_bytes(), &content].concat()),
        ("archive", archive.to_string().into_bytes()),
    ];
    for (name, requests) in same {
        let (path, _) = file(&directory, name, &requests);
        let summary = summary(&[&url, "-n", "4", "-c", "1", "--requests", &path]);
        assert_right(&summary, 4);
        assert_eq!(taken(&bodies), vec![content.clone(); 4], "{name}");
    }
    let text = r#"{"method": "POST", "path": "/echo", "body_file": "text"}"#;
    let (path, _) = file(&directory, "lines", text.as_bytes());
    assert_right(
        &summary(&[&url, "-n", "2", "-c", "1", "--requests", &path]),
        2,
    );
    assert_eq!(taken(&bodies), [b"n=0", b"n=1"]);
    // As curl has it: without line ends and zeros.
    let line = format!("curl {url} -d @{body_at}\n");
    let (path, _) = file(&directory, "curl", line.as_bytes());
    assert_right(
        &summary(&[&url, "-n", "1", "-c", "1", "--requests", &path]),
        1,
    );
    let kept = content.into_iter();
    let kept = kept.filter(|byte| !matches!(byte, b'\r' | b'\n' | 0));
    assert_eq!(taken(&bodies), [kept.collect::<Vec<u8>>()]);
}

/// A message; `None` at the end of the connection.
fn read_message(stream: &mut dyn Peer) -> Option<(Opcode, Vec<u8>)> {
    let (opcode, payload, _) = read_frame(stream)?;
    (opcode != Opcode::Close).then_some((opcode, payload))
}

/// Answers each message with itself, in a frame of its kind, and keeps the kinds.
fn websocket_echo() -> (String, Arc<Mutex<Vec<Opcode>>>) {
    let opcodes = Arc::<Mutex<Vec<Opcode>>>::default();
    let kept = Arc::clone(&opcodes);
    let address = upgraded(move |stream| {
        while let Some((opcode, payload)) = read_message(stream) {
            kept.lock().expect("no panic").push(opcode);
            say(stream, opcode, &payload);
        }
    });
    (url(address), opcodes)
}

#[test]
fn messages_that_are_no_texts_are_binary_ones() {
    let (url, opcodes) = websocket_echo();
    let directory = tempfile::tempdir().expect("a directory");
    let opcodes = || std::mem::take(&mut *opcodes.lock().expect("no panic"));
    for content in contents() {
        let (_, data) = file(&directory, "message", &content);
        let expected = match content.is_empty() {
            true => Opcode::Text,
            false => Opcode::Binary,
        };
        let arguments = [
            &url,
            "-n",
            "4",
            "-c",
            "2",
            "--data",
            &data,
            "--expect-body",
            &data,
        ];
        assert_right(&summary(&arguments), 4);
        assert_eq!(opcodes(), [expected; 4]);
    }
    for (option, opcode) in [("--data", Opcode::Text), ("--data-binary", Opcode::Binary)] {
        assert_right(&summary(&[&url, "-n", "4", "-c", "2", option, "hello"]), 4);
        assert_eq!(opcodes(), [opcode; 4]);
    }
    let mixed = "{\"message\": \"hello\"}\n{\"message_file\": \"message\", \"expect\": {\"body_file\": \"message\"}}\n";
    let (path, _) = file(&directory, "messages.jsonl", mixed.as_bytes());
    let summary = summary(&[&url, "-n", "4", "-c", "1", "--requests", &path]);
    assert_right(&summary, 4);
    assert_eq!(opcodes(), [Opcode::Text, Opcode::Binary].repeat(2));
    let by_request = summary["by_request"].as_array().expect("each of them");
    let names: Vec<&Value> = by_request.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["hello", "1048576 bytes"]);
}

/// What is expected are bytes, and a text message with them breaks RFC 6455.
#[test]
fn a_text_message_is_utf_8_whatever_is_expected() {
    let address = upgraded(|stream| {
        while let Some((_, payload)) = read_message(stream) {
            say(stream, Opcode::Text, &payload);
        }
    });
    let directory = tempfile::tempdir().expect("a directory");
    let (_, data) = file(&directory, "message", b"\xff");
    let url = url(address);
    let summary = summary(&[
        &url,
        "-n",
        "1",
        "-c",
        "1",
        "--data",
        &data,
        "--expect-body",
        &data,
    ]);
    let first = summary["first_error"].as_str().unwrap_or_default();
    assert!(first.contains("not UTF-8"), "{summary}");
}

#[test]
fn what_cannot_be_bytes_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, data) = file(&directory, "body", &bytes());
    let grpc = Server::of("grpc", &["--hello"]);
    let grpc = format!("grpc://{}", grpc.address());
    let call = ["--call", "greeter.Greeter/SayHello"];
    for (option, why) in [
        (
            "--data",
            "--data is the message as JSON, and this file is no text",
        ),
        (
            "--data-binary",
            "--data-binary: only for HTTP and WebSocket",
        ),
    ] {
        let said = refusal(&[&[grpc.as_str(), option, &data], &call[..]].concat());
        assert!(said.contains(why), "{said}");
    }
    let (url, bodies) = echo();
    let missing = directory.path().join("missing").display().to_string();
    for option in ["--data", "--data-binary", "--expect-body"] {
        let said = refusal(&[&url, option, &format!("@{missing}")]);
        assert!(said.contains(&format!("{missing}: No such file")), "{said}");
    }
    let said = refusal(&[&url, "--requests", &path]);
    assert!(said.contains("no text"), "{said}");
    for (line, why) in [
        (
            r#"{"path": "/", "body_file": "missing"}"#,
            "missing: No such file",
        ),
        (
            r#"{"path": "/", "body_file": 7}"#,
            "body_file: not the name",
        ),
        (
            r#"{"path": "/", "body": "", "body_file": "body"}"#,
            "not both",
        ),
        (r#"{"path": "/", "body": 7}"#, "a body is a text, or"),
        (
            r#"{"path": "/", "expect": {"body": {"base64": "?"}}}"#,
            "no base64",
        ),
        (
            r#"{"path": "/a", "path": "/b"}"#,
            r#""path" is given twice"#,
        ),
        (
            r#"{"path": "/", "expect": {"status": 200, "status": 404}}"#,
            r#""status" is given twice"#,
        ),
    ] {
        let (path, _) = file(&directory, "lines", line.as_bytes());
        let said = refusal(&[&url, "--requests", &path]);
        assert!(
            said.contains(":1: ") && said.contains(why),
            "{line}: {said}"
        );
    }
    assert!(taken(&bodies).is_empty());
}
