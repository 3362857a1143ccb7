//! What a body must be like: held against servers that count what they said themselves.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;

use flate2::{write::GzEncoder, Compression};
use independent::Habits;
use program::{number, refusal, run, summary};
use serde_json::Value;
use serving::Server;
use std::collections::BTreeMap;
use std::io::Write;
use support::{hello, read_request, send, server, Counter};
use tempfile::NamedTempFile;

const RIGHT: &str = r#"{"ok": true, "users": [{"name": "ann"}]}"#;
const WRONG: &str = r#"{"ok": false, "users": []}"#;

/// How a body is sent.
#[derive(Clone, Copy, Debug)]
enum Form {
    Whole,
    /// One chunk a byte.
    Chunked,
    Gzip,
    UntilClose,
}

fn reply(body: &str, form: Form) -> Vec<u8> {
    let body = body.as_bytes();
    let framed = |headers: &str, body: &[u8]| {
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    };
    match form {
        Form::Whole => framed("", body),
        Form::Chunked => {
            let chunks = body
                .iter()
                .map(|&byte| format!("1\r\n{}\r\n", byte as char));
            let chunks: String = chunks.collect();
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n").into()
        }
        Form::Gzip => {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(body).expect("packed");
            framed(
                "Content-Encoding: gzip\r\n",
                &packer.finish().expect("packed"),
            )
        }
        Form::UntilClose => [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), body].concat(),
    }
}

/// Every fourth reply is wrong; how many were.
fn every_fourth(form: Form) -> (String, Counter) {
    let (all, wrong) = (Counter::default(), Counter::default());
    let counted = wrong.clone();
    let address = server(move |mut stream, _| {
        while read_request(&mut stream).is_some() {
            let body = if all.next() % 4 == 0 {
                wrong.next();
                WRONG
            } else {
                RIGHT
            };
            send(&mut stream, &reply(body, form));
            if matches!(form, Form::UntilClose) {
                return;
            }
        }
    });
    (format!("http://{address}/a"), counted)
}

/// How often each assertion failed.
fn failed(summary: &Value) -> BTreeMap<String, u64> {
    let all = summary["assertions"].as_array().expect("a list").iter();
    all.map(|one| {
        let name = one["assertion"].as_str().expect("a text").to_owned();
        (name, number(&one["failed"]))
    })
    .collect()
}

const ASKED: [&str; 10] = [
    "--expect-contains",
    "\"ok\"",
    "--expect-contains",
    "ann",
    "--expect-match",
    "^\\{.*\\}$",
    "--expect-json",
    "$.ok=true",
    "--expect-json",
    "$.users[?@.name=='ann']",
];

#[test]
fn failures_are_the_servers_own_count_by_the_assertion_that_failed() {
    for (form, mode) in [
        (Form::Whole, &["-c", "3"][..]),
        (Form::Whole, &["-c", "4", "-t", "2"]),
        (Form::Whole, &["-c", "2", "--pipeline", "4"]),
        (Form::Whole, &["-c", "3", "-R", "5000", "--allow-shortfall"]),
        (Form::Chunked, &["-c", "3"]),
        (Form::Gzip, &["-c", "3"]),
        (Form::UntilClose, &["-c", "3"]),
    ] {
        let (url, wrong) = every_fourth(form);
        let summary = summary(&[&[url.as_str(), "-n", "200"], mode, &ASKED].concat());
        let wrong = wrong.get();
        assert!(wrong >= 50, "{form:?} {mode:?}: {summary}");
        let right = number(&summary["requests"]);
        assert_eq!(right + wrong, 200, "{form:?} {mode:?}: {summary}");
        assert_eq!(number(&summary["errors_by_kind"]["body"]), wrong);
        let figures = failed(&summary);
        let expected = [
            ("contains \"\\\"ok\\\"\"", 0),
            ("contains \"ann\"", wrong),
            ("matches ^\\{.*\\}$", 0),
            ("json $.ok=true", wrong),
            ("json $.users[?@.name=='ann']", wrong),
        ];
        for (name, failures) in expected {
            assert_eq!(figures[name], failures, "{form:?} {mode:?}: {name}");
        }
        let first = summary["first_error"].as_str().expect("a text");
        assert!(first.starts_with("a body without \"ann\": {"), "{first}");
    }
}

#[test]
fn values_of_a_request_stand_in_what_is_asserted() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let url = format!("http://{address}/{{token}}/{{seq}}/{{rand:1:9}}");
    for (text, failures) in [("{token}/{seq}/{rand:1:9}!", 0), ("/0/", 49)] {
        let summary = summary(&[&url, "-n", "50", "-c", "1", "--expect-contains", text]);
        assert_eq!(number(&summary["errors"]), failures, "{summary}");
    }
}

#[test]
fn each_request_of_a_mix_has_its_own_beside_those_of_all() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(
        br#"{"path": "/a", "expect": {"contains": "from a", "match": ["^Hello", "b!$"]}}
{"path": "/b", "expect": {"contains": ["from a", "from b"]}}
{"path": "/c"}
"#,
    )
    .expect("written");
    let path = file.path().display().to_string();
    let url = format!("http://{address}");
    let arguments = [&url, "-n", "300", "-c", "2", "--requests", &path];
    let all = ["--expect-contains", "Hello from"];
    let summary = summary(&[&arguments[..], &all].concat());
    let figures = failed(&summary);
    assert_eq!(figures["contains \"from a\""], 100, "{summary}");
    assert_eq!(figures["contains \"from b\""], 0);
    assert_eq!(figures["matches ^Hello"], 0);
    assert_eq!(figures["matches b!$"], 100);
    assert_eq!(figures["contains \"Hello from\""], 0);
    let errors: Vec<u64> = (0..3)
        .map(|n| number(&summary["by_request"][n]["errors"]))
        .collect();
    assert_eq!(errors, [100, 100, 0]);
    let output = run(&[&arguments[..], &all].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        text.contains("\nassertion: contains \"from a\": 100 failed\n"),
        "{text}"
    );
}

#[test]
fn over_http2_too() {
    let address = independent::http2(Habits::default());
    let url = format!("http://{address}/{{seq}}");
    let mode = ["--http2", "--streams", "4", "-n", "60"];
    let asked = [
        "--expect-contains",
        "from {seq}!",
        "--expect-match",
        "[13579]!",
    ];
    let summary = summary(&[&[url.as_str()], &mode[..], &asked].concat());
    let figures = failed(&summary);
    assert_eq!(figures["contains \"from {seq}!\""], 0, "{summary}");
    assert_eq!(figures["matches [13579]!"], 30);
}

#[test]
fn what_cannot_be_asserted_is_refused() {
    let url = "http://127.0.0.1:1/";
    for (asked, why) in [
        (
            ["--expect-match", "a(b"],
            "is no regular expression: unclosed group",
        ),
        (["--expect-json", "a.b=1"], "\"a.b\" is no JSON path: "),
        (
            ["--expect-contains", "{rand:9:1}"],
            "a number from 1 to 1000",
        ),
    ] {
        let said = refusal(&[&[url], &asked[..]].concat());
        assert!(said.contains(why), "{said}");
    }
    let sink = Server::of("redis", &[]);
    let url = format!("redis://{}", sink.address());
    let said = refusal(&[&url, "-r", "PING", "--expect-json", "$.a"]);
    assert!(said.contains("--expect-json: only for HTTP"), "{said}");
}
