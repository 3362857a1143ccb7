//! What both programs are started and stopped by.

use std::env;
use std::error::Error;

use axum::http::{header, HeaderValue};
use axum::middleware::map_response;
use axum::response::Response;
use axum::Router;
use tokio::net::TcpListener;
use tokio::signal::unix::{signal, SignalKind};

fn host() -> String {
    env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into())
}

fn port() -> Result<u16, Box<dyn Error>> {
    match env::args().nth(1).or_else(|| env::var("PORT").ok()) {
        Some(port) => Ok(port.parse()?),
        None => Ok(8080),
    }
}

/// Says in an answer what serves it, which axum leaves to its users.
async fn named(mut response: Response) -> Response {
    let server = HeaderValue::from_static("axum");
    response.headers_mut().insert(header::SERVER, server);
    response
}

/// Until SIGTERM.
pub async fn serve(app: Router) -> Result<(), Box<dyn Error>> {
    let app = app.layer(map_response(named));
    let listener = TcpListener::bind((host(), port()?)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}
