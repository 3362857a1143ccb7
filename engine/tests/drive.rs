//! The referee's protocol, line by line.

mod support;

use base64::Engine as _;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::Histogram;
use serde_json::{json, Value};
use std::sync::{Arc, Mutex};
use support::{hello, read_request, send, server, Counter};

fn drive(commands: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = commands.iter().map(Value::to_string).collect();
    let input = lines.join("\n") + "\n";
    let mut output = Vec::new();
    deadheat_load::drive::run(input.as_bytes(), &mut output).expect("in memory");
    let text = String::from_utf8(output).expect("JSON is text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object a line"))
        .collect()
}

fn open(target: &str, url: &str) -> Value {
    json!({"cmd": "open", "target": target, "url": url, "connections": 4, "timeout_ms": 5000,
        "request": {"method": "GET", "path": "/{token}", "headers": [["X-A", "b"]], "body": null},
        "expect": {"status": 200, "body": "Hello from {token}!"}})
}

#[test]
fn connections_are_shared_out_over_threads() {
    let url = format!(
        "http://{}",
        server(|mut stream, _| {
            while let Some(path) = read_request(&mut stream) {
                send(&mut stream, &hello(&path));
            }
        })
    );
    let mut several = open("a", &url);
    several["threads"] = json!(2);
    let mut too_many = open("b", &url);
    too_many["threads"] = json!(5);
    let events = drive(&[several, turn("a", &[std::process::id()]), too_many]);
    assert_eq!(
        events[0],
        json!({"event": "opened", "target": "a", "connections": 4})
    );
    assert!(events[1]["replies"].as_u64().unwrap() > 0, "{}", events[1]);
    assert_eq!(events[2]["event"], "error");
}

fn turn(target: &str, pids: &[u32]) -> Value {
    json!({"cmd": "turn", "target": target, "token": "ab12", "lead_in_ms": 10, "counted_ms": 500,
        "pids": pids})
}

#[test]
fn two_targets_take_turns() {
    let serve = || {
        server(|mut stream, _| {
            while let Some(path) = read_request(&mut stream) {
                send(&mut stream, &hello(&path));
            }
        })
    };
    let url = |address| format!("http://{address}");
    let events = drive(&[
        open("a", &url(serve())),
        open("b", &url(serve())),
        turn("a", &[std::process::id()]),
        turn("b", &[]),
        turn("a", &[]),
        json!({"cmd": "histogram", "target": "a", "reset": true}),
        json!({"cmd": "histogram", "target": "a", "reset": true}),
        json!({"cmd": "close", "target": "a"}),
        turn("a", &[]),
        json!({"cmd": "quit"}),
        turn("b", &[]),
    ]);
    let names: Vec<&str> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    let expected = "opened opened slice slice slice histogram histogram closed error";
    assert_eq!(names.join(" "), expected);
    assert_eq!(
        events[0],
        json!({"event": "opened", "target": "a", "connections": 4})
    );
    for slice in &events[2..5] {
        assert_eq!(slice["token"], "ab12");
        assert!(slice["replies"].as_u64().unwrap() > 0);
        assert_eq!(slice["first_error"], Value::Null);
        assert_eq!(slice["errors"]["status"], 0);
    }
    assert!(events[2]["server_cpu_ns"].as_u64().unwrap() > 0);
    assert_eq!(events[3]["server_cpu_ns"], Value::Null);
    let counted = events[2]["replies"].as_u64().unwrap() + events[4]["replies"].as_u64().unwrap();
    assert_eq!(events[5]["count"], counted);
    assert_eq!(events[6]["count"], 0);
    let hdr = events[5]["hdr"].as_str().unwrap();
    assert!(hdr.starts_with("HISTFAAA"));
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(hdr)
        .unwrap();
    let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
    assert_eq!(histogram.len(), counted);
}

