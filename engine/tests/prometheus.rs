//! What Prometheus is told of a run while it goes on, in both of its formats.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use deadheat_load::histogram::Latencies;
use deadheat_load::load::run_control::Interval;
use deadheat_load::output::prometheus::{Exposition, Format};
use program::{number, run};
use proptest::prelude::*;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::Value;
use serving::Server;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const LATENCY: &str = "deadheat_load_latency_seconds";
/// What Prometheus accepts where it scrapes native histograms.
const ACCEPT: &str = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

/// The messages of Prometheus' own contract that are read here, by its numbers.
const CONTRACT: &str = r#"
syntax = "proto2";
package io.prometheus.client;
enum MetricType { COUNTER = 0; GAUGE = 1; SUMMARY = 2; UNTYPED = 3; HISTOGRAM = 4; }
message Counter { optional double value = 1; }
message Bucket { optional uint64 cumulative_count = 1; optional double upper_bound = 2; }
message BucketSpan { optional sint32 offset = 1; optional uint32 length = 2; }
message Histogram {
  optional uint64 sample_count = 1;
  optional double sample_sum = 2;
  repeated Bucket bucket = 3;
  optional sint32 schema = 5;
  optional double zero_threshold = 6;
  optional uint64 zero_count = 7;
  repeated BucketSpan positive_span = 12;
  repeated sint64 positive_delta = 13;
}
message Metric { optional Counter counter = 3; optional Histogram histogram = 7; }
message MetricFamily {
  optional string name = 1;
  optional string help = 2;
  optional MetricType type = 3;
  repeated Metric metric = 4;
}
"#;

fn metric_family() -> MessageDescriptor {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::write(folder.path().join("metrics.proto"), CONTRACT).expect("written");
        let set = protox::compile(["metrics.proto"], [folder.path()]).expect("a contract");
        DescriptorPool::from_file_descriptor_set(set).expect("a contract")
    });
    let name = "io.prometheus.client.MetricFamily";
    pool.get_message_by_name(name).expect("it is in it")
}

/// Each family as JSON, in which counts of 64 bits are texts.
fn decoded(mut bytes: &[u8]) -> Vec<Value> {
    let mut families = Vec::new();
    while !bytes.is_empty() {
        let length = prost::decode_length_delimiter(&mut bytes).expect("a length");
        let (message, rest) = bytes.split_at(length);
        bytes = rest;
        let family = DynamicMessage::decode(metric_family(), message);
        let family = serde_json::to_value(family.expect("a message"));
        families.push(family.expect("JSON"));
    }
    families
}

fn count(value: &Value) -> u64 {
    value.as_str().expect("a count").parse().expect("a number")
}

/// A metric's value in the text.
fn told(text: &str, name: &str) -> f64 {
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let value = value.unwrap_or_else(|| panic!("{name}: {text}"));
    value.parse().expect("a number")
}

fn exposition(latencies_ns: &[u64]) -> Exposition {
    let mut latencies = Latencies::default();
    latencies_ns.iter().for_each(|&ns| latencies.record(ns));
    let mut exposition = Exposition::default();
    exposition.add(&Interval {
        index: 0,
        replies: latencies.count(),
        errors: 3,
        bytes_in: 1 << 40,
        latencies,
    });
    exposition
}

/// The buckets of a native histogram: where each ends, in seconds, and what it holds.
fn native(histogram: &Value) -> Vec<(f64, u64)> {
    let schema = histogram["schema"].as_i64().expect("a schema");
    let end_s = |number: i64| (number as f64 / f64::from(1 << schema)).exp2();
    let empty = Vec::new();
    let list = |key: &str| histogram[key].as_array().unwrap_or(&empty).clone();
    let deltas = list("positiveDelta");
    let mut deltas = deltas.iter();
    let (mut buckets, mut number, mut held) = (Vec::new(), 0, 0);
    for span in list("positiveSpan") {
        number += span["offset"].as_i64().expect("an offset");
        for _ in 0..span["length"].as_u64().expect("a length") {
            let delta = deltas.next().and_then(Value::as_str).expect("a delta");
            held += delta.parse::<i64>().expect("a number");
            buckets.push((end_s(number), held as u64));
            number += 1;
        }
    }
    assert_eq!(deltas.next(), None);
    buckets
}

