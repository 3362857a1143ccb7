//! gRPC load on a server that is not ours (tonic), in the clear and over TLS.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/independent.rs"]
mod independent;

use deadheat_load::net::tls::{TlsSpec, Trust};
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::target::Spec;
use greeter::{ask, load, spec, streams};
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;

/// A call of the server at `address`, whose certificate nobody knows.
fn to(address: SocketAddr, tls: bool, ask: CallSpec) -> Spec {
    let scheme = if tls { "grpcs" } else { "grpc" };
    Spec {
        url: format!("{scheme}://{address}"),
        tls: TlsSpec {
            trust: Trust::Anyone,
            ..TlsSpec::default()
        },
        // Encryption without optimisation on a busy machine takes its time.
        timeout_ms: 120_000,
        ..spec(address, ask)
    }
}

#[test]
fn unary_streamed_compressed_numbered() {
    for tls in [false, true] {
        let address = independent::grpc(tls);
        let to = |ask| to(address, tls, ask);
        let large = "x".repeat(300_000);
        for (what, ask, calls) in [
            ("unary", ask(), 2_000),
            (
                "compressed",
                CallSpec {
                    gzip: true,
                    ..ask()
                },
                500,
            ),
            (
                "numbered",
                CallSpec {
                    data: json!({"name": "{token}-{seq}"}),
                    expect: Some(json!({"message": "Hello from {token}-{seq}!"})),
                    metadata: vec![("x-number".into(), "{seq}".into())],
                    ..ask()
                },
                2_000,
            ),
            (
                "large",
                CallSpec {
                    data: json!({"name": large}),
                    expect: Some(json!({"message": format!("Hello from {large}!")})),
                    ..ask()
                },
                20,
            ),
            (
                "streamed",
                CallSpec {
                    call: "greeter.Greeter/SayHellos".into(),
                    messages: Some(100),
                    ..ask()
                },
                100,
            ),
        ] {
            let slice = load(&to(ask), calls);
            let outcome = (slice.counts.replies_all, slice.counts.first_error);
            assert_eq!(outcome, (calls, None), "{what}, TLS {tls}");
        }
        let nobody = CallSpec {
            data: json!({"name": "nobody"}),
            ..ask()
        };
        let slice = load(&to(nobody), 50);
        assert_eq!(slice.counts.errors.status, 50);
        let told = slice.counts.first_error.expect("an error");
        assert_eq!(told, "grpc-status 5 NOT_FOUND: nobody is here");
        let other = CallSpec {
            data: json!({"name": "{seq}"}),
            expect: Some(json!({"message": "Hello from 1{seq}!"})),
            ..ask()
        };
        let slice = load(&to(other), 50);
        assert_eq!(slice.counts.errors.body, 50);
        let told = slice.counts.first_error.expect("an error");
        assert!(
            told.contains("expected {\"message\":\"Hello from 1"),
            "{told}"
        );
    }
}

#[test]
fn streams_of_names() {
    for tls in [false, true] {
        let address = independent::grpc(tls);
        let to = |ask| to(address, tls, ask);
        let all = CallSpec {
            proto: Some(streams()),
            call: "greeter.Greeter/SayHelloCS".into(),
            messages: Some(200),
            expect: Some(json!({"message": "Hello from 200!"})),
            ..ask()
        };
        let each = CallSpec {
            call: "greeter.Greeter/SayHelloBidi".into(),
            data: json!([{"name": "{token}-{seq}"}, {"name": "b"}]),
            expect: Some(json!([
                {"message": "Hello from {token}-{seq}!"},
                {"message": "Hello from b!"},
            ])),
            messages: Some(21),
            ..all.clone()
        };
        // More than the windows of the server hold.
        let large = "x".repeat(50_000);
        let beyond_the_window = CallSpec {
            data: json!({"name": large}),
            messages: Some(30),
            expect: Some(json!({"message": "Hello from 30!"})),
            depth: Some(2),
            ..all.clone()
        };
        let at_once = CallSpec {
            data: json!({"name": large}),
            expect: Some(json!({"message": format!("Hello from {large}!")})),
            message_interval: Some(Duration::ZERO),
            messages: Some(30),
            depth: Some(2),
            ..each.clone()
        };
        let by_clock = CallSpec {
            message_interval: Some(Duration::from_millis(1)),
            ..each.clone()
        };
        let packed = CallSpec {
            data: json!([{"name": "a"}, {"name": "b"}]),
            expect: Some(json!([{"message": "Hello from a!"}, {"message": "Hello from b!"}])),
            gzip: true,
            ..each.clone()
        };
        for (what, ask, calls, messages) in [
            ("client stream", &all, 100, 200),
            ("both ways", &each, 200, 21),
            ("by the clock", &by_clock, 50, 21),
            ("compressed", &packed, 50, 21),
            ("beyond the window", &beyond_the_window, 10, 30),
            ("both beyond the window", &at_once, 10, 30),
        ] {
            let slice = load(&to(ask.clone()), calls);
            let outcome = (slice.counts.replies_all, slice.counts.first_error);
            assert_eq!(outcome, (calls, None), "{what}, TLS {tls}");
            let counts = slice.messages.expect("messages");
            assert_eq!(counts.sent, calls * messages, "{what}, TLS {tls}");
            let latencies = counts.latencies.map(|latencies| latencies.count());
            let is_answered = ask.call.ends_with("Bidi");
            assert_eq!(latencies, is_answered.then_some(calls * messages), "{what}");
            assert_eq!((counts.unanswered, counts.unasked), (0, 0), "{what}");
        }
        let wrong = CallSpec {
            expect: Some(json!([{"message": "Hello from {token}-{seq}!"}, {"message": "a"}])),
            ..each.clone()
        };
        let slice = load(&to(wrong), 20);
        assert_eq!(slice.counts.errors.body, 20);
        let told = slice.counts.first_error.expect("an error");
        let expected = "message {\"message\":\"Hello from b!\"}, expected {\"message\":\"a\"}";
        assert_eq!(told, expected);
    }
}
