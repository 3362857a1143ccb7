use axum::extract::Path;
use axum::Json;
use serde::Serialize;

#[derive(Serialize)]
pub struct Greeting {
    message: String,
}

fn hello(name: &str) -> String {
    format!("Hello, {name}!")
}

pub async fn plaintext(Path(name): Path<String>) -> String {
    hello(&name)
}

pub async fn json(Path(name): Path<String>) -> Json<Greeting> {
    Json(Greeting {
        message: hello(&name),
    })
}