proptest! {
    #[test]
    fn both_formats_tell_the_same(
        latencies_ns in prop::collection::vec((0..22_u32, 0..1_000_000_u64), 0..100)
    ) {
        // From nanoseconds to minutes, each length as likely.
        let latencies_ns: Vec<u64> = latencies_ns
            .iter()
            .map(|(doublings, ns)| ns * (1 << doublings) / 16)
            .collect();
        let exposition = exposition(&latencies_ns);
        let text = String::from_utf8(exposition.body(Format::Text)).expect("text");
        let families = decoded(&exposition.body(Format::Protobuf));
        prop_assert_eq!(families.len(), 4);
        for family in &families[..3] {
            prop_assert_eq!(&family["type"], "COUNTER");
            let name = family["name"].as_str().expect("a name");
            let help = family["help"].as_str().expect("a text");
            let help_in_text = format!("# HELP {name} {help}\n");
            prop_assert!(text.contains(&help_in_text));
            let value = family["metric"][0]["counter"]["value"].as_f64();
            prop_assert_eq!(value, Some(told(&text, name)));
        }
        let family = &families[3];
        prop_assert_eq!((&family["name"], &family["type"]), (&LATENCY.into(), &"HISTOGRAM".into()));
        let histogram = &family["metric"][0]["histogram"];
        let n = latencies_ns.len() as u64;
        prop_assert_eq!(count(&histogram["sampleCount"]), n);
        prop_assert_eq!(told(&text, &format!("{LATENCY}_count")) as u64, n);
        let sum_s = histogram["sampleSum"].as_f64().expect("a sum");
        prop_assert_eq!(sum_s, told(&text, &format!("{LATENCY}_sum")));

        let native = native(histogram);
        prop_assert_eq!(native.iter().map(|(_, held)| held).sum::<u64>(), n);
        prop_assert!(native.iter().all(|(_, held)| *held > 0));
        for bucket in histogram["bucket"].as_array().expect("buckets") {
            let end_s = bucket["upperBound"].as_f64().expect("an end");
            let below = count(&bucket["cumulativeCount"]);
            let name = format!("{LATENCY}_bucket{{le=\"{end_s}\"}}");
            prop_assert_eq!(told(&text, &name) as u64, below);
            // Native buckets do not end there; a bin of 512 ns may lie across the end of one.
            let held = |most_s: f64| -> u64 {
                let within = native.iter().filter(|(end, _)| *end <= most_s);
                within.map(|(_, held)| held).sum()
            };
            let (width, bin_s) = (2_f64.powf(1.0 / 16.0), 512e-9);
            prop_assert!(held(end_s) <= below, "{end_s}: {native:?}");
            prop_assert!(held((end_s + bin_s) * width * 1.001) >= below, "{end_s}: {native:?}");
        }
    }
}

#[test]
fn a_latency_lies_in_the_bucket_that_ends_behind_it() {
    let latencies_ns = [40_000, 700_000, 700_100, 31_000_000, 90_000_000_000];
    let families = decoded(&exposition(&latencies_ns).body(Format::Protobuf));
    let histogram = &families[3]["metric"][0]["histogram"];
    // Even without a latency it would be known as a native one.
    assert!(
        histogram["zeroThreshold"].as_f64() > Some(0.0),
        "{histogram}"
    );
    let buckets = native(histogram);
    let held: Vec<u64> = buckets.iter().map(|(_, held)| *held).collect();
    assert_eq!(held, [1, 2, 1, 1]);
    let apart_ns = [40_000_u64, 700_000, 31_000_000, 90_000_000_000];
    for ((end_s, _), ns) in buckets.iter().zip(apart_ns) {
        let share = end_s / (ns as f64 / 1e9);
        // Buckets are 4.4% wide, bins a thousandth or half a microsecond.
        assert!((1.0..=1.06).contains(&share), "{end_s} s for {ns} ns");
    }
}

/// What `place` answers to a request for `path`: head and body.
fn get(place: &str, path: &str, header: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(place).expect("a connection");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {place}\r\n{header}\r\n"
    )
    .expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let end = bytes
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .expect("a head");
    let body = bytes.split_off(end + 4);
    (String::from_utf8(bytes).expect("text"), body)
}

#[test]
fn prometheus_is_answered_while_the_run_goes_on() {
    let server = Server::start(&[]);
    let url = format!("http://{}/x", server.address());
    let mut load = Command::new(program::PROGRAM)
        .args([
            &url,
            "-d",
            "10m",
            "-c",
            "2",
            "--metrics",
            "127.0.0.1:0",
            "-q",
            "--json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("our own program");
    let mut line = String::new();
    let stderr = load.stderr.take().expect("piped");
    BufReader::new(stderr).read_line(&mut line).expect("a line");
    let place = line.trim().strip_prefix("metrics: http://");
    let place = place.and_then(|place| place.strip_suffix("/metrics"));
    let place = place.expect("a place").to_owned();
    let counted = loop {
        let (head, text) = get(&place, "/metrics", "");
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert!(
            head.contains("\r\nContent-Type: text/plain; version=0.0.4; "),
            "{head}"
        );
        let text = String::from_utf8(text).expect("text");
        let counted = told(&text, "deadheat_load_requests_total") as u64;
        let latencies = told(&text, "deadheat_load_latency_seconds_count") as u64;
        assert_eq!(latencies, counted, "{text}");
        assert_eq!(told(&text, "deadheat_load_errors_total") as u64, 0);
        if counted > 0 {
            break counted;
        }
        std::thread::yield_now();
    };
    let (head, body) = get(&place, "/metrics", &format!("accept: {ACCEPT}\r\n"));
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let media_type = "\r\nContent-Type: application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited\r\n";
    assert!(head.contains(media_type), "{head}");
    let families = decoded(&body);
    let metric = |n: usize| families[n]["metric"][0].clone();
    let replies = metric(0)["counter"]["value"].as_f64().expect("a count") as u64;
    assert!(replies >= counted);
    let latencies = &metric(3)["histogram"];
    assert_eq!(count(&latencies["sampleCount"]), replies);
    assert_eq!(
        native(latencies).iter().map(|(_, held)| held).sum::<u64>(),
        replies
    );

    assert!(get(&place, "/", "").0.starts_with("HTTP/1.1 404 "));
    let ended = Command::new("kill")
        .args(["-INT", &load.id().to_string()])
        .status();
    assert!(ended.expect("kill").success());
    let output = load.wait_with_output().expect("its end");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(number(&summary["requests"]) >= replies);
}

#[test]
fn an_address_for_metrics_that_cannot_be_had_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = taken.local_addr().expect("its address").to_string();
    let server = Server::start(&[]);
    let url = format!("http://{}/x", server.address());
    let output = run(&[&url, "-n", "1", "--json", "--metrics", &place]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("--metrics {place}: ")), "{said}");
}
