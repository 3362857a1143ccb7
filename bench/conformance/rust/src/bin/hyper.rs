use std::convert::Infallible;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).unwrap();
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(
            TokioIo::new(stream),
            service_fn(|request: Request<Incoming>| async move {
                let body = format!("Hello from {}!", &request.uri().path()[1..]);
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(body))))
            }),
        ));
    }
}
