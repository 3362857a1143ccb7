//! HTTPS, and HTTP/2 where the client takes it.

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum_server::tls_rustls::RustlsConfig;
use axum_server::Handle;
use tokio::signal::unix::Signal;

const GRACE: Duration = Duration::from_secs(2);

/// Until the signal, with this certificate and the key in TLS_KEY.
pub async fn serve(
    app: Router,
    host: &str,
    port: u16,
    certificate: String,
    mut terminate: Signal,
) -> Result<(), Box<dyn Error>> {
    let config = RustlsConfig::from_pem_file(certificate, env::var("TLS_KEY")?).await?;
    let handle = Handle::new();
    let server = handle.clone();
    tokio::spawn(async move {
        terminate.recv().await;
        server.graceful_shutdown(Some(GRACE));
    });
    axum_server::bind_rustls(SocketAddr::new(host.parse()?, port), config)
        .handle(handle)
        .serve(app.into_make_service())
        .await?;
    Ok(())
}
