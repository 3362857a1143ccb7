//! Rows of the table `cached_world`, each of which is read when it is first asked for.

use std::future::Future;

use axum::http::StatusCode;
use axum::Json;
use moka::future::Cache;
use serde::{Deserialize, Serialize};
use tokio_postgres::Row;

pub const BY_ID: &str = "SELECT id, randomnumber FROM cached_world WHERE id = $1";

/// Of a request; further ones are not looked up.
const MOST_IDS: usize = 500;
const MOST_CACHED: u64 = 20_000;

pub type Worlds = Cache<i32, World>;

#[derive(Deserialize)]
pub struct Asked {
    ids: String,
}

#[derive(Clone, Serialize)]
pub struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

impl World {
    pub fn of(row: &Row) -> Self {
        World {
            id: row.get(0),
            random_number: row.get(1),
        }
    }
}

pub fn worlds() -> Worlds {
    Cache::new(MOST_CACHED)
}

/// One after another; one that another request is reading is waited for.
pub async fn by_ids<R>(
    worlds: &Worlds,
    asked: &Asked,
    read: impl Fn(i32) -> R,
) -> Result<Json<Vec<World>>, StatusCode>
where
    R: Future<Output = Result<World, StatusCode>>,
{
    let mut found = Vec::new();
    for id in asked.ids.split(',').take(MOST_IDS) {
        let id = id.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        let world = worlds.try_get_with(id, read(id)).await;
        found.push(world.map_err(|status| *status)?);
    }
    Ok(Json(found))
}
