//! Values that differ from request to request: random numbers, identifiers, rows of a file.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
mod support;

use independent::Habits;
use program::{number, refusal, summary};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use support::{hello, read_head, send, server};
use tempfile::TempDir;

type Heads = Arc<Mutex<Vec<String>>>;

/// A server of [`support::hello`] that keeps the head of every request.
fn keeping() -> (String, Heads) {
    let heads = Heads::default();
    let sink = Arc::clone(&heads);
    let address = server(move |mut stream, _| {
        while let Some(head) = read_head(&mut stream) {
            let path = head.split(' ').nth(1).expect("a path").to_owned();
            sink.lock().expect("no panic").push(head);
            send(&mut stream, &hello(&path));
        }
    });
    (format!("http://{address}"), heads)
}

/// The paths that came, each with how often.
fn paths(heads: &Heads) -> BTreeMap<String, u64> {
    let mut paths = BTreeMap::new();
    for head in std::mem::take(&mut *heads.lock().expect("no panic")) {
        let path = head.split(' ').nth(1).expect("a path").to_owned();
        *paths.entry(path).or_default() += 1;
    }
    paths
}

fn file(directory: &TempDir, name: &str, text: &str) -> String {
    let path = directory.path().join(name);
    let mut file = std::fs::File::create(&path).expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    path.display().to_string()
}

#[test]
fn a_reply_is_held_against_the_same_value() {
    let (url, heads) = keeping();
    for place in ["{uuid}", "{rand:1:1000000}", "{seq}"] {
        let (to, body) = (format!("{url}/{place}"), format!("Hello from {place}!"));
        let header = format!("X-Same: {place}");
        let arguments = [
            to.as_str(),
            "-n",
            "300",
            "-c",
            "3",
            "-H",
            &header,
            "--expect-body",
            &body,
        ];
        let summary = summary(&arguments);
        let counts = (number(&summary["requests"]), number(&summary["errors"]));
        assert_eq!(counts, (300, 0), "{place}: {summary}");
        for head in heads.lock().expect("no panic").iter() {
            let path = head.split(' ').nth(1).expect("a path");
            assert!(
                head.contains(&format!("X-Same: {}\r\n", &path[1..])),
                "{head}"
            );
        }
        let found = paths(&heads);
        assert_eq!(found.values().sum::<u64>(), 300);
        assert!(found.len() > 290, "{place}: {} different", found.len());
    }
}

#[test]
fn no_two_threads_make_the_same_and_a_seed_makes_them_again() {
    let (url, heads) = keeping();
    let to = format!("{url}/{{uuid}}");
    let mut found = Vec::new();
    for seed in ["7", "7", "70"] {
        summary(&[&to, "-n", "200", "-c", "4", "-t", "2", "--seed", seed]);
        found.push(paths(&heads));
        assert_eq!(found.last().map(BTreeMap::len), Some(200));
    }
    assert_eq!(found[0], found[1]);
    assert!(found[0].keys().all(|path| !found[2].contains_key(path)));
}

#[test]
fn rows_go_in_turn_or_at_random() {
    let (url, heads) = keeping();
    let directory = tempfile::tempdir().expect("a directory");
    let table = file(
        &directory,
        "users.csv",
        "user,city\nann,Ulm\nbob,Rom\neve,Bern\n",
    );
    let to = format!("{url}/{{city}}/{{user}}");
    let expect = ["--expect-body", "Hello from {city}/{user}!"];
    let all = |more: &[&str]| {
        let options = ["-n", "300", "-c", "2", "--values", &table];
        summary(&[&[to.as_str()], &options[..], &expect, more].concat())
    };
    assert_eq!(number(&all(&[])["errors"]), 0);
    let each = |n| ["/Bern/eve", "/Rom/bob", "/Ulm/ann"].map(|path| (path.to_owned(), n));
    assert_eq!(paths(&heads), BTreeMap::from(each(100)));
    assert_eq!(
        number(&all(&["--rows", "random", "--seed", "3"])["errors"]),
        0
    );
    let found = paths(&heads);
    // Standard deviation 8.2.
    assert!(
        found.values().all(|count| (50..150).contains(count)),
        "{found:?}"
    );
    let names: Vec<&String> = found.keys().collect();
    assert_eq!(names, ["/Bern/eve", "/Rom/bob", "/Ulm/ann"]);
    let words = file(&directory, "words.txt", "x\ny\n");
    let to = format!("{url}/{{line}}");
    summary(&[&to, "-n", "10", "-c", "1", "--values", &words]);
    assert_eq!(
        paths(&heads),
        BTreeMap::from(["/x", "/y"].map(|path| (path.to_owned(), 5)))
    );
}

