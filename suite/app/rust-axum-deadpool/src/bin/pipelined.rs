//! The same application on a runtime of one thread, with one connection to the database: requests that wait
//! share it, and each statement is sent before those of others are answered.

#[path = "../greetings.rs"]
mod greetings;
#[path = "../serving.rs"]
mod serving;

use std::env;
use std::error::Error;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio_postgres::{Client, NoTls, Statement};

/// Of a request; further ones are not looked up.
const MOST_IDS: usize = 500;

struct Worlds {
    client: Client,
    by_id: Statement,
}

#[derive(Deserialize)]
struct Asked {
    id: i32,
}

#[derive(Deserialize)]
struct AskedTogether {
    ids: String,
}

#[derive(Serialize)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

impl Worlds {
    async fn open(url: &str) -> Result<Self, Box<dyn Error>> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
        let by_id = client
            .prepare("SELECT id, randomnumber FROM world WHERE id = $1")
            .await?;
        Ok(Worlds { client, by_id })
    }

    async fn find(&self, id: i32) -> Result<World, StatusCode> {
        let row = self
            .client
            .query_opt(&self.by_id, &[&id])
            .await
            .map_err(|error| {
                eprintln!("{error}");
                StatusCode::INTERNAL_SERVER_ERROR
            })?
            .ok_or(StatusCode::NOT_FOUND)?;
        Ok(World {
            id: row.get(0),
            random_number: row.get(1),
        })
    }
}

async fn by_id(
    State(worlds): State<Arc<Worlds>>,
    Query(asked): Query<Asked>,
) -> Result<Json<World>, StatusCode> {
    Ok(Json(worlds.find(asked.id).await?))
}

/// One after another.
async fn by_ids(
    State(worlds): State<Arc<Worlds>>,
    Query(asked): Query<AskedTogether>,
) -> Result<Json<Vec<World>>, StatusCode> {
    let mut found = Vec::new();
    for id in asked.ids.split(',').take(MOST_IDS) {
        let id = id.parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        found.push(worlds.find(id).await?);
    }
    Ok(Json(found))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut app = greetings::routes();
    if let Ok(url) = env::var("DATABASE_URL") {
        let worlds = Arc::new(Worlds::open(&url).await?);
        app = app.merge(
            Router::new()
                .route("/db", get(by_id))
                .route("/queries", get(by_ids))
                .with_state(worlds),
        );
    }
    serving::serve(app).await
}
