//! HTTPS over loopback, with certificates made here.

#[path = "support/program.rs"]
mod program;
mod support;

use program::{number, refusal, summary};
use rcgen::{generate_simple_self_signed, CertifiedKey};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::sync::Arc;
use support::{hello, server};

/// A server of `Hello from x!` and its certificate as PEM. Replies are cut into pieces, so that
/// records and reads do not coincide.
fn https_server(name: &str) -> (u16, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec![name.to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a configuration");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let address = server(move |stream, _| {
        let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
        let mut stream = StreamOwned::new(session, stream);
        let mut input = Vec::new();
        let mut byte = [0];
        while let Ok(1) = stream.read(&mut byte) {
            input.push(byte[0]);
            if input.ends_with(b"\r\n\r\n") {
                input.clear();
                assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
                for piece in hello("/x").chunks(7) {
                    if stream.write_all(piece).is_err() {
                        return;
                    }
                }
            }
        }
    });
    (address.port(), cert.pem())
}

#[test]
fn with_its_own_authority_and_without_any() {
    let (port, pem) = https_server("localhost");
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "{pem}").expect("written");
    let cacert = file.path().display().to_string();
    let (named, numbered) = (
        format!("https://localhost:{port}/x"),
        format!("https://127.0.0.1:{port}/x"),
    );
    let common = ["-n", "60", "--expect-body", "Hello from x!"];
    for arguments in [
        &[named.as_str(), "--cacert", &cacert, "-c", "3"][..],
        &[&numbered, "--insecure", "-c", "3"],
        &[&numbered, "--insecure", "-c", "2", "--pipeline", "4"],
        &[&numbered, "--insecure", "-c", "2", "--no-keepalive"],
    ] {
        let summary = summary(&[arguments, &common].concat());
        assert_eq!(number(&summary["requests"]), 60, "{arguments:?}: {summary}");
        assert_eq!(number(&summary["errors"]), 0, "{arguments:?}: {summary}");
    }
}

#[test]
fn a_certificate_that_is_not_trusted_is_refused_before_any_load() {
    let (port, pem) = https_server("elsewhere");
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "{pem}").expect("written");
    let cacert = file.path().display().to_string();
    let url = format!("https://localhost:{port}/x");
    let error = refusal(&[&url, "-c", "2"]);
    assert!(error.contains("certificate"), "{error}");
    let error = refusal(&[&url, "-c", "2", "--cacert", &cacert]);
    assert!(error.contains("certificate"), "{error}");
    let error = refusal(&[&url, "--cacert", "/no/such/file"]);
    assert!(error.contains("/no/such/file"), "{error}");
}

/// How a server of [`tls_server`] is to be.
#[derive(Default)]
struct Ways {
    /// Clients have to show this certificate.
    client: Option<rustls::pki_types::CertificateDer<'static>>,
    /// Replies end with the connection, which is cut without a close_notify.
    cuts: bool,
}

fn tls_server(ways: Ways) -> u16 {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("versions");
    let builder = match ways.client {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let mut roots = RootCertStore::empty();
            roots.add(client).expect("a certificate");
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
        }
    };
    let config = builder.with_single_cert(vec![cert.der().clone()], key);
    let config = Arc::new(config.expect("a configuration"));
    let address = server(move |stream, _| {
        let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
        let mut stream = StreamOwned::new(session, stream);
        while support::read_head(&mut stream).is_some() {
            if ways.cuts {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nHello fro");
                return;
            }
            if stream.write_all(&hello("/x")).is_err() {
                return;
            }
        }
        stream.conn.send_close_notify();
        let _ = stream.flush();
    });
    address.port()
}

#[test]
fn a_body_that_ends_without_close_notify_is_not_whole() {
    let url = format!(
        "https://localhost:{}/x",
        tls_server(Ways {
            cuts: true,
            client: None
        })
    );
    let summary = summary(&[&url, "--insecure", "-n", "5", "-c", "1"]);
    let counts = (number(&summary["requests"]), number(&summary["errors"]));
    assert_eq!(counts, (0, 5), "{summary}");
}

#[test]
fn drive_trusts_whom_it_is_asked_to() {
    let url = format!("https://localhost:{}/x", tls_server(Ways::default()));
    let open = |target: &str, more: serde_json::Value| {
        let mut open = serde_json::json!({"cmd": "open", "target": target, "url": url,
            "connections": 1, "timeout_ms": 60_000, "remote": true});
        let fields = more.as_object().expect("an object").clone();
        open.as_object_mut().expect("an object").extend(fields);
        open.to_string()
    };
    let lines = [
        open("anyone", serde_json::json!({"insecure": true})),
        open("public", serde_json::json!({})),
        open("file", serde_json::json!({"cacert": "/no/such/file"})),
        open(
            "both",
            serde_json::json!({"insecure": true, "cacert": "/no/such/file"}),
        ),
    ];
    let mut output = Vec::new();
    deadheat_load::drive::run(lines.join("\n").as_bytes(), &mut output).expect("in memory");
    let text = String::from_utf8(output).expect("JSON is text");
    let events: Vec<&str> = text.lines().collect();
    assert!(events[0].contains("opened"), "{text}");
    assert!(events[1].contains("certificate"), "{text}");
    assert!(events[2].contains("/no/such/file"), "{text}");
    assert!(events[3].contains("insecure or cacert"), "{text}");
}

#[test]
fn sessions_are_taken_up_where_that_is_asked_for() {
    let url = format!("https://localhost:{}/x", tls_server(Ways::default()));
    let new_each = [
        url.as_str(),
        "--insecure",
        "--no-keepalive",
        "-n",
        "20",
        "-c",
        "1",
    ];
    let full = &summary(&new_each)["tls_handshakes"];
    assert_eq!(number(&full["resumed"]), 0);
    assert!(number(&full["full"]) >= 20);
    let resumed = &summary(&[&new_each[..], &["--tls-resume"]].concat())["tls_handshakes"];
    assert!(number(&resumed["resumed"]) >= 15, "{resumed}");
}

#[test]
fn a_client_shows_its_certificate() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["client".to_owned()]).expect("a certificate");
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str, text: String| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let certificate = file("cert.pem", cert.pem());
    let key = file("key.pem", signing_key.serialize_pem());
    let both = file("both.pem", cert.pem() + &signing_key.serialize_pem());
    let port = tls_server(Ways {
        client: Some(cert.der().clone()),
        cuts: false,
    });
    let url = format!("https://localhost:{port}/x");
    let common = [url.as_str(), "--insecure", "-n", "6", "-c", "2"];
    for identity in [
        &["--cert", &certificate, "--key", &key][..],
        &["--cert", &both],
    ] {
        let summary = summary(&[&common[..], identity].concat());
        assert_eq!(number(&summary["requests"]), 6, "{summary}");
        assert_eq!(number(&summary["errors"]), 0, "{summary}");
    }
    let output = program::run(&common);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        !output.status.success() || text.contains("errors: "),
        "{text}"
    );
    let error = refusal(&[&common[..], &["--cert", &certificate]].concat());
    assert!(error.contains("cert.pem"), "{error}");
}
