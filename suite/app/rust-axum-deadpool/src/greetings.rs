use axum::extract::Path;
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;

#[derive(Serialize)]
struct Greeting {
    message: String,
}

fn hello(name: &str) -> String {
    format!("Hello, {name}!")
}

pub fn routes() -> Router {
    Router::new()
        .route("/plaintext/{name}", get(plaintext))
        .route("/json/{name}", get(json))
}

async fn plaintext(Path(name): Path<String>) -> String {
    hello(&name)
}

async fn json(Path(name): Path<String>) -> Json<Greeting> {
    Json(Greeting {
        message: hello(&name),
    })
}
