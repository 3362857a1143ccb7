//! Every example of docs/load.md is run as it stands there, but for ports and durations.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use independent::Habits;
use serving::Server;
use std::path::Path;
use std::process::Command;

/// The code blocks of a Markdown text: what follows the fence, the block.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some((info.to_owned(), String::new())),
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some((info, body))) => open = Some((info, body + line + "\n")),
            (None, None) => {}
        }
    }
    blocks
}

/// The words of a shell command with nothing but spaces and single quotes in it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The same, but quick: after `-d` and `--warmup` comes a short time.
fn quickly(words: Vec<String>) -> Vec<String> {
    let mut words = words;
    for i in 1..words.len() {
        if matches!(words[i - 1].as_str(), "-d" | "--warmup") {
            words[i] = "50ms".into();
        }
    }
    words
}

fn commands() -> (Vec<Vec<String>>, Vec<(String, String)>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/load.md");
    let text = std::fs::read_to_string(path).expect("docs/load.md");
    let blocks = blocks(&text);
    let files = blocks
        .iter()
        .filter_map(|(info, body)| Some((info.split_once(' ')?.1.to_owned(), body.clone())))
        .collect();
    let commands = blocks
        .iter()
        .filter(|(info, _)| info == "sh")
        .flat_map(|(_, body)| body.lines())
        .map(|line| words(line.strip_prefix("deadheat-load ").expect("our program")))
        .collect();
    (commands, files)
}

/// The contract that the examples load, compiled.
fn greeter() -> &'static [u8] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suite/grpc-unary");
    let set = protox::compile(["greeter.proto"], [folder]).expect("a contract");
    prost::Message::encode_to_vec(&set).leak()
}

#[test]
fn every_load_example_runs() {
    let (commands, files) = commands();
    let directory = tempfile::tempdir().expect("a directory");
    let ours = [
        Server::of("http", &[]),
        Server::of("grpc", &["--hello"]),
        Server::of("redis", &[]),
        Server::of("sse", &["--first-content", "10ms", "--gap", "1ms"]),
        Server::of("ws", &[]),
    ];
    let reflecting = independent::reflecting(false, false, greeter());
    let in_the_clear = independent::http2(Habits::default());
    let over_tls = independent::http2(Habits {
        tls: Some("h2"),
        ..Habits::default()
    });
    let places = [
        ("127.0.0.1:8080", ours[0].address().to_owned()),
        ("127.0.0.1:50051", ours[1].address().to_owned()),
        ("127.0.0.1:6380", ours[2].address().to_owned()),
        ("127.0.0.1:8090", ours[3].address().to_owned()),
        ("127.0.0.1:8070", ours[4].address().to_owned()),
        ("127.0.0.1:50052", reflecting.to_string()),
        ("127.0.0.1:8081", in_the_clear.to_string()),
        ("127.0.0.1:8443", over_tls.to_string()),
    ];
    for (name, body) in files {
        let here = places
            .iter()
            .fold(body, |body, (there, here)| body.replace(there, here));
        std::fs::write(directory.path().join(name), here).expect("written");
    }
    let mut counts = [0; 8];
    for command in commands.into_iter().filter(|words| words[0] != "serve") {
        // By the address, or by what is connected to in its place.
        let names = |place: &str| command.iter().any(|word| word.contains(place));
        let place = places.iter().position(|(place, _)| names(place));
        let place = place.unwrap_or_else(|| panic!("{command:?}: no server there"));
        let (there, here) = &places[place];
        let arguments: Vec<String> = quickly(command)
            .iter()
            .map(|word| word.replace(there, here))
            .collect();
        let output = Command::new(program::PROGRAM)
            .args(&arguments)
            .current_dir(directory.path())
            .output()
            .expect("our own program");
        let text = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        // A search may find that nothing keeps the objective on a busy machine.
        let success = output.status.success();
        assert!(success, "{arguments:?}: {error}");
        assert!(!text.contains("errors: "), "{arguments:?}: {text}");
        counts[place] += 1;
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?} examples");
}

#[test]
fn every_serve_example_starts() {
    let (commands, _) = commands();
    let mut count = 0;
    for command in commands.into_iter().filter(|words| words[0] == "serve") {
        assert_eq!(command[2], "--port", "{command:?}");
        let faults: Vec<&str> = command[4..].iter().map(String::as_str).collect();
        Server::of(&command[1], &faults).stop();
        count += 1;
    }
    assert!(count > 10, "{count} examples");
}
