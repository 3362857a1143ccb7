//! HTTP in all its ways, by the program itself: counts are the server's own.

#[path = "support/program.rs"]
mod program;
mod support;

use program::{number, refusal, summary};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use support::{hello, read_head, read_request, send, server, Counter};

/// A server of [`hello`] and its count of requests.
fn hello_server() -> (String, Counter) {
    let count = Counter::default();
    let counter = count.clone();
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            counter.next();
            send(&mut stream, &hello(&path));
        }
    });
    (format!("http://{address}"), count)
}

#[test]
fn a_number_of_requests_is_that_number_whatever_the_mode() {
    for mode in [
        &["-c", "3"][..],
        &["-c", "3", "--pipeline", "5"],
        &["-c", "4", "-t", "2"],
        &["-c", "2", "--no-keepalive"],
        &["-c", "3", "-R", "5000", "--allow-shortfall"],
        &[
            "-c",
            "4",
            "-t",
            "2",
            "-R",
            "5000",
            "--arrivals",
            "poisson",
            "--allow-shortfall",
        ],
    ] {
        let (url, count) = hello_server();
        let url = format!("{url}/{{seq}}");
        let expect = ["--expect-status", "200", "--expect-body"];
        let mut arguments = vec![url.as_str(), "-n", "101"];
        arguments.extend(mode);
        arguments.extend(expect);
        arguments.push("Hello from {seq}!");
        let summary = summary(&arguments);
        assert_eq!(number(&summary["requests"]), 101, "{mode:?}: {summary}");
        assert_eq!(number(&summary["errors"]), 0, "{mode:?}: {summary}");
        assert_eq!(number(&summary["reconnects"]), 0, "{mode:?}");
        assert_eq!(count.get(), 101, "{mode:?}");
    }
}

#[test]
fn without_keep_alive_each_request_has_its_connection() {
    let connections = Counter::default();
    let counter = connections.clone();
    let address = server(move |mut stream, _| {
        counter.next();
        while let Some(head) = read_head(&mut stream) {
            assert!(head.contains("\r\nConnection: close\r\n"), "{head}");
            send(&mut stream, &hello("/x"));
        }
    });
    let url = format!("http://{address}/");
    let summary = summary(&[&url, "-n", "50", "-c", "2", "--no-keepalive"]);
    assert_eq!(number(&summary["requests"]), 50);
    // Each loop opens one more than it uses at the end.
    assert!(
        (50..=52).contains(&connections.get()),
        "{}",
        connections.get()
    );
}

#[test]
fn replies_without_a_body() {
    for (method, status, reply) in [
        (
            "HEAD",
            "200",
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
        ),
        ("GET", "204", "HTTP/1.1 204 No Content\r\n\r\n"),
        (
            "GET",
            "304",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        ),
    ] {
        let address = server(move |mut stream, _| {
            while let Some(head) = read_head(&mut stream) {
                assert!(head.starts_with(method));
                send(&mut stream, reply.as_bytes());
            }
        });
        let url = format!("http://{address}/");
        let summary = summary(&[
            &url,
            "-X",
            method,
            "-n",
            "20",
            "-c",
            "2",
            "--expect-status",
            status,
        ]);
        assert_eq!(number(&summary["requests"]), 20, "{method} {status}");
        assert_eq!(number(&summary["statuses"][status]), 20);
        assert_eq!(number(&summary["errors"]), 0);
    }
}

#[test]
fn a_class_of_statuses_is_right_or_wrong() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            let status = &path[1..];
            let reply = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nok");
            send(&mut stream, reply.as_bytes());
        }
    });
    for (status, expected, right) in [
        ("200", "2xx", 10),
        ("299", "2xx", 10),
        ("302", "2xx", 0),
        ("404", "4xx", 10),
        ("404", "404", 10),
        ("403", "404", 0),
    ] {
        let url = format!("http://{address}/{status}");
        let arguments = [&url, "-n", "10", "-c", "1", "--expect-status", expected];
        let summary = summary(&arguments);
        assert_eq!(number(&summary["requests"]), right, "{status} {expected}");
        assert_eq!(number(&summary["errors_by_kind"]["status"]), 10 - right);
    }
    let said = refusal(&["http://127.0.0.1:1", "--expect-status", "ok"]);
    assert!(said.contains("no status"), "{said}");
}

