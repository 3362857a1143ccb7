//! Serves the routes of the application: `/plaintext/NAME`, `/json/NAME` and, where DATABASE_URL names a
//! PostgreSQL, `/db?id=N` and `/queries?ids=N,N`.

mod greetings;
mod worlds;

use std::env;
use std::error::Error;

use axum::routing::get;
use axum::Router;
use tokio::net::TcpListener;
use tokio::signal::unix::{signal, SignalKind};

fn port() -> Result<u16, Box<dyn Error>> {
    match env::args().nth(1).or_else(|| env::var("PORT").ok()) {
        Some(port) => Ok(port.parse()?),
        None => Ok(8080),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut app = Router::new()
        .route("/plaintext/{name}", get(greetings::plaintext))
        .route("/json/{name}", get(greetings::json));
    if let Ok(url) = env::var("DATABASE_URL") {
        let pool = worlds::open(&url).await?;
        app = app.merge(
            Router::new()
                .route("/db", get(worlds::by_id))
                .route("/queries", get(worlds::by_ids))
                .with_state(pool),
        );
    }
    let listener = TcpListener::bind(("127.0.0.1", port()?)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}
