//! Rows of the table `world`.

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::Json;
use deadpool_postgres::{Object, Pool};
use serde::{Deserialize, Serialize};

use crate::database::failed;

/// Of a request; further ones are not looked up.
const MOST_IDS: usize = 500;

#[derive(Deserialize)]
pub struct Asked {
    id: i32,
}

#[derive(Deserialize)]
pub struct AskedTogether {
    ids: String,
}

#[derive(Serialize)]
pub struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

pub async fn by_id(
    State(pool): State<Pool>,
    Query(asked): Query<Asked>,
) -> Result<Json<World>, StatusCode> {
    let client = pool.get().await.map_err(failed)?;
    Ok(Json(find(&client, asked.id).await?))
}

/// One after another, all on one connection.
pub async fn by_ids(
    State(pool): State<Pool>,
    Query(asked): Query<AskedTogether>,
) -> Result<Json<Vec<World>>, StatusCode> {
    let client = pool.get().await.map_err(failed)?;
    let mut found = Vec::new();
    for id in asked.ids.split(',').take(MOST_IDS) {
        let id = id.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        found.push(find(&client, id).await?);
    }
    Ok(Json(found))
}

async fn find(client: &Object, id: i32) -> Result<World, StatusCode> {
    let statement = client
        .prepare_cached("SELECT id, randomnumber FROM world WHERE id = $1")
        .await
        .map_err(failed)?;
    let row = client
        .query_opt(&statement, &[&id])
        .await
        .map_err(failed)?
        .ok_or(StatusCode::NOT_FOUND)?;
    Ok(World {
        id: row.get(0),
        random_number: row.get(1),
    })
}
