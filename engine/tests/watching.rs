//! What is seen of a run while it goes on, logs put together afterwards, and the manual page.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use program::{number, refusal, run};
use serde_json::Value;
use serving::Server;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn a_line_a_second_has_every_reply() {
    let server = Server::start(&[]);
    let url = format!("http://{}/x", server.address());
    for length in [["-d", "2s"], ["-n", "500"]] {
        let options = ["-c", "2", "--json", "--progress", "lines"];
        let output = run(&[&[url.as_str()], &length[..], &options].concat());
        let shown = String::from_utf8(output.stderr).expect("text");
        let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let mut replies = 0;
        for (n, line) in (1_u64..).zip(shown.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(
                (words[0], words[1]),
                (n.to_string().as_str(), "s"),
                "{shown}"
            );
            let rate = words[2].trim_end_matches("/s").replace(',', "");
            replies += rate.parse::<u64>().expect("a number");
            assert!(line.ends_with(" errors 0"), "{line}");
        }
        assert_eq!(replies, number(&summary["requests"]), "{shown}");
    }
}

#[test]
fn the_view_is_drawn_and_taken_away() {
    let server = Server::start(&[]);
    let url = format!("http://{}/x", server.address());
    let output = run(&[&url, "-c", "2", "-n", "500", "--progress", "view"]);
    let shown = String::from_utf8(output.stderr).expect("text");
    assert!(
        shown.contains("last second") && shown.contains("so far"),
        "{shown}"
    );
    assert!(shown.ends_with("\x1b[5A\r\x1b[J"), "{shown:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("requests/s: "));
    for quiet in [&["-q"][..], &["--progress", "none"], &[]] {
        let output = run(&[&[url.as_str(), "-c", "2", "-n", "10"], quiet].concat());
        assert!(output.stderr.is_empty(), "{quiet:?}");
    }
}

#[test]
fn logs_are_put_together() {
    let server = Server::start(&[]);
    let url = format!("http://{}/x", server.address());
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (a, b) = (path("a.hlog"), path("b.hlog"));
    assert!(run(&[&url, "-c", "2", "-n", "300", "--hdr", &a])
        .status
        .success());
    assert!(run(&[&url, "-c", "2", "-n", "500", "--hdr", &b])
        .status
        .success());
    let output = run(&["merge", &a, &b, "--json"]);
    let merged: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (number(&merged["logs"]), number(&merged["requests"])),
        (2, 800)
    );
    let p90 = |value: &Value| value["latency_ms"]["p90"].as_f64().expect("a time");
    let one = |log: &str| -> Value {
        serde_json::from_slice(&run(&["merge", log, "--json"]).stdout).expect("JSON")
    };
    let (a_only, b_only) = (one(&a), one(&b));
    let (low, high) = (
        p90(&a_only).min(p90(&b_only)),
        p90(&a_only).max(p90(&b_only)),
    );
    assert!((low..=high).contains(&p90(&merged)), "{merged}");
    let rate = |value: &Value| value["throughput_rps"].as_f64().expect("a rate");
    assert!((rate(&merged) / (rate(&a_only) + rate(&b_only)) - 1.0).abs() < 1e-9);
    let text = run(&["merge", &a, &b]).stdout;
    assert!(String::from_utf8_lossy(&text).contains("800 requests in 2 logs"));
    let other = path("other");
    std::fs::write(&other, "hello\n").expect("written");
    assert!(refusal(&["merge", &a, &other]).contains("no HdrHistogram interval log"));
}

#[test]
fn the_manual_page_has_every_option_and_man_reads_it() {
    let page = run(&["man"]);
    assert!(page.status.success());
    let text = String::from_utf8(page.stdout).expect("text");
    let plain = text.replace("\\-", "-");
    let help = String::from_utf8(run(&["--help"]).stdout).expect("text");
    let options = help
        .split_whitespace()
        .filter(|word| word.starts_with("--"));
    let mut count = 0;
    for option in options.map(|word| word.trim_end_matches([',', '.', ')', ';', ':'])) {
        assert!(plain.contains(option), "{option}");
        count += 1;
    }
    assert!(count > 50, "{count} options");
    for section in [
        "NAME",
        "SYNOPSIS",
        "OPEN LOOP",
        "COMMANDS",
        "EXAMPLES",
        "SIGNALS",
        "EXIT STATUS",
    ] {
        let plainly = plain.contains(&format!("\n.SH {section}\n"));
        assert!(
            plainly || plain.contains(&format!("\n.SH \"{section}\"\n")),
            "{section}"
        );
    }
    let groff = Command::new("groff")
        .args(["-man", "-Tutf8", "-ww", "-P-cbou"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut groff) = groff else {
        eprintln!("groff not found: what man makes of it is not tried");
        return;
    };
    let mut input = groff.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let read = groff.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("groff reads it");
    assert_eq!(String::from_utf8_lossy(&read.stderr), "");
    let shown = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(
        shown.contains("deadheat-load serve http") && shown.contains("--fail-if"),
        "{shown}"
    );
}
