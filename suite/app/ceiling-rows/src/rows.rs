//! The rows, over one connection: what is asked for is sent before what was asked before is answered.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use serde::Deserialize;
use tokio::sync::OnceCell;
use tokio_postgres::{Client, Error, NoTls, Statement};

use crate::fortunes;
use crate::http::{Answer, Request};

/// Of a request; further ones are not looked up.
const MOST_IDS: usize = 500;
const BY_ID: &str = "SELECT id, randomnumber FROM world WHERE id = $1";
const UPDATE: &str = "UPDATE world SET randomnumber = new.value \
    FROM unnest($1::integer[], $2::integer[]) AS new (id, value) WHERE world.id = new.id";

/// Statements are prepared when they are first asked for: not each database has all tables.
pub struct Rows {
    client: Client,
    by_id: OnceCell<Statement>,
    update: OnceCell<Statement>,
    fortunes: OnceCell<Statement>,
}

#[derive(Clone, Copy, Deserialize)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

impl World {
    fn push(&self, json: &mut Vec<u8>) {
        let (mut id, mut number) = (itoa::Buffer::new(), itoa::Buffer::new());
        json.extend_from_slice(b"{\"id\":");
        json.extend_from_slice(id.format(self.id).as_bytes());
        json.extend_from_slice(b",\"randomNumber\":");
        json.extend_from_slice(number.format(self.random_number).as_bytes());
        json.push(b'}');
    }
}

impl Rows {
    pub async fn open(url: &str) -> Result<Self, Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
        Ok(Rows {
            client,
            by_id: OnceCell::new(),
            update: OnceCell::new(),
            fortunes: OnceCell::new(),
        })
    }

    pub async fn answer(&self, request: &Request<'_>) -> Answer {
        let (path, query) = request.path.split_once('?').unwrap_or((request.path, ""));
        let answered = match (request.method, path) {
            ("GET", "/db") => self.one(query).await,
            ("GET", "/queries") => self.several(query).await,
            ("POST", "/updates") => self.updated(request.body).await,
            ("GET", "/fortunes") => self.page(query).await,
            _ => return Answer::NotFound,
        };
        answered.unwrap_or_else(|error| {
            eprintln!("{error}");
            Answer::Failed
        })
    }

    async fn one(&self, query: &str) -> Result<Answer, Error> {
        let Some(Ok(id)) = query.strip_prefix("id=").map(str::parse) else {
            return Ok(Answer::BadRequest);
        };
        Ok(match self.find(id).await? {
            Some(world) => {
                let mut json = Vec::with_capacity(40);
                world.push(&mut json);
                Answer::Json(json)
            }
            None => Answer::NotFound,
        })
    }

    async fn several(&self, query: &str) -> Result<Answer, Error> {
        let Some(ids) = query.strip_prefix("ids=") else {
            return Ok(Answer::BadRequest);
        };
        let ids: Result<Vec<i32>, _> = ids.split(',').take(MOST_IDS).map(str::parse).collect();
        let Ok(ids) = ids else {
            return Ok(Answer::BadRequest);
        };
        Ok(self
            .find_all(ids)
            .await?
            .map_or(Answer::NotFound, |worlds| Answer::Json(json(&worlds))))
    }

    /// Each row once and by id, so that no two requests wait for one another.
    async fn updated(&self, body: &[u8]) -> Result<Answer, Error> {
        let Ok(asked) = serde_json::from_slice::<Vec<World>>(body) else {
            return Ok(Answer::BadRequest);
        };
        let ids = asked.iter().map(|world| world.id);
        if self.find_all(ids).await?.is_none() {
            return Ok(Answer::NotFound);
        }
        let by_id: BTreeMap<i32, i32> = asked
            .iter()
            .map(|world| (world.id, world.random_number))
            .collect();
        let (ids, values): (Vec<i32>, Vec<i32>) = by_id.into_iter().unzip();
        let update = self.prepared(&self.update, UPDATE).await?;
        self.client.execute(update, &[&ids, &values]).await?;
        Ok(Answer::Json(json(&asked)))
    }

    async fn page(&self, query: &str) -> Result<Answer, Error> {
        let added = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "add");
        let Some((_, text)) = added else {
            return Ok(Answer::BadRequest);
        };
        let every = self.prepared(&self.fortunes, fortunes::EVERY).await?;
        let rows = self.client.query(every, &[]).await?;
        Ok(Answer::Html(fortunes::page(&rows, &text)))
    }

    /// None where one of them is not there.
    async fn find_all(
        &self,
        ids: impl IntoIterator<Item = i32>,
    ) -> Result<Option<Vec<World>>, Error> {
        let found = try_join_all(ids.into_iter().map(|id| self.find(id))).await?;
        Ok(found.into_iter().collect())
    }

    async fn find(&self, id: i32) -> Result<Option<World>, Error> {
        let by_id = self.prepared(&self.by_id, BY_ID).await?;
        let row = self.client.query_opt(by_id, &[&id]).await?;
        Ok(row.map(|row| World {
            id: row.get(0),
            random_number: row.get(1),
        }))
    }

    async fn prepared<'a>(
        &self,
        statement: &'a OnceCell<Statement>,
        sql: &str,
    ) -> Result<&'a Statement, Error> {
        statement.get_or_try_init(|| self.client.prepare(sql)).await
    }
}

fn json(worlds: &[World]) -> Vec<u8> {
    let mut json = Vec::with_capacity(2 + 40 * worlds.len());
    json.push(b'[');
    for (place, world) in worlds.iter().enumerate() {
        if place > 0 {
            json.push(b',');
        }
        world.push(&mut json);
    }
    json.push(b']');
    json
}
