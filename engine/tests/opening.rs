//! Connecting: addresses of a name, the time that each connection has, what TLS agrees on.

mod support;

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use independent::Habits;
use program::{number, refusal, run, summary};
use serving::Server;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use support::{hello, read_head, read_request, send, server, Counter};

fn answers(mut stream: TcpStream) {
    while let Some(path) = read_request(&mut stream) {
        send(&mut stream, &hello(&path));
    }
}

#[test]
fn all_addresses_of_a_name_are_tried() {
    use std::net::ToSocketAddrs;
    let addresses = ("localhost", 0_u16).to_socket_addrs();
    let kinds: Vec<bool> = addresses.map_or(Vec::new(), |all| all.map(|a| a.is_ipv6()).collect());
    if !(kinds.contains(&true) && kinds.contains(&false)) {
        eprintln!("localhost has one address here: not tried");
        return;
    }
    // Nobody listens at the other one.
    let four = server(|stream, _| answers(stream));
    let six = TcpListener::bind("[::1]:0").expect("a free port");
    let port = six.local_addr().expect("an address").port();
    std::thread::spawn(move || six.incoming().flatten().for_each(answers));
    for port in [four.port(), port] {
        let url = format!("http://localhost:{port}/x");
        let summary = summary(&[&url, "-n", "4", "-c", "1"]);
        assert_eq!(number(&summary["requests"]), 4);
    }
}

#[test]
fn host_has_no_port_that_goes_without_saying() {
    let (tell, told) = std::sync::mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let address = server(move |mut stream, _| {
        while let Some(head) = read_head(&mut stream) {
            let _ = tell.lock().expect("a sender").send(head);
            send(&mut stream, &hello("/x"));
        }
    });
    let place = address.to_string();
    for (url, host) in [
        ("http://localhost/x", "localhost"),
        ("http://localhost:81/x", "localhost:81"),
    ] {
        let summary = summary(&[url, "--connect-to", &place, "-n", "1", "-c", "1"]);
        assert_eq!(number(&summary["requests"]), 1);
        let head = told.recv().expect("a request");
        assert!(head.contains(&format!("\r\nHost: {host}\r\n")), "{head}");
    }
}

/// Each connection takes its time to be ready (a login that is answered late), all together
/// longer than one may.
#[test]
fn the_timeout_is_each_connections_own() {
    let turns = std::sync::Mutex::new(());
    let address = server(move |mut stream, _| {
        use std::io::Read;
        let mut input = [0; 1024];
        // One at a time: AUTH, then whatever is asked.
        {
            let _turn = turns.lock().expect("a turn");
            if !matches!(stream.read(&mut input), Ok(1..)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(120));
            send(&mut stream, b"+OK\r\n");
        }
        while let Ok(1..) = stream.read(&mut input) {
            send(&mut stream, b"+PONG\r\n");
        }
    });
    let url = format!("redis://:secret@{address}");
    // Half of the connections may have to wait for the other half.
    for (threads, timeout) in [("1", "1200ms"), ("2", "2s")] {
        let summary = summary(&[
            &url,
            "-r",
            "PING",
            "-n",
            "20",
            "-c",
            "20",
            "-t",
            threads,
            "--timeout",
            timeout,
        ]);
        assert_eq!(number(&summary["requests"]), 20);
    }
}

#[test]
fn http2_over_tls_has_to_be_agreed_on() {
    let address = independent::http2(Habits {
        tls: Some("h2"),
        ..Habits::default()
    });
    let url = format!("https://{address}/x");
    let agreed = summary(&[&url, "--http2", "--insecure", "-n", "4", "-c", "2"]);
    assert_eq!(number(&agreed["requests"]), 4);
    assert_eq!(number(&agreed["tls_handshakes"]["full"]), 2);
    // A server that knows no ALPN at all agrees on nothing.
    let silent = independent::silent_tls();
    let error = refusal(&[&format!("https://{silent}/x"), "--http2", "--insecure"]);
    assert!(error.contains("ALPN"), "{error}");
}

