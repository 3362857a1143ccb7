//! gRPC load on a server that is not ours (tonic), in the clear and over TLS.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/independent.rs"]
mod independent;

use deadheat_load::net::tls::{TlsSpec, Trust};
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::target::Spec;
use greeter::{ask, load, spec};
use serde_json::json;

#[test]
fn unary_streamed_compressed_numbered() {
    for tls in [false, true] {
        let address = independent::grpc(tls);
        let scheme = if tls { "grpcs" } else { "grpc" };
        let to = |ask: CallSpec| Spec {
            url: format!("{scheme}://{address}"),
            tls: TlsSpec {
                trust: Trust::Anyone,
                ..TlsSpec::default()
            },
            // Encryption without optimisation on a busy machine takes its time.
            timeout_ms: 120_000,
            ..spec(address, ask)
        };
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
            assert_eq!(outcome, (calls, None), "{what} {scheme}");
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
