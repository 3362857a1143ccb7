//! `--save` and `compare`; completions.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use program::{refusal, run};
use serving::Server;

#[test]
fn two_runs_side_by_side() {
    let server = Server::start(&[]);
    let url = format!("http://{}/x", server.address());
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (a, b) = (path("a.json"), path("b.json"));
    for file in [&a, &b] {
        let output = run(&[&url, "-n", "200", "-c", "2", "--save", file]);
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("requests/s: "));
    }
    let output = run(&["compare", &a, &b]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    assert!(
        text.contains("requests/s") && text.contains("settles nothing"),
        "{text}"
    );
    let error = refusal(&["compare", &a, "/no/such/file"]);
    assert!(error.contains("/no/such/file"), "{error}");
}

#[test]
fn completions_know_every_option() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completion", shell]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success());
        assert!(
            text.contains("fail-if") && text.contains("compare"),
            "{shell}"
        );
    }
}
