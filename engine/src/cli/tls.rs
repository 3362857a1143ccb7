//! Options of TLS.

use clap::Args;
use deadheat_load::net::tls::{TlsSpec, Trust};
use std::path::PathBuf;

const TLS: &str = "TLS (https, grpcs, rediss)";

#[derive(Debug, Args)]
pub struct TlsOptions {
    /// Accept any certificate
    #[arg(long, conflicts_with = "cacert", help_heading = TLS)]
    insecure: bool,
    /// Trust the authorities in this PEM file
    #[arg(long, value_name = "FILE", help_heading = TLS)]
    cacert: Option<PathBuf>,
    /// Certificate to show to the server, with those that vouch for it, as PEM
    #[arg(long, value_name = "FILE", help_heading = TLS)]
    cert: Option<PathBuf>,
    /// Its key, as PEM (default: in the same file)
    #[arg(long, value_name = "FILE", requires = "cert", help_heading = TLS)]
    key: Option<PathBuf>,
    /// Name to ask for and to find in the certificate, instead of the URL's
    #[arg(long, value_name = "NAME", help_heading = TLS)]
    sni: Option<String>,
    /// Let connections take up the sessions of earlier ones (cheaper handshakes)
    #[arg(long, help_heading = TLS)]
    tls_resume: bool,
}

impl TlsOptions {
    pub fn spec(&self) -> TlsSpec {
        let key = |cert: &PathBuf| self.key.clone().unwrap_or_else(|| cert.clone());
        TlsSpec {
            trust: match &self.cacert {
                _ if self.insecure => Trust::Anyone,
                Some(path) => Trust::File(path.clone()),
                None => Trust::Public,
            },
            identity: self.cert.as_ref().map(|cert| (cert.clone(), key(cert))),
            server_name: self.sni.clone(),
            resume: self.tls_resume,
        }
    }

    /// The options that were given; `--insecure` asks for nothing where there is no TLS.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--cacert", self.cacert.is_some()),
            ("--cert", self.cert.is_some()),
            ("--sni", self.sni.is_some()),
            ("--tls-resume", self.tls_resume),
        ];
        all.into_iter()
            .filter(|(_, is)| *is)
            .map(|(name, _)| name)
            .collect()
    }
}
