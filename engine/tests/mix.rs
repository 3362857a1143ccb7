//! A mix of requests: figures of each beside the whole, and files of every form that is read.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;

use independent::Habits;
use program::{number, refusal, run, summary};
use serde_json::Value;
use serving::Server;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use support::{hello, read_head, send, server};
use tempfile::NamedTempFile;

type Seen = Arc<Mutex<Vec<String>>>;

/// A server of [`hello`], but for `/gone` (404) and `/other` (another body), that keeps every
/// request.
fn keeping() -> (String, Seen) {
    let seen = Seen::default();
    let sink = Arc::clone(&seen);
    let address = server(move |mut stream, _| {
        while let Some(head) = read_head(&mut stream) {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "))
                .map_or(0, |length| length.parse().expect("a length"));
            let mut body = vec![0; length];
            stream.read_exact(&mut body).expect("the body");
            let path = head.split(' ').nth(1).expect("a path").to_owned();
            let text = head + std::str::from_utf8(&body).expect("text");
            sink.lock().expect("no panic").push(text);
            let reply = match path.as_str() {
                "/gone" => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
                "/other" => hello("/another"),
                path => hello(path),
            };
            send(&mut stream, &reply);
        }
    });
    (address.to_string(), seen)
}

fn file(text: &str) -> (NamedTempFile, String) {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    let path = file.path().display().to_string();
    (file, path)
}

