//! The table `fortune` as a page.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use serde::Deserialize;
use sqlx::PgPool;

use crate::database::failed;

#[derive(Deserialize)]
pub struct Asked {
    add: String,
}

struct Fortune {
    id: i32,
    message: String,
}

#[derive(Template)]
#[template(path = "fortunes.html")]
struct Page {
    fortunes: Vec<Fortune>,
}

/// Every fortune and the one that the request adds, by message.
pub async fn page(
    State(pool): State<PgPool>,
    Query(asked): Query<Asked>,
) -> Result<Html<String>, StatusCode> {
    let rows = sqlx::query_as("SELECT id, message FROM fortune")
        .fetch_all(&pool)
        .await
        .map_err(failed)?;
    let mut fortunes: Vec<Fortune> = rows
        .into_iter()
        .map(|(id, message)| Fortune { id, message })
        .collect();
    fortunes.push(Fortune {
        id: 0,
        message: asked.add,
    });
    fortunes.sort_by(|one, other| one.message.cmp(&other.message));
    Ok(Html(Page { fortunes }.render().map_err(failed)?))
}
