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

#[derive(Clone, Deserialize, Serialize)]
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

/// Reads one row after another, and writes all in one transaction, by id: two requests never wait for each
/// other.
pub async fn update(
    State(pool): State<Pool>,
    Json(asked): Json<Vec<World>>,
) -> Result<Json<Vec<World>>, StatusCode> {
    let mut client = pool.get().await.map_err(failed)?;
    for world in &asked {
        find(&client, world.id).await?;
    }
    let mut by_id = asked.clone();
    by_id.sort_by_key(|world| world.id);
    let transaction = client.transaction().await.map_err(failed)?;
    let statement = transaction
        .prepare_cached("UPDATE world SET randomnumber = $2 WHERE id = $1")
        .await
        .map_err(failed)?;
    for world in &by_id {
        transaction
            .execute(&statement, &[&world.id, &world.random_number])
            .await
            .map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)?;
    Ok(Json(asked))
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
