//! A run on several hosts: each request goes to its own, and figures and counts add up.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;

use program::{number, refusal, run, summary};
use serde_json::Value;
use serving::Server;
use std::io::Write;
use support::{hello, read_head, send, server};
use tempfile::NamedTempFile;

fn file(text: &str) -> (NamedTempFile, String) {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    let path = file.path().display().to_string();
    (file, path)
}

/// Name, right and wrong replies of each request.
fn by_request(summary: &Value) -> Vec<(String, u64, u64)> {
    let each = summary["by_request"].as_array().expect("a list");
    each.iter()
        .map(|one| {
            let name = one["name"].as_str().expect("a name").to_owned();
            (name, number(&one["requests"]), number(&one["errors"]))
        })
        .collect()
}

#[test]
fn each_request_goes_to_its_host_and_is_counted_there() {
    for mode in [
        &["-c", "2"][..],
        &["-c", "5", "-t", "2"],
        &["-c", "3", "-R", "5000", "--allow-shortfall"],
    ] {
        let (one, two) = (Server::of("http", &[]), Server::of("http", &[]));
        let (a, b) = (one.address(), two.address());
        let lines = format!(
            "{{\"path\": \"/a\", \"expect\": {{\"body\": \"Hello from a!\"}}}}\n\
             {{\"path\": \"http://{b}/a\", \"expect\": {{\"body\": \"Hello from b!\"}}}}\n\
             {{\"path\": \"http://{b}/b\", \"name\": \"second\"}}\n\
             {{\"path\": \"http://{a}/c\"}}\n\
             {{\"path\": \"http://{b}/d\"}}\n"
        );
        let (_file, path) = file(&lines);
        let url = format!("http://{a}");
        let summary = summary(&[&[url.as_str(), "-n", "500", "--requests", &path], mode].concat());
        // In closed and in open loop each host has its share of the 500: threads go in turn alone.
        let figures = by_request(&summary);
        let names: Vec<&str> = figures.iter().map(|(name, ..)| name.as_str()).collect();
        let expected = [
            format!("GET {a}/a"),
            format!("GET {b}/a"),
            "second".into(),
            format!("GET {a}/c"),
            format!("GET {b}/d"),
        ];
        assert_eq!(names, expected, "{mode:?}");
        let of = |place: usize| figures[place].1 + figures[place].2;
        assert_eq!(
            (of(0) + of(3), of(1) + of(2) + of(4)),
            (200, 300),
            "{mode:?}"
        );
        assert_eq!((figures[0].2, figures[1].1), (0, 0), "{mode:?}");
        assert_eq!(number(&summary["errors"]), figures[1].2, "{mode:?}");
        assert_eq!(number(&summary["requests"]), 500 - figures[1].2, "{mode:?}");
        assert_eq!(number(&one.stop()["requests"]), 200, "{mode:?}");
        assert_eq!(number(&two.stop()["requests"]), 300, "{mode:?}");
    }
}

#[test]
fn several_urls_are_asked_for_in_turn() {
    let (one, two) = (Server::of("http", &[]), Server::of("http", &[]));
    let (a, b) = (one.address(), two.address());
    let urls = [
        format!("http://{a}/1"),
        format!("http://{a}/2"),
        format!("http://{b}/3"),
    ];
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let asked = ["-c", "4", "-n", "300", "-H", "X-A: {seq}"];
    let summary = summary(&[&urls[..], &asked].concat());
    let figures = by_request(&summary);
    let expected = [
        (format!("GET {a}/1"), 100, 0),
        (format!("GET {a}/2"), 100, 0),
        (format!("GET {b}/3"), 100, 0),
    ];
    assert_eq!(figures, expected);
    assert_eq!(number(&one.stop()["requests"]), 200);
    assert_eq!(number(&two.stop()["requests"]), 100);
}

#[test]
fn several_urls_are_of_http_and_of_no_file() {
    let asked = ["ws://127.0.0.1:1/", "ws://127.0.0.1:1/a", "--data", "x"];
    assert!(refusal(&asked).contains("several URLs: only for http://"));
    let asked = ["http://127.0.0.1:1/", "ws://127.0.0.1:1/a"];
    assert!(refusal(&asked).contains("ws://127.0.0.1:1/a: no URL of HTTP"));
    let (_file, path) = file("{\"path\": \"/a\"}\n");
    let asked = [
        "http://127.0.0.1:1/",
        "http://127.0.0.1:1/a",
        "--requests",
        &path,
    ];
    assert!(refusal(&asked).contains("--requests names the URLs"));
}

#[test]
fn rates_are_shared_out_by_weight() {
    let (one, two) = (Server::of("http", &[]), Server::of("http", &[]));
    let (a, b) = (one.address(), two.address());
    let by_weight =
        format!("{{\"path\": \"/a\", \"weight\": 3}}\n{{\"path\": \"http://{b}/b\"}}\n");
    let own = format!(
        "{{\"path\": \"/a\", \"rate\": 300}}\n{{\"path\": \"http://{b}/b\", \"rate\": 100}}\n"
    );
    let url = format!("http://{a}");
    let rate = ["-R", "400"];
    for (lines, rate) in [(by_weight, &rate[..]), (own, &[])] {
        let (_file, path) = file(&lines);
        let arguments = [
            url.as_str(),
            "-d",
            "1s",
            "-c",
            "8",
            "--requests",
            &path,
            "--allow-shortfall",
        ];
        let summary = summary(&[&arguments[..], rate].concat());
        assert_eq!(summary["open_loop"]["asked_rps"], 400.0, "{summary}");
        assert_eq!(number(&summary["open_loop"]["due"]), 400, "{summary}");
        let counts: Vec<u64> = by_request(&summary)
            .iter()
            .map(|(_, right, wrong)| right + wrong)
            .collect();
        assert_eq!(counts, [300, 100], "{summary}");
    }
    assert_eq!(number(&one.stop()["requests"]), 600);
    assert_eq!(number(&two.stop()["requests"]), 200);
}

