//! Every example of docs/load.md is run as it stands there, but for ports and durations.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;

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
        .filter_map(|(info, body)| Some((info.strip_prefix("json ")?.to_owned(), body.clone())))
        .collect();
    let commands = blocks
        .iter()
        .filter(|(info, _)| info == "sh")
        .flat_map(|(_, body)| body.lines())
        .map(|line| words(line.strip_prefix("deadheat-load ").expect("our program")))
        .collect();
    (commands, files)
}

#[test]
fn every_load_example_runs() {
    let (commands, files) = commands();
    let directory = tempfile::tempdir().expect("a directory");
    for (name, body) in files {
        std::fs::write(directory.path().join(name), body).expect("written");
    }
    let server = Server::start(&[]);
    let mut count = 0;
    for command in commands.into_iter().filter(|words| words[0] != "serve") {
        let arguments: Vec<String> = quickly(command)
            .iter()
            .map(|word| word.replace("127.0.0.1:8080", server.address()))
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
        count += 1;
    }
    assert!(count > 15, "{count} examples");
}

#[test]
fn every_serve_example_starts() {
    let (commands, _) = commands();
    let mut count = 0;
    for command in commands.into_iter().filter(|words| words[0] == "serve") {
        assert_eq!(command[1..4], ["http", "--port", "8080"]);
        let lies: Vec<&str> = command[4..].iter().map(String::as_str).collect();
        Server::start(&lies).stop();
        count += 1;
    }
    assert!(count > 5, "{count} examples");
}
