use std::net::SocketAddr;

use warp::Filter;

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).unwrap();
    let hello = warp::path!(String).map(|token| format!("Hello from {token}!"));
    let address: SocketAddr = format!("127.0.0.1:{port}").parse().unwrap();
    warp::serve(hello).run(address).await;
}