#[test]
fn method_headers_and_body_go_over_the_wire() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let address = server(move |mut stream, _| {
        while let Some(head) = read_head(&mut stream) {
            let length: usize = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "))
                .map_or(0, |length| length.parse().expect("a length"));
            let mut body = vec![0; length];
            std::io::Read::read_exact(&mut stream, &mut body).expect("the body");
            let text = head + std::str::from_utf8(&body).expect("text");
            sink.lock().expect("no panic").push(text);
            send(&mut stream, &hello("/x"));
        }
    });
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "n={{seq}} t={{token}}").expect("written");
    let url = format!("http://{address}/a?b={{token}}");
    let data = format!("@{}", file.path().display());
    let arguments = [
        &url,
        "-n",
        "2",
        "-c",
        "1",
        "-H",
        "X-T: {token}",
        "--token",
        "tt",
        "--data",
        &data,
    ];
    summary(&arguments);
    let host = address.to_string();
    let expected = |n| {
        format!("POST /a?b=tt HTTP/1.1\r\nHost: {host}\r\nX-T: tt\r\nContent-Length: 8\r\n\r\nn={n} t=tt")
    };
    assert_eq!(*seen.lock().expect("no panic"), [expected(0), expected(1)]);
}

#[test]
fn several_requests_in_turn_and_each_expects_its_own() {
    let paths = Arc::new(Mutex::new(BTreeMap::new()));
    let sink = Arc::clone(&paths);
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            *sink
                .lock()
                .expect("no panic")
                .entry(path.clone())
                .or_insert(0) += 1;
            send(&mut stream, &hello(&path));
        }
    });
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    for path in ["a", "b", "c"] {
        let line = serde_json::json!({"path": format!("/{path}"),
            "expect": {"status": 200, "body": format!("Hello from {path}!")}});
        writeln!(file, "{line}").expect("written");
    }
    let (url, file) = (
        format!("http://{address}"),
        file.path().display().to_string(),
    );
    let summary = summary(&[&url, "-n", "30", "-c", "2", "--requests", &file]);
    assert_eq!(
        (number(&summary["requests"]), number(&summary["errors"])),
        (30, 0)
    );
    let counts: Vec<i32> = paths.lock().expect("no panic").values().copied().collect();
    assert_eq!(counts, [10, 10, 10]);
}

#[test]
fn a_pipeline_that_is_cut_off_is_sent_again() {
    let count = Counter::default();
    let counter = count.clone();
    let address = server(move |mut stream, _| {
        for _ in 0..10 {
            let Some(path) = read_request(&mut stream) else {
                return;
            };
            counter.next();
            send(&mut stream, &hello(&path));
        }
        // Closing with requests unread would reset the connection, and the kernel would throw
        // away replies that are on their way: a lingering close, as servers do it.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let url = format!("http://{address}/x");
    let summary = summary(&[&url, "-n", "200", "-c", "2", "--pipeline", "4"]);
    assert_eq!(number(&summary["requests"]), 200, "{summary}");
    assert_eq!(number(&summary["errors"]), 0, "{summary}");
    assert!(number(&summary["reconnects"]) > 0);
    assert_eq!(count.get(), 200);
}

#[test]
fn a_unix_socket() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("bound");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                while let Some(head) = read_head(&mut stream) {
                    assert!(head.contains("Host: name\r\n"), "{head}");
                    let _ = stream.write_all(&hello("/x"));
                }
            });
        }
    });
    let path = path.display().to_string();
    let summary = summary(&["http://name/", "--unix", &path, "-n", "40", "-c", "3"]);
    assert_eq!(
        (number(&summary["requests"]), number(&summary["errors"])),
        (40, 0)
    );
}

