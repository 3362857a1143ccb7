//! Rows of the table `world`.

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::Json;
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};

use crate::database::refused;

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
    State(pool): State<PgPool>,
    Query(asked): Query<Asked>,
) -> Result<Json<World>, StatusCode> {
    let mut connection = pool.acquire().await.map_err(refused)?;
    let found = find(&mut connection, asked.id).await.map_err(refused)?;
    Ok(Json(found))
}

/// One after another, all on one connection.
pub async fn by_ids(
    State(pool): State<PgPool>,
    Query(asked): Query<AskedTogether>,
) -> Result<Json<Vec<World>>, StatusCode> {
    let mut connection = pool.acquire().await.map_err(refused)?;
    let mut found = Vec::new();
    for id in asked.ids.split(',').take(MOST_IDS) {
        let id = id.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        found.push(find(&mut connection, id).await.map_err(refused)?);
    }
    Ok(Json(found))
}

pub async fn update(
    State(pool): State<PgPool>,
    Json(asked): Json<Vec<World>>,
) -> Result<Json<Vec<World>>, StatusCode> {
    write(&pool, &asked).await.map_err(refused)?;
    Ok(Json(asked))
}

/// Reads one row after another, and writes all in one transaction, by id: two requests never wait for each
/// other. Of a row that is given twice the last value stays.
async fn write(pool: &PgPool, worlds: &[World]) -> sqlx::Result<()> {
    let mut connection = pool.acquire().await?;
    for world in worlds {
        find(&mut connection, world.id).await?;
    }
    drop(connection);
    let mut by_id = worlds.to_vec();
    by_id.sort_by_key(|world| world.id);
    let mut transaction = pool.begin().await?;
    for world in &by_id {
        sqlx::query("UPDATE world SET randomnumber = $2 WHERE id = $1")
            .bind(world.id)
            .bind(world.random_number)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

async fn find(connection: &mut PgConnection, id: i32) -> sqlx::Result<World> {
    let (id, random_number) = sqlx::query_as("SELECT id, randomnumber FROM world WHERE id = $1")
        .bind(id)
        .fetch_one(connection)
        .await?;
    Ok(World { id, random_number })
}
