//! WebSocket load: echoes, mixes of messages, replies by identifier, and what is refused.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;
#[path = "support/websocket.rs"]
mod websocket;

use deadheat_load::protocol::websocket::frame::Opcode;
use program::{number, refusal, run, summary};
use serving::Server;
use std::io::Write;
use support::server;
use websocket::{assert_right, echo, errors, read_text, say, upgrade, upgraded, url};

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
