//! Serves the routes of the application: `/plaintext/NAME`, `/json/NAME` and, where DATABASE_URL names a
//! PostgreSQL, `/db?id=N`, `/queries?ids=N,N`, `/updates` and `/fortunes?add=TEXT`.

mod database;
mod fortunes;
mod greetings;
mod worlds;

use std::env;
use std::error::Error;

use axum::http::{header, HeaderValue};
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::{get, post};
use axum::Router;
use tokio::net::TcpListener;
use tokio::signal::unix::{signal, SignalKind};

/// Says in an answer what serves it, which axum leaves to its users.
async fn named(mut response: Response) -> Response {
    let server = HeaderValue::from_static("axum");
    response.headers_mut().insert(header::SERVER, server);
    response
}

async fn routes() -> Result<Router, sqlx::Error> {
    let greetings = Router::new()
        .route("/plaintext/{name}", get(greetings::plaintext))
        .route("/json/{name}", get(greetings::json));
    let Ok(url) = env::var("DATABASE_URL") else {
        return Ok(greetings);
    };
    let rows = Router::new()
        .route("/db", get(worlds::by_id))
        .route("/queries", get(worlds::by_ids))
        .route("/updates", post(worlds::update))
        .route("/fortunes", get(fortunes::page))
        .with_state(database::open(&url).await?);
    Ok(greetings.merge(rows))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let host = env::var("HOST").unwrap_or("127.0.0.1".into());
    let port = env::var("PORT").unwrap_or("8080".into()).parse()?;
    let app = routes().await?.layer(map_response(named));
    let listener = TcpListener::bind((host, port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}
