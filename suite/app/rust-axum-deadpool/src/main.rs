//! Serves the routes of the application: `/plaintext/NAME`, `/json/NAME` and, where DATABASE_URL names a
//! PostgreSQL, `/db?id=N`, `/queries?ids=N,N`, `/updates` and `/fortunes?add=TEXT`.

mod database;
mod fortunes;
mod greetings;
mod serving;
mod worlds;

use std::env;
use std::error::Error;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::{get, post};
use axum::Router;
use deadpool_postgres::Pool;

use database::failed;

async fn every_fortune(
    State(pool): State<Pool>,
    Query(asked): Query<fortunes::Asked>,
) -> Result<Html<String>, StatusCode> {
    let client = pool.get().await.map_err(failed)?;
    let statement = client
        .prepare_cached(fortunes::EVERY)
        .await
        .map_err(failed)?;
    let rows = client.query(&statement, &[]).await.map_err(failed)?;
    fortunes::page(&rows, asked).map_err(failed)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut app = greetings::routes();
    if let Ok(url) = env::var("DATABASE_URL") {
        let pool = database::open(&url).await?;
        app = app.merge(
            Router::new()
                .route("/db", get(worlds::by_id))
                .route("/queries", get(worlds::by_ids))
                .route("/updates", post(worlds::update))
                .route("/fortunes", get(every_fortune))
                .with_state(pool),
        );
    }
    serving::serve(app).await
}