#[test]
fn a_reply_that_comes_before_the_request_is_whole_counts() {
    let count = Counter::default();
    let counter = count.clone();
    let address = server(move |mut stream, _| {
        if read_head(&mut stream).is_some() {
            counter.next();
            send(
                &mut stream,
                b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            );
            // Closed with the body unread, the connection is reset.
        }
    });
    let mut body = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut body, &vec![b'x'; 8 << 20]).expect("written");
    let data = format!("@{}", body.path().display());
    let url = format!("http://{address}/x");
    let summary = summary(&[&url, "--data", &data, "-n", "20", "-c", "1"]);
    let by = &summary["errors_by_kind"];
    assert_eq!(number(&by["status"]), 20, "{summary}");
    assert_eq!(count.get(), 20);
}

#[test]
fn options_of_another_protocol_are_refused_by_name() {
    for (arguments, name) in [
        (&["http://127.0.0.1:1", "-r", "PING"][..], "--command"),
        (&["http://127.0.0.1:1", "--call", "a.B/C"], "--call"),
        (&["http://127.0.0.1:1", "--proto", "x.proto"], "--proto"),
        (&["http://127.0.0.1:1", "--resp3"], "--resp3"),
        (&["http://127.0.0.1:1", "--sni", "x"], "--sni"),
        (
            &["grpc://127.0.0.1:1", "--call", "a.B/C", "-X", "GET"],
            "--method",
        ),
        (
            &[
                "grpc://127.0.0.1:1",
                "--call",
                "a.B/C",
                "--expect-body",
                "x",
            ],
            "--expect-body",
        ),
        (
            &["redis://127.0.0.1:1", "-r", "PING", "--data", "x"],
            "--data",
        ),
        (
            &["redis://127.0.0.1:1", "-r", "PING", "-H", "a: b"],
            "--header",
        ),
        (
            &["redis://127.0.0.1:1", "-r", "PING", "--no-keepalive"],
            "--no-keepalive",
        ),
    ] {
        let error = refusal(arguments);
        assert!(
            error.contains(&format!("{name}: only for")),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn a_token_that_would_break_requests_is_refused() {
    let error = refusal(&["http://127.0.0.1:1/{token}", "--token", "a\r\nb: c"]);
    assert!(error.contains("token"), "{error}");
    let output = run(&["http://127.0.0.1:1/", "-H", "a: {token}", "--token", "a\nb"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn connections_come_from_addresses_of_this_machine_alone() {
    let server = Server::of("http", &[]);
    let url = format!("http://{}/", server.socket());
    let output = run(&[
        &url,
        "--source",
        "127.0.0.2,127.0.0.3",
        "-c",
        "4",
        "-n",
        "8",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let port = server.socket().port();
    let both = ["::1", "127.0.0.1"].map(|address| format!("a.test:{port}:{address}"));
    let of_a_name = format!("http://a.test:{port}/");
    let resolved = ["--resolve", &both[0], "--resolve", &both[1]];
    let given = [
        &of_a_name[..],
        "--source",
        "127.0.0.2",
        "-c",
        "1",
        "-n",
        "2",
    ];
    let output = run(&[&given[..], &resolved[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for (source, says) in [
        ("192.0.2.1", "--source 192.0.2.1: "),
        ("::1", "--source has no address of the family of 127.0.0.1"),
    ] {
        let error = refusal(&[&url, "--source", source]);
        assert!(error.contains(says), "{source}: {error}");
    }
}

#[test]
fn hosts_have_the_addresses_that_they_are_given() {
    let server = Server::of("http", &[]);
    let port = server.socket().port();
    let (a, b) = (
        format!("http://a.test:{port}/x"),
        format!("http://b.test:{port}/x"),
    );
    let given = |host: &str| format!("{host}:{port}:127.0.0.1");
    let (for_a, for_b) = (given("A.test"), given("b.test"));
    let asked = [
        "-c",
        "2",
        "-n",
        "100",
        "--resolve",
        &for_a,
        "--resolve",
        &for_b,
    ];
    let told = summary(&[&[a.as_str(), &b], &asked[..]].concat());
    assert_eq!(number(&told["errors"]), 0);
    assert_eq!(number(&server.stop()["requests"]), 100);
    let far = refusal(&[&a, "--resolve", &format!("a.test:{port}:192.0.2.1")]);
    assert!(far.contains("--remote"), "{far}");
    let wrong = refusal(&[&a, "--resolve", "a.test:127.0.0.1"]);
    assert!(wrong.contains("is not HOST:PORT:ADDRESS"), "{wrong}");
}
