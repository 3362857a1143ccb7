//! Answers GET /NAME with "Hello from NAME!".

#[cfg(feature = "tls")]
mod tls;

use std::env;
use std::error::Error;

use axum::extract::Path;
use axum::routing::get;
use axum::Router;
use tokio::net::TcpListener;
use tokio::signal::unix::{signal, SignalKind};

async fn hello(Path(name): Path<String>) -> String {
    format!("Hello from {name}!")
}

fn host() -> String {
    env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into())
}

fn port() -> Result<u16, Box<dyn Error>> {
    match env::args().nth(1).or_else(|| env::var("PORT").ok()) {
        Some(port) => Ok(port.parse()?),
        None => Ok(8080),
    }
}

#[cfg_attr(feature = "current-thread", tokio::main(flavor = "current_thread"))]
#[cfg_attr(not(feature = "current-thread"), tokio::main)]
async fn main() -> Result<(), Box<dyn Error>> {
    let app = Router::new().route("/{name}", get(hello));
    let mut terminate = signal(SignalKind::terminate())?;
    #[cfg(feature = "tls")]
    if let Ok(certificate) = env::var("TLS_CERT") {
        return tls::serve(app, &host(), port()?, certificate, terminate).await;
    }
    let listener = TcpListener::bind((host(), port()?)).await?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}
