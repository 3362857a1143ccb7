//! Serves the routes of the application: `/plaintext/NAME`, `/json/NAME` and, where DATABASE_URL names a
//! PostgreSQL, `/db?id=N`, `/queries?ids=N,N`, `/updates`, `/fortunes?add=TEXT` and
//! `/cached?ids=N,N`.

mod cached;
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
use axum::{Json, Router};
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

async fn cached_worlds(
    State((pool, worlds)): State<(Pool, cached::Worlds)>,
    Query(asked): Query<cached::Asked>,
) -> Result<Json<Vec<cached::World>>, StatusCode> {
    cached::by_ids(&worlds, &asked, |id| cached_world(&pool, id)).await
}

async fn cached_world(pool: &Pool, id: i32) -> Result<cached::World, StatusCode> {
    let client = pool.get().await.map_err(failed)?;
    let statement = client.prepare_cached(cached::BY_ID).await.map_err(failed)?;
    let row = client
        .query_opt(&statement, &[&id])
        .await
        .map_err(failed)?
        .ok_or(StatusCode::NOT_FOUND)?;
    Ok(cached::World::of(&row))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut app = greetings::routes();
    if let Ok(url) = env::var("DATABASE_URL") {
        let pool = database::open(&url).await?;
        app = app.merge(
            Router::new()
                .route("/cached", get(cached_worlds))
                .with_state((pool.clone(), cached::worlds())),
        );
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
