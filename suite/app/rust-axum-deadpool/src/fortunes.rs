//! The table `fortune` as a page.

use askama::Template;
use axum::response::Html;
use serde::Deserialize;
use tokio_postgres::Row;

pub const EVERY: &str = "SELECT id, message FROM fortune";

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
pub fn page(rows: &[Row], asked: Asked) -> Result<Html<String>, askama::Error> {
    let mut fortunes: Vec<Fortune> = rows
        .iter()
        .map(|row| Fortune {
            id: row.get(0),
            message: row.get(1),
        })
        .collect();
    fortunes.push(Fortune {
        id: 0,
        message: asked.add,
    });
    fortunes.sort_by(|one, other| one.message.cmp(&other.message));
    Ok(Html(Page { fortunes }.render()?))
}
