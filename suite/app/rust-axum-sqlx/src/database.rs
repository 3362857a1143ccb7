//! A pool of connections that are all opened at the start.

use std::error::Error;

use axum::http::StatusCode;
use sqlx::postgres::PgPoolOptions;
use sqlx::PgPool;

const POOL_SIZE: u32 = 16;

pub async fn open(url: &str) -> Result<PgPool, sqlx::Error> {
    let pool = PgPoolOptions::new()
        .min_connections(POOL_SIZE)
        .max_connections(POOL_SIZE)
        .connect(url)
        .await?;
    let mut opened = Vec::new();
    for _ in 0..POOL_SIZE {
        opened.push(pool.acquire().await?);
    }
    drop(opened);
    Ok(pool)
}

/// What was asked for and is not there is no failure.
pub fn refused(error: sqlx::Error) -> StatusCode {
    match error {
        sqlx::Error::RowNotFound => StatusCode::NOT_FOUND,
        error => failed(error),
    }
}

pub fn failed(error: impl Error) -> StatusCode {
    eprintln!("{error}");
    StatusCode::INTERNAL_SERVER_ERROR
}