#[test]
fn unique_rows_are_used_once_over_all_threads_and_end_the_run() {
    let (url, heads) = keeping();
    let directory = tempfile::tempdir().expect("a directory");
    let text: String = (0..101).map(|row| format!("row{row}\n")).collect();
    let lines = file(&directory, "lines.txt", &text);
    let to = format!("{url}/{{line}}");
    let all = |more: &[&str]| {
        let body = "Hello from {line}!";
        let options = [
            "--values",
            &lines,
            "--rows",
            "unique",
            "--expect-body",
            body,
        ];
        let summary = summary(&[&[to.as_str(), "-d", "60s"], &options[..], more].concat());
        (number(&summary["requests"]), number(&summary["errors"]))
    };
    for more in [
        &["-c", "7", "-t", "3"][..],
        &["-c", "2", "--pipeline", "4"],
        &["-c", "4", "-t", "2", "-R", "2000", "--allow-shortfall"],
    ] {
        assert_eq!(all(more), (101, 0), "{more:?}");
        let found = paths(&heads);
        let wanted = (0..101).map(|row| (format!("/row{row}"), 1));
        assert_eq!(found, wanted.collect(), "{more:?}");
    }
}

#[test]
fn fewer_requests_than_unique_rows_have_the_first_ones() {
    let (url, heads) = keeping();
    let directory = tempfile::tempdir().expect("a directory");
    let lines = file(&directory, "lines.txt", "a\nb\nc\nd\ne\n");
    let to = format!("{url}/{{line}}");
    let options = ["--values", &lines, "--rows", "unique"];
    summary(
        &[
            &[to.as_str(), "-n", "3", "-c", "2", "-t", "2"],
            &options[..],
        ]
        .concat(),
    );
    let wanted = ["/a", "/b", "/c"].map(|path| (path.to_owned(), 1));
    assert_eq!(paths(&heads), BTreeMap::from(wanted));
    for (more, why) in [
        (&["-n", "6"][..], "--rows unique: 5 rows, but -n 6"),
        (&["--warmup", "1s"], "--rows unique: one run, without"),
        (&["--steps", "10,20"], "--rows unique: one run, without"),
        (
            &["--find-max", "p99<10ms"],
            "--rows unique: one run, without",
        ),
        (&["http://127.0.0.1:1/{line}"], "--rows unique: one host"),
    ] {
        let said = refusal(&[&[to.as_str()], &options[..], more].concat());
        assert!(said.contains(why), "{more:?}: {said}");
    }
}

#[test]
fn over_http2_and_in_a_mix() {
    let address = independent::http2(Habits::default());
    let directory = tempfile::tempdir().expect("a directory");
    let words = file(&directory, "words.txt", "one\ntwo\n");
    let mix = file(
        &directory,
        "mix.jsonl",
        "{\"path\": \"/{line}\", \"expect\": {\"body\": \"Hello from {line}!\"}}\n\
         {\"method\": \"POST\", \"path\": \"/echo\", \"body\": \"{uuid} {line}\", \"expect\": {\"body\": \"{uuid} {line}\"}}\n",
    );
    let url = format!("http://{address}");
    let options = [
        "--http2",
        "--streams",
        "3",
        "--values",
        &words,
        "--requests",
        &mix,
    ];
    for (more, requests) in [
        (&["-n", "90"][..], 90),
        (&["-d", "60s", "--rows", "unique", "-t", "2"], 2),
    ] {
        let summary = summary(&[&[url.as_str()], &options[..], more].concat());
        assert_eq!(
            (number(&summary["requests"]), number(&summary["errors"])),
            (requests, 0),
            "{summary}"
        );
    }
}

#[test]
fn what_would_break_a_request_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let table = file(&directory, "t.csv", "a,b\nx y,\"1\n2\"\n");
    let short = file(&directory, "short.csv", "a,b\n1\n");
    let url = "http://127.0.0.1:1";
    for (path, options, why) in [
        (
            "{rand:9:1}",
            vec![],
            "{rand:1:1000} is a number from 1 to 1000",
        ),
        ("{a}", vec!["--values", &table], "{a} is \"x y\""),
        (
            "",
            vec!["--values", &table, "-H", "X: {b}"],
            "{b} is \"1\\n2\"",
        ),
        ("", vec!["--values", &short], ":2: 1 values, but 2 names"),
        ("", vec!["--rows", "random"], "--values"),
    ] {
        let to = format!("{url}/{path}");
        let said = refusal(&[&[to.as_str()], &options[..]].concat());
        assert!(said.contains(why), "{path} {options:?}: {said}");
    }
}
