use actix_web::{web, App, HttpServer};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).unwrap();
    HttpServer::new(|| {
        App::new().route(
            "/{token}",
            web::get().to(|token: web::Path<String>| async move { format!("Hello from {token}!") }),
        )
    })
    .bind(format!("127.0.0.1:{port}"))?
    .run()
    .await
}
