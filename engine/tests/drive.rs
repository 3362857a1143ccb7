//! The referee's protocol, line by line.

mod support;

use base64::Engine as _;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::Histogram;
use serde_json::{json, Value};
use support::{hello, read_request, send, server};

fn drive(commands: &[Value]) -> Vec<Value> {
    let input: String = commands
        .iter()
        .map(|command| format!("{command}\n"))
        .collect();
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
    json!({"cmd": "turn", "target": target, "token": "ab12", "lead_in_ms": 10, "counted_ms": 30,
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