/// How often each first line came.
fn lines(seen: &Seen) -> BTreeMap<String, u64> {
    let mut lines = BTreeMap::new();
    for request in seen.lock().expect("no panic").iter() {
        let (line, _) = request.split_once(" HTTP/1.1\r\n").expect("a request");
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    lines
}

/// Right and wrong replies of each, by name.
fn by_request(summary: &Value) -> BTreeMap<String, (u64, u64)> {
    let each = summary["by_request"].as_array().expect("a list");
    each.iter()
        .map(|one| {
            let name = one["name"].as_str().expect("a name").to_owned();
            let errors = number(&one["errors"]);
            let kinds = one["errors_by_kind"].as_object().expect("kinds");
            assert_eq!(kinds.values().map(number).sum::<u64>(), errors);
            (name, (number(&one["requests"]), errors))
        })
        .collect()
}

const MIXED: &str = r#"
{"path": "/a", "weight": 3, "expect": {"body": "Hello from a!"}}
{"path": "/b", "name": "second"}
{"method": "POST", "path": "/gone", "body": "x"}
{"path": "/other", "expect": {"body": "Hello from other!"}}
"#;

#[test]
fn figures_of_each_are_the_servers_own_counts() {
    let (_file, path) = file(MIXED);
    for mode in [
        &["-c", "3"][..],
        &["-c", "4", "-t", "2"],
        &["-c", "2", "--pipeline", "4"],
        &["-c", "3", "-R", "5000", "--allow-shortfall"],
        &["-c", "3", "--coalesce", "auto"],
    ] {
        let (address, seen) = keeping();
        let url = format!("http://{address}");
        let arguments = [&[url.as_str(), "-n", "600", "--requests", &path], mode].concat();
        let summary = summary(&arguments);
        let lines = lines(&seen);
        let figures = by_request(&summary);
        assert_eq!(
            figures["GET /a"],
            (lines["GET /a"], 0),
            "{mode:?}: {summary}"
        );
        assert_eq!(figures["second"], (lines["GET /b"], 0), "{mode:?}");
        assert_eq!(figures["POST /gone"], (0, lines["POST /gone"]), "{mode:?}");
        assert_eq!(figures["GET /other"], (0, lines["GET /other"]), "{mode:?}");
        let right: u64 = figures.values().map(|(right, _)| right).sum();
        let wrong: u64 = figures.values().map(|(_, wrong)| wrong).sum();
        assert_eq!(right, number(&summary["requests"]), "{mode:?}");
        assert_eq!((right + wrong, wrong), (600, number(&summary["errors"])));
        // The rates of the right ones add up to that of the whole.
        let rates = summary["by_request"].as_array().expect("a list").iter();
        let rates: f64 = rates.filter_map(|one| one["throughput_rps"].as_f64()).sum();
        let whole = summary["throughput_rps"].as_f64().expect("a rate");
        assert!((rates / whole - 1.0).abs() < 1e-6, "{rates} and {whole}");
        let first = &summary["by_request"][0];
        assert!(first["latency_ms"]["p50"].is_number(), "{first}");
        assert!(first["latency_ms"]["max"].as_f64() <= summary["latency_ms"]["max"].as_f64());
    }
}

#[test]
fn each_request_has_its_own_rate() {
    let lines = "{\"path\": \"/a\", \"rate\": 500}\n{\"path\": \"/b\", \"rate\": 100}\n\
                 {\"path\": \"/c\", \"rate\": 25}\n";
    let (_file, path) = file(lines);
    for mode in [&["-c", "8"][..], &["-c", "4", "-t", "2"]] {
        let (address, seen) = keeping();
        let url = format!("http://{address}");
        let asked = ["-d", "1s", "--requests", &path, "--allow-shortfall"];
        let summary = summary(&[&[url.as_str()], &asked[..], mode].concat());
        assert_eq!(summary["open_loop"]["asked_rps"], 625.0);
        assert_eq!(number(&summary["open_loop"]["due"]), 625, "{mode:?}");
        let lines = lines_of(&seen, &["GET /a", "GET /b", "GET /c"]);
        assert_eq!(lines, [500, 100, 25], "{mode:?}");
        let rates = summary["by_request"].as_array().expect("a list").iter();
        let rates: Vec<f64> = rates.filter_map(|one| one["asked_rps"].as_f64()).collect();
        assert_eq!(rates, [500.0, 100.0, 25.0]);
    }
    let said = |asked: &[&str]| {
        let arguments = ["http://127.0.0.1:1", "--requests", &path];
        refusal(&[&arguments[..], asked].concat())
    };
    assert!(said(&["-R", "10"]).contains("without -R, --steps and --find-max"));
    let (_file, path) = file("{\"path\": \"/a\", \"rate\": 5}\n{\"path\": \"/b\"}\n");
    let said = refusal(&["http://127.0.0.1:1", "--requests", &path]);
    assert!(
        said.contains("a rate for each request, or for none"),
        "{said}"
    );
}

/// How often each of these first lines came.
fn lines_of(seen: &Seen, names: &[&str]) -> Vec<u64> {
    let lines = lines(seen);
    names.iter().map(|name| lines[*name]).collect()
}

#[test]
fn over_http2_too() {
    let address = independent::http2(Habits::default());
    let lines = "{\"path\": \"/a\"}\n{\"path\": \"/b\", \"expect\": {\"body\": \"other\"}}\n";
    let (_file, path) = file(lines);
    let url = format!("http://{address}");
    let arguments = ["--http2", "--streams", "4", "-n", "60", "--requests", &path];
    let summary = summary(&[&[url.as_str()], &arguments[..]].concat());
    let figures = by_request(&summary);
    assert_eq!((figures["GET /a"], figures["GET /b"]), ((30, 0), (0, 30)));
}

#[test]
fn commands_of_redis_are_counted_each() {
    let sink = Server::of("redis", &[]);
    let url = format!("redis://{}", sink.address());
    let commands = ["-r", "SET a 1", "-r", "GET a", "-r", "INCR b"];
    let summary = summary(
        &[
            &[url.as_str(), "-n", "90", "--pipeline", "4"],
            &commands[..],
        ]
        .concat(),
    );
    let figures = by_request(&summary);
    assert_eq!(
        (figures["SET a 1"], figures["GET a"], figures["INCR b"]),
        ((30, 0), (30, 0), (30, 0))
    );
}

#[test]
fn the_table_has_a_line_for_each_and_one_request_has_none() {
    let (address, _) = keeping();
    let url = format!("http://{address}/a");
    let (_file, path) = file(MIXED);
    let output = run(&[&url, "-n", "200", "-c", "2", "--requests", &path]);
    let text = String::from_utf8(output.stdout).expect("text");
    for name in ["  GET /a ", "  second ", "  POST /gone ", "  GET /other "] {
        let found = text.lines().filter(|line| line.starts_with(name));
        assert_eq!(found.count(), 1, "{name}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    assert!(summary(&[&url, "-n", "20", "-c", "2"])["by_request"].is_null());
}

#[test]
fn curl_har_and_raw_requests_say_the_same() {
    let (address, seen) = keeping();
    let curl = format!(
        "# from a browser\ncurl 'http://{address}/a?x=1' \\\n  -H 'X-A: 1' --compressed -s\n\
         curl -X PUT http://{address}/b -H 'Content-Type: text/plain' -H 'X-A: 2' --data-raw 'two\nlines'\n"
    );
    let har = serde_json::json!({"log": {"entries": [
        {"request": {"method": "GET", "url": format!("http://{address}/a?x=1"), "headers": [
            {"name": "X-A", "value": "1"}, {"name": "Accept-Encoding", "value": "deflate, gzip"},
            {"name": "Connection", "value": "keep-alive"}]}, "response": {"status": 200}},
        {"request": {"method": "GET", "url": "http://cdn.test/x.js", "headers": []}, "response": {"status": 200}},
        {"request": {"method": "PUT", "url": format!("http://{address}/b"), "headers": [
            {"name": "Content-Type", "value": "text/plain"}, {"name": "X-A", "value": "2"}],
            "postData": {"mimeType": "text/plain", "text": "two\nlines"}}, "response": {"status": 200}},
    ]}});
    let raw = "GET /a?x=1 HTTP/1.1\nX-A: 1\nAccept-Encoding: deflate, gzip\n\n###\n\
               PUT /b HTTP/1.1\r\nContent-Type: text/plain\r\nX-A: 2\r\nContent-Length: 9\r\n\r\ntwo\nlines";
    let url = format!("http://{address}");
    let mut forms = Vec::new();
    for text in [&curl, &har.to_string(), raw] {
        let (_file, path) = file(text);
        let output = run(&[&url, "-n", "4", "-c", "1", "--json", "--requests", &path]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}: {error}");
        assert_eq!(
            error.contains("1 of 3 requests"),
            text.starts_with('{'),
            "{error}"
        );
        let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            (number(&summary["requests"]), number(&summary["errors"])),
            (4, 0)
        );
        forms.push(std::mem::take(&mut *seen.lock().expect("no panic")));
    }
    assert_eq!(forms[0].len(), 4);
    assert!(
        forms[0][0].starts_with("GET /a?x=1 HTTP/1.1\r\n"),
        "{:?}",
        forms[0]
    );
    assert!(
        forms[0][1].ends_with("\r\n\r\ntwo\nlines"),
        "{:?}",
        forms[0]
    );
    assert_eq!(forms[0], forms[1]);
    assert_eq!(forms[0], forms[2]);
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_place() {
    for (text, place) in [
        ("{\"path\": \"/a\"}\n{\"path\": 1}\n", ":2: "),
        (
            "curl http://127.0.0.1:1/a\n\ncurl -F a=b http://127.0.0.1:1/a\n",
            ":3: -F is not understood",
        ),
        (
            "curl ftp://other.test/a\n",
            ":1: ftp://other.test/a: unknown scheme",
        ),
        ("GET /a HTTP/1.1\nX\n\n", ":2: \"X\" is no header"),
        (
            "{\"log\": {\"entries\": []}}",
            ": no requests in it for 127.0.0.1:1",
        ),
    ] {
        let (_file, path) = file(text);
        let said = refusal(&["http://127.0.0.1:1", "--requests", &path]);
        assert!(said.contains(&format!("{path}{place}")), "{text}: {said}");
    }
}
