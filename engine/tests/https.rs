//! HTTPS over loopback, with certificates made here.

#[path = "support/program.rs"]
mod program;
mod support;

use program::{number, refusal, summary};
use rcgen::{generate_simple_self_signed, CertifiedKey};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
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
