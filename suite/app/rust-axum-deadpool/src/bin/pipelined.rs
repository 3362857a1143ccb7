//! The same application on a runtime of one thread, with one connection to the database: requests that wait
//! share it, and each statement is sent before those of others are answered.

#[path = "../cached.rs"]
mod cached;
#[path = "../fortunes.rs"]
mod fortunes;
#[path = "../greetings.rs"]
mod greetings;
#[path = "../serving.rs"]
mod serving;

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use tokio_postgres::{Client, NoTls, Statement};

/// Of a request; further ones are not looked up.
const MOST_IDS: usize = 500;
const UPDATE: &str = "UPDATE world SET randomnumber = new.value \
    FROM unnest($1::integer[], $2::integer[]) AS new (id, value) WHERE world.id = new.id";
const BY_ID: &str = "SELECT id, randomnumber FROM world WHERE id = $1";

struct Worlds {
    client: Client,
    by_id: OnceCell<Statement>,
    update: OnceCell<Statement>,
    fortunes: OnceCell<Statement>,
    cached_by_id: OnceCell<Statement>,
    cache: cached::Worlds,
}

#[derive(Deserialize)]
struct Asked {
    id: i32,
}

#[derive(Deserialize)]
struct AskedTogether {
    ids: String,
}

#[derive(Deserialize, Serialize)]
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
        Ok(Worlds {
            client,
            by_id: OnceCell::new(),
            update: OnceCell::new(),
            fortunes: OnceCell::new(),
            cached_by_id: OnceCell::new(),
            cache: cached::worlds(),
        })
    }

    /// Prepared when it is first asked for.
    async fn prepared<'a>(
        &self,
        statement: &'a OnceCell<Statement>,
        sql: &str,
    ) -> Result<&'a Statement, StatusCode> {
        statement
            .get_or_try_init(|| self.client.prepare(sql))
            .await
            .map_err(failed)
    }

    async fn find(&self, id: i32) -> Result<World, StatusCode> {
        let by_id = self.prepared(&self.by_id, BY_ID).await?;
        let row = self
            .client
            .query_opt(by_id, &[&id])
            .await
            .map_err(failed)?
            .ok_or(StatusCode::NOT_FOUND)?;
        Ok(World {
            id: row.get(0),
            random_number: row.get(1),
        })
    }

    async fn cached(&self, id: i32) -> Result<cached::World, StatusCode> {
        let by_id = self.prepared(&self.cached_by_id, cached::BY_ID).await?;
        let row = self
            .client
            .query_opt(by_id, &[&id])
            .await
            .map_err(failed)?
            .ok_or(StatusCode::NOT_FOUND)?;
        Ok(cached::World::of(&row))
    }
}

async fn cached_worlds(
    State(worlds): State<Arc<Worlds>>,
    Query(asked): Query<cached::Asked>,
) -> Result<Json<Vec<cached::World>>, StatusCode> {
    cached::by_ids(&worlds.cache, &asked, |id| worlds.cached(id)).await
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

/// Reads one row after another, and writes all in one statement, each row once and by id.
async fn update(
    State(worlds): State<Arc<Worlds>>,
    Json(asked): Json<Vec<World>>,
) -> Result<Json<Vec<World>>, StatusCode> {
    for world in &asked {
        worlds.find(world.id).await?;
    }
    let by_id: BTreeMap<i32, i32> = asked
        .iter()
        .map(|world| (world.id, world.random_number))
        .collect();
    let (ids, values): (Vec<i32>, Vec<i32>) = by_id.into_iter().unzip();
    let update = worlds.prepared(&worlds.update, UPDATE).await?;
    worlds
        .client
        .execute(update, &[&ids, &values])
        .await
        .map_err(failed)?;
    Ok(Json(asked))
}

async fn every_fortune(
    State(worlds): State<Arc<Worlds>>,
    Query(asked): Query<fortunes::Asked>,
) -> Result<Html<String>, StatusCode> {
    let every = worlds.prepared(&worlds.fortunes, fortunes::EVERY).await?;
    let rows = worlds.client.query(every, &[]).await.map_err(failed)?;
    fortunes::page(&rows, asked).map_err(failed)
}

fn failed(error: impl Error) -> StatusCode {
    eprintln!("{error}");
    StatusCode::INTERNAL_SERVER_ERROR
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
                .route("/updates", post(update))
                .route("/fortunes", get(every_fortune))
                .route("/cached", get(cached_worlds))
                .with_state(worlds),
        );
    }
    serving::serve(app).await
}
