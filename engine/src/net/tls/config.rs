//! Whom a TLS connection trusts, and what it offers.

use crate::error::{Error, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::Resumption;
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which certificates are good enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those of the public authorities.
    #[default]
    Public,
    /// Those of the authorities in this PEM file.
    File(PathBuf),
    /// Any (`--insecure`).
    Anyone,
}

/// What is asked of TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSpec {
    pub trust: Trust,
    /// A certificate of one's own (with those that vouch for it) and its key, as PEM files; both
    /// may be one file.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// The name that is asked for (SNI) and that the certificate must have, instead of the URL's.
    pub server_name: Option<String>,
    /// Later connections may take up the session of earlier ones: cheaper handshakes.
    pub resume: bool,
}

/// The same, ready to be used.
#[derive(Clone, Debug)]
pub struct TlsPlan {
    pub config: Arc<ClientConfig>,
    pub server: ServerName<'static>,
    /// What the server has to agree on by ALPN, if it has to.
    pub must_agree_on: Option<&'static [u8]>,
}

/// Without it a server speaks HTTP/1.1.
const HTTP2: &[u8] = b"h2";

impl TlsPlan {
    /// For a server at `host`; `alpn` is what is offered.
    ///
    /// # Errors
    /// A usage error that names the file or name that is of no use.
    pub fn new(spec: &TlsSpec, host: &str, alpn: &'static [u8]) -> Result<Self> {
        let name = spec.server_name.as_deref().unwrap_or(host);
        let server = ServerName::try_from(name.to_owned())
            .map_err(|_| Error::usage(format!("{name}: no name for TLS")))?;
        Ok(Self {
            config: config(spec, alpn)?,
            server,
            must_agree_on: (alpn == HTTP2).then_some(alpn),
        })
    }
}

fn config(spec: &TlsSpec, alpn: &[u8]) -> Result<Arc<ClientConfig>> {
    let wrong = |error: rustls::Error| Error::usage(format!("TLS: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(wrong)?;
    let builder = match &spec.trust {
        Trust::Anyone => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider))),
        trust => builder.with_root_certificates(roots(trust)?),
    };
    let mut config = match &spec.identity {
        None => builder.with_no_client_auth(),
        Some((certificates, key)) => {
            let chain = certificates_in(certificates)?;
            let key = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| Error::usage(format!("{}: {error}", key.display())))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| Error::usage(format!("{}: {error}", certificates.display())))?
        }
    };
    config.alpn_protocols = vec![alpn.to_vec()];
    if !spec.resume {
        config.resumption = Resumption::disabled();
    }
    Ok(Arc::new(config))
}

/// The certificates in a PEM file, one at least.
fn certificates_in(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let wrong = |why: String| Error::usage(format!("{}: {why}", path.display()));
    let all = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let all: Vec<_> = all.map_err(|error| wrong(error.to_string()))?;
    match all.is_empty() {
        true => Err(wrong("no certificate in it".into())),
        false => Ok(all),
    }
}

fn roots(trust: &Trust) -> Result<RootCertStore> {
    let Trust::File(path) = trust else {
        return Ok(RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        });
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates_in(path)? {
        roots
            .add(certificate)
            .map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
    }
    Ok(roots)
}

/// Checks signatures, as the handshake needs them, but not whose they are.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