#[test]
fn mistakes_are_answered_and_survived() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let events = drive(&[
        open("a", &url),
        open("b", "http://192.0.2.1/"),
        open("c", "gopher://127.0.0.1/"),
        json!({"cmd": "dance"}),
        json!({"cmd": "turn", "target": "d", "token": "x", "lead_in_ms": 1}),
        json!({"cmd": "close", "target": "e"}),
    ]);
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["refused", "usage", "usage", "usage", "usage", "usage"]
    );
    assert_eq!(events[0]["target"], "a");
    assert!(events[0]["message"]
        .as_str()
        .unwrap()
        .ends_with("refused the connection"));
    assert_eq!(events[4]["target"], "d");
}

#[test]
fn a_turn_begins_when_it_is_told_to() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let at_ns = deadheat_load::clock::now_ns() + 200_000_000;
    let mut later = turn("a", &[]);
    later["counted_ms"] = json!(20);
    later["at_ns"] = json!(at_ns);
    let mut passed = later.clone();
    passed["at_ns"] = json!(1);
    let mut far = later.clone();
    far["at_ns"] = json!(u64::MAX);
    let events = drive(&[open("a", &format!("http://{address}")), later, passed, far]);
    assert!(events[1]["started_ns"].as_u64().expect("a moment") >= at_ns);
    assert!(events[2]["started_ns"].as_u64().expect("a moment") > at_ns);
    assert_eq!(events[3]["kind"], "usage");
    assert_eq!(events[3]["message"], "at_ns is more than a minute ahead");
}

#[test]
fn an_open_loop_turn_and_coalescing() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let mut open = open("a", &format!("http://{address}"));
    open["coalesce"] = json!("100us");
    let mut at_a_rate = turn("a", &[]);
    at_a_rate["rate"] = json!(1000);
    at_a_rate["arrivals"] = json!("poisson");
    at_a_rate["seed"] = json!(7);
    let mut nonsense = at_a_rate.clone();
    nonsense["rate"] = json!(-1);
    let mut unknown = at_a_rate.clone();
    unknown["rats"] = json!(1);
    let mut wrong = open.clone();
    wrong["target"] = json!("b");
    wrong["coalesce"] = json!("now and then");
    let events = drive(&[
        open,
        turn("a", &[]),
        json!({"cmd": "histogram", "target": "a", "reset": true}),
        at_a_rate.clone(),
        json!({"cmd": "histogram", "target": "a", "reset": true}),
        at_a_rate,
        nonsense,
        unknown,
        wrong,
    ]);
    assert_eq!(events[1]["open_loop"], Value::Null);
    assert_eq!(events[2]["service_hdr"], Value::Null);
    let report = &events[3]["open_loop"];
    assert_eq!(report["due"], events[3]["replies"]);
    assert_eq!(
        (&report["sent"], &report["unsent"]),
        (&report["due"], &json!(0))
    );
    assert_eq!(events[4]["count"], events[3]["replies"]);
    assert!(events[4]["service_hdr"]
        .as_str()
        .unwrap()
        .starts_with("HISTFAAA"));
    // The same seed: the same arrivals.
    assert_eq!(events[5]["open_loop"]["due"], report["due"]);
    for event in &events[6..] {
        assert_eq!(event["kind"], "usage", "{event}");
    }
}

#[test]
fn what_is_sent_again_is_told_to_the_referee() {
    let served = Counter::default();
    let count = served.clone();
    let address = server(move |mut stream, _| {
        for _ in 0..10 {
            let Some(path) = read_request(&mut stream) else {
                return;
            };
            count.next();
            send(&mut stream, &hello(&path));
        }
        // The eleventh is read and not answered.
        if read_request(&mut stream).is_some() {
            count.next();
        }
    });
    let mut some = turn("a", &[]);
    some["requests"] = json!(100);
    some["counted_ms"] = json!(60_000);
    some["lead_in_ms"] = json!(0);
    let events = drive(&[open("a", &format!("http://{address}")), some]);
    let told = |name: &str| events[1][name].as_u64().expect("a count");
    assert!(told("resent") >= 5, "{}", events[1]);
    assert_eq!(told("replies_all") + told("resent"), served.get());
}