#[test]
fn what_cannot_be_meant_is_refused_in_one_line_before_any_load() {
    for (arguments, words) in [
        (&["127.0.0.1:80"][..], "a URL begins with http://"),
        (&["http://127.0.0.1:1/"], "refused the connection"),
        (&["http://192.0.2.1/"], "--remote"),
        (&["http://no.such.host.invalid/"], "no such host"),
        (&["http://127.0.0.1/", "-X", "GE T"], "no HTTP method"),
        (&["http://127.0.0.1/", "-c", "0"], "at least 1 connection"),
        (&["http://127.0.0.1/", "-c", "1", "-t", "2"], "thread"),
        (&["http://127.0.0.1/", "-H", "nonsense"], "no header"),
        (&["http://127.0.0.1/", "-d", "soon"], "no time"),
        (&["http://127.0.0.1/", "-R", "0"], "no rate"),
        (&["http://127.0.0.1/", "--find-max", "fast"], "no objective"),
        (
            &["http://127.0.0.1/", "--data", "@/no/such/file"],
            "/no/such/file",
        ),
        (
            &["http://127.0.0.1/", "--requests", "/no/such/file"],
            "/no/such/file",
        ),
        (
            &["http://127.0.0.1/", "--csv", "/no/such/file"],
            "/no/such/file",
        ),
        (
            &["http://127.0.0.1/", "--pipeline", "2", "--no-keepalive"],
            "keep-alive",
        ),
        (
            &["http://127.0.0.1/", "-n", "5", "-d", "5s"],
            "cannot be used with",
        ),
        (
            &["http://127.0.0.1/", "--no-such-option"],
            "--no-such-option",
        ),
    ] {
        let error = refusal(arguments);
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert!(error.starts_with("error: "), "{error}");
    }
}

#[test]
fn a_rate_out_of_reach_is_exit_code_1() {
    // One connection, 20 ms a reply: 50 a second and no more, on any machine.
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            std::thread::sleep(std::time::Duration::from_millis(20));
            send(&mut stream, &hello(&path));
        }
    });
    let url = format!("http://{address}/x");
    let arguments = [&url, "-R", "500", "-c", "1", "-d", "200ms", "--json"];
    let output = program::run(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let open = &summary["open_loop"];
    assert_eq!(number(&open["due"]), 100);
    assert_eq!(number(&open["sent"]) + number(&open["unsent"]), 100);
    assert!(number(&open["queue_max"]) > 50, "{open}");
    let output = program::run(&[&arguments[..], &["--allow-shortfall"]].concat());
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn how_late_it_sent_is_told_of_all_threads() {
    let (url, _) = hello_server();
    let rate = ["-R", "20000", "-n", "2000", "-c", "64", "-t", "2"];
    for pacing in ["exact", "200us", "burst"] {
        let options = ["--pacing", pacing, "--allow-shortfall"];
        let summary = summary(&[&[url.as_str()], &rate[..], &options].concat());
        let late = &summary["lateness_ms"];
        let sent = number(&summary["open_loop"]["sent"]);
        // However busy the machine is, the first of each thread has a connection.
        assert!((2..=sent).contains(&number(&late["requests"])), "{summary}");
        assert!(late["max"].as_f64().expect("a time") > 0.0, "{late}");
    }
    let options = ["-n", "20", "-R", "1000", "-c", "4", "--allow-shortfall"];
    let table = program::run(&[&[url.as_str()], &options[..]].concat());
    let table = String::from_utf8(table.stdout).expect("text");
    assert!(table.contains("\nsent late: 50% "), "{table}");
    // A closed loop is never late.
    let closed = program::summary(&[&url, "-n", "20", "-c", "4"]);
    assert!(closed["lateness_ms"].is_null(), "{closed}");
}

#[test]
fn the_table_and_the_files() {
    let (url, _) = hello_server();
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name).display().to_string();
    let (csv, hdr) = (file("x.csv"), file("x.hdr"));
    let output = program::run(&[
        &format!("{url}/x"),
        "-n",
        "500",
        "-c",
        "2",
        "--csv",
        &csv,
        "--hdr",
        &hdr,
    ]);
    assert!(output.status.success());
    let table = String::from_utf8(output.stdout).expect("text");
    for words in [
        "500 requests in",
        "50%",
        "99.9%",
        "statuses: 200: 500",
        "requests/s: ",
        "epoll",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let csv = std::fs::read_to_string(csv).expect("written");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("second,requests,errors"));
    let requests: u64 = lines[1..]
        .iter()
        .map(|line| {
            line.split(',')
                .nth(1)
                .expect("a column")
                .parse::<u64>()
                .expect("a count")
        })
        .sum();
    assert_eq!(requests, 500);
    let hdr = std::fs::read_to_string(hdr).expect("written");
    assert!(hdr.starts_with("#") && hdr.contains(",HISTFAAA"), "{hdr}");
}
