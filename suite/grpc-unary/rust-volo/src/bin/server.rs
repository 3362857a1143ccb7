//! Greeter as Volo's documentation shows it: the layout of `volo init`, every
//! setting at its default.

use std::{env, error::Error, net::SocketAddr};

use greeter::{Greeter, MessageLimitLayer};
use tokio::signal::unix::{SignalKind, signal};
use volo::net::Address;
use volo_gen::greeter::GreeterServer;
use volo_grpc::{
    codec::compression::CompressionEncoding::Gzip,
    server::{Server, ServiceBuilder, layer::timeout::TimeoutLayer},
};

/// What other gRPC servers take by default.
const MESSAGE_LIMIT_BYTES: usize = 4 << 20;

#[volo::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let port: u16 = env::args().nth(1).ok_or("usage: server PORT")?.parse()?;
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into());
    let address = SocketAddr::new(host.parse()?, port);

    let greeter_service = ServiceBuilder::new(GreeterServer::new(Greeter))
        .accept_compressions(vec![Gzip(None)])
        .build();

    let mut terminate = signal(SignalKind::terminate())?;
    Server::new()
        .layer(TimeoutLayer::new())
        .layer(MessageLimitLayer::new(MESSAGE_LIMIT_BYTES))
        .add_service(greeter_service)
        .run_with_shutdown(Address::from(address), async move {
            terminate.recv().await;
            Ok(())
        })
        .await
}
