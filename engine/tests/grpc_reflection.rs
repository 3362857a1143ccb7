//! gRPC without a contract: a server that is not ours (tonic) tells it.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use independent::reflecting;
use program::{number, refusal, summary};
use prost::Message as _;
use serving::Server;

/// A contract in three files, one of them well known.
const MAIN: &str = r#"
syntax = "proto3";
package greeter;
import "shared/names.proto";
import "google/protobuf/timestamp.proto";
service Greeter {
  rpc SayHello(shared.HelloRequest) returns (HelloReply);
  rpc SayHellos(shared.HelloRequest) returns (stream HelloReply);
}
message HelloReply { string message = 1; google.protobuf.Timestamp at = 2; }
"#;
const SHARED: &str = r#"
syntax = "proto3";
package shared;
message HelloRequest { string name = 1; }
"#;

fn descriptors() -> &'static [u8] {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("shared")).expect("a folder");
    std::fs::write(folder.path().join("main.proto"), MAIN).expect("written");
    std::fs::write(folder.path().join("shared/names.proto"), SHARED).expect("written");
    let set = protox::compile(["main.proto"], [folder.path()]).expect("a contract");
    set.encode_to_vec().leak()
}

const CALL: [&str; 8] = [
    "--call",
    "greeter.Greeter/SayHello",
    "--data",
    r#"{"name": "{seq}"}"#,
    "--expect-message",
    r#"{"message": "Hello from {seq}!"}"#,
    "-n",
    "60",
];

#[test]
fn by_either_version_and_over_tls() {
    let descriptors = descriptors();
    for (tls, is_alpha) in [(false, false), (false, true), (true, false)] {
        let address = reflecting(tls, is_alpha, descriptors);
        let scheme = if tls { "grpcs" } else { "grpc" };
        let url = format!("{scheme}://localhost:{}", address.port());
        let tls: &[&str] = if tls { &["--insecure"] } else { &[] };
        let more = [
            "-c",
            "3",
            "-t",
            "2",
            "--streams",
            "2",
            "--timeout",
            "60s",
            "-H",
            "x-key: {token}",
        ];
        let summary = summary(&[&[url.as_str()], &CALL[..], &more, tls].concat());
        assert_eq!(number(&summary["requests"]), 60, "{summary}");
        assert_eq!(number(&summary["errors"]), 0, "{summary}");
        // None of the questions is part of the run.
        assert_eq!(number(&summary["http2"]["requests_sent"]), 60, "{summary}");
    }
}

#[test]
fn streamed_replies_too() {
    let address = reflecting(false, false, descriptors());
    let url = format!("grpc://{address}");
    let call = [
        "--call",
        "greeter.Greeter/SayHellos",
        "--data",
        "{}",
        "--messages",
        "100",
    ];
    let summary = summary(&[&[url.as_str(), "-n", "20", "-c", "2"], &call[..]].concat());
    assert_eq!(number(&summary["requests"]), 20, "{summary}");
}

#[test]
fn what_the_server_does_not_have_is_said() {
    let address = reflecting(false, false, descriptors());
    let url = format!("grpc://{address}");
    let why = refusal(&[&url, "--call", "other.Service/Do"]);
    assert!(
        why.contains("no service other.Service on the server"),
        "{why}"
    );
    assert!(why.contains("only: greeter.Greeter"), "{why}");
    let why = refusal(&[&url, "--call", "greeter.Greeter/Do"]);
    assert!(
        why.contains("no method Do in greeter.Greeter, only: SayHello, SayHellos"),
        "{why}"
    );
    let without = Server::of("grpc", &["--hello"]);
    let url = format!("grpc://{}", without.address());
    let why = refusal(&[&url, "--call", "greeter.Greeter/SayHello"]);
    assert!(
        why.contains("--proto or --protoset is needed: the server has no reflection"),
        "{why}"
    );
    assert!(why.contains("12 UNIMPLEMENTED"), "{why}");
    // One that answers anything with itself, and one that is no gRPC at all.
    let echo = Server::of("grpc", &[]);
    let url = format!("grpc://{}", echo.address());
    let why = refusal(&[&url, "--call", "greeter.Greeter/SayHello"]);
    assert!(
        why.contains("the server's reflection: ") || why.contains("no service"),
        "{why}"
    );
    let http = Server::of("http", &[]);
    let url = format!("grpc://{}", http.address());
    assert!(refusal(&[&url, "--call", "greeter.Greeter/SayHello"]).contains("HTTP"));
}