#[test]
fn lines_of_curl_and_raw_requests_name_their_hosts() {
    let keeping = || {
        server(|mut stream, _| {
            let address = stream.local_addr().expect("an address").to_string();
            while let Some(head) = read_head(&mut stream) {
                assert!(head.contains(&format!("\r\nHost: {address}\r\n")), "{head}");
                send(&mut stream, &hello(&format!("/{address}")));
            }
        })
    };
    let (a, b) = (keeping(), keeping());
    let curl = format!("curl http://{a}/x --compressed\ncurl 'http://{b}/y' -d z=1\n");
    let raw = format!("GET /x HTTP/1.1\n\nGET http://{b}/y HTTP/1.1\n\n");
    let url = format!("http://{a}");
    for text in [curl, raw] {
        let (_file, path) = file(&text);
        let arguments = [
            &url,
            "-n",
            "20",
            "-c",
            "4",
            "--requests",
            &path,
            "--expect-match",
            "^Hello from 127",
        ];
        let figures = by_request(&summary(&arguments));
        assert_eq!(
            figures.iter().map(|figure| figure.1).collect::<Vec<_>>(),
            [10, 10],
            "{text}"
        );
    }
}

#[test]
fn failures_of_assertions_are_those_of_their_own() {
    let (one, two) = (Server::of("http", &[]), Server::of("http", &[]));
    let (a, b) = (one.address(), two.address());
    let lines = format!(
        "{{\"path\": \"/a\", \"expect\": {{\"contains\": [\"from a\", \"missing\"]}}}}\n\
         {{\"path\": \"http://{b}/b\", \"expect\": {{\"contains\": [\"from b\", \"from c\", \"missing\"]}}}}\n"
    );
    let (_file, path) = file(&lines);
    let url = format!("http://{a}");
    let summary = summary(&[
        &url,
        "-n",
        "40",
        "-c",
        "2",
        "--requests",
        &path,
        "--expect-contains",
        "Hello",
    ]);
    let failed: Vec<(&str, u64)> = summary["assertions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            (
                one["assertion"].as_str().expect("a name"),
                number(&one["failed"]),
            )
        })
        .collect();
    let expected = [
        ("contains \"from a\"", 0),
        ("contains \"missing\"", 40),
        ("contains \"Hello\"", 0),
        ("contains \"from b\"", 0),
        ("contains \"from c\"", 20),
    ];
    assert_eq!(failed, expected);
}

#[test]
fn every_second_is_that_of_all_hosts() {
    let (one, two) = (Server::of("http", &[]), Server::of("http", &[]));
    let (a, b) = (one.address(), two.address());
    let (_file, path) = file(&format!(
        "{{\"path\": \"/a\"}}\n{{\"path\": \"http://{b}/b\"}}\n"
    ));
    let series = NamedTempFile::new().expect("a file");
    let csv = series.path().display().to_string();
    let url = format!("http://{a}");
    let text = run(&[
        &url,
        "-n",
        "300",
        "-c",
        "2",
        "--requests",
        &path,
        "--csv",
        &csv,
    ]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains(" (2 hosts, threads for each): 300 requests"),
        "{text}"
    );
    let series = std::fs::read_to_string(&csv).expect("a series");
    let mut lines = series.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let place = names
        .iter()
        .position(|name| *name == "replies" || *name == "requests");
    let place = place.unwrap_or_else(|| panic!("{names:?}"));
    let count = |line: &str| -> u64 { line.split(',').nth(place).unwrap().parse().unwrap() };
    assert_eq!(lines.map(count).sum::<u64>(), 300, "{series}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let server = Server::of("http", &[]);
    let url = format!("http://{}", server.address());
    let (_file, path) = file("{\"path\": \"/a\"}\n{\"path\": \"http://127.0.0.1:1/b\"}\n");
    let why = refusal(&[&url, "-c", "1", "--requests", &path]);
    assert!(
        why.contains("2 hosts and 1 threads for each need 2 connections"),
        "{why}"
    );
    let why = refusal(&[&url, "-c", "2", "--requests", &path]);
    assert!(why.contains("127.0.0.1:1 refused the connection"), "{why}");
    let (_file, path) = file("{\"path\": \"redis://127.0.0.1:1/b\"}\n");
    let why = refusal(&[&url, "--requests", &path]);
    assert!(
        why.contains(":1: redis://127.0.0.1:1/b: no URL of HTTP"),
        "{why}"
    );
    let (_file, path) = file("{\"path\": \"http://192.0.2.1/b\"}\n");
    let why = refusal(&[&url, "--requests", &path]);
    assert!(why.contains("needs --remote"), "{why}");
}
