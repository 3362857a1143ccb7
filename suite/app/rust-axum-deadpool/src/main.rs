//! Serves the routes of the application: `/plaintext/NAME`, `/json/NAME` and, where DATABASE_URL names a
//! PostgreSQL, `/db?id=N` and `/queries?ids=N,N`.

mod greetings;
mod serving;
mod worlds;

use std::env;
use std::error::Error;

use axum::routing::get;
use axum::Router;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut app = greetings::routes();
    if let Ok(url) = env::var("DATABASE_URL") {
        let pool = worlds::open(&url).await?;
        app = app.merge(
            Router::new()
                .route("/db", get(worlds::by_id))
                .route("/queries", get(worlds::by_ids))
                .with_state(pool),
        );
    }
    serving::serve(app).await
}