#[test]
fn pairs_of_requests_and_replies_are_drawn() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            heard.lock().expect("a list").push(path.clone());
            send(&mut stream, &hello(&path));
        }
    });
    let pair = |number: u32| {
        let body = match number {
            0 => "something else".to_owned(),
            _ => format!("Hello from {number}!"),
        };
        json!({"path": format!("/{number}"), "expect": {"status": 200, "body": body}})
    };
    let pairs: Vec<Value> = (0..50).map(pair).collect();
    let some = |token: &str| {
        json!({"cmd": "turn", "target": "a", "token": token, "lead_in_ms": 0, "counted_ms": 60_000,
            "requests": 1000})
    };
    let url = format!("http://{address}");
    for http1 in [json!({}), json!({"pipeline": 8})] {
        asked.lock().expect("a list").clear();
        let mut open = json!({"cmd": "open", "target": "a", "url": url, "connections": 1,
            "timeout_ms": 5000, "requests": pairs, "draw": "random"});
        let fields = http1.as_object().expect("fields").clone();
        open.as_object_mut().expect("an object").extend(fields);
        let events = drive(&[open, some("x"), some("x"), some("y")]);
        let all = asked.lock().expect("a list");
        let wrong = all.iter().filter(|path| *path == "/0").count() as u64;
        assert!((20..150).contains(&wrong), "{wrong} of 3000");
        let told = |name: &str| -> u64 {
            let events = events[1..].iter();
            events
                .map(|event| event[name].as_u64().expect("a count"))
                .sum()
        };
        assert_eq!(told("replies"), 3_000 - wrong);
        let body_errors = |event: &Value| event["errors"]["body"].as_u64().expect("a count");
        assert_eq!(events[1..].iter().map(body_errors).sum::<u64>(), wrong);
        // Numbers of requests go on from turn to turn: even the same token draws others.
        assert_ne!(all[..1000], all[1000..2000]);
    }
    let mut both = open("b", &url);
    both["requests"] = json!([{"path": "/"}]);
    assert_eq!(drive(&[both])[0]["kind"], "usage");
}

#[test]
fn requests_with_names_are_counted_apart_until_the_histogram_is_reset() {
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let named = |name: &str, path: &str, weight: f64| {
        json!({"name": name, "path": path, "weight": weight,
            "expect": {"status": 200, "body": format!("Hello from {}!", &path[1..])}})
    };
    let mut wrong = named("wrong", "/c", 1.0);
    wrong["expect"]["body"] = json!("something else");
    let mix = [named("read", "/a", 6.0), named("write", "/b", 3.0), wrong];
    let open = json!({"cmd": "open", "target": "a", "url": format!("http://{address}"), "connections": 1,
        "timeout_ms": 5000, "requests": mix, "draw": "even"});
    let turn = json!({"cmd": "turn", "target": "a", "token": "x", "lead_in_ms": 0, "counted_ms": 60_000,
        "requests": 500});
    let histogram = json!({"cmd": "histogram", "target": "a", "reset": true});
    let commands = [
        open,
        turn.clone(),
        turn.clone(),
        histogram.clone(),
        turn,
        histogram,
    ];
    let events = drive(&commands);
    for (told, of) in [(&events[3], 1_000), (&events[5], 500)] {
        let figures = |n: usize| {
            let each = &told["by_request"][n];
            let count = |field: &str| each[field].as_u64().expect("a count");
            let name = each["name"].as_str().expect("a name").to_owned();
            assert_eq!(count("latency_sum_ns") > 0, count("replies") > 0);
            assert!(count("latency_max_ns") <= count("latency_sum_ns"));
            assert!(each["hdr"]
                .as_str()
                .expect("a text")
                .starts_with("HISTFAAA"));
            (name, count("replies"), count("errors"))
        };
        let share = |n: u64| of * n / 10;
        let near = |counted: u64, share: u64| counted.abs_diff(share) <= 3;
        let (name, replies, errors) = figures(0);
        assert!(
            name == "read" && near(replies, share(6)) && errors == 0,
            "{told}"
        );
        let (name, replies, errors) = figures(1);
        assert!(
            name == "write" && near(replies, share(3)) && errors == 0,
            "{told}"
        );
        let (name, replies, errors) = figures(2);
        assert!(
            name == "wrong" && replies == 0 && near(errors, share(1)),
            "{told}"
        );
    }
}
