//! A pool of connections that are all opened at the start.

use std::error::Error;

use axum::http::StatusCode;
use deadpool_postgres::{Manager, Pool};
use tokio_postgres::NoTls;

const POOL_SIZE: usize = 16;

pub async fn open(url: &str) -> Result<Pool, Box<dyn Error>> {
    let manager = Manager::new(url.parse()?, NoTls);
    let pool = Pool::builder(manager).max_size(POOL_SIZE).build()?;
    let mut opened = Vec::new();
    for _ in 0..POOL_SIZE {
        opened.push(pool.get().await?);
    }
    drop(opened);
    Ok(pool)
}

pub fn failed(error: impl Error) -> StatusCode {
    eprintln!("{error}");
    StatusCode::INTERNAL_SERVER_ERROR
}
