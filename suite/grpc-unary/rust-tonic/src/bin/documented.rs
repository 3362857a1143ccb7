//! Greeter as tonic's documentation shows it: every setting at its default.

use std::{env, error::Error, net::SocketAddr};

use greeter::{
    Greeter,
    proto::{self, greeter_server::GreeterServer},
};
use tokio::signal::unix::{SignalKind, signal};
use tonic::{codec::CompressionEncoding, transport::Server};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = env::args()
        .nth(1)
        .ok_or("usage: documented PORT")?
        .parse()?;
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into());

    let (health_reporter, health_service) = tonic_health::server::health_reporter();
    health_reporter
        .set_serving::<GreeterServer<Greeter>>()
        .await;
    let reflection_service = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let greeter_service = GreeterServer::new(Greeter).accept_compressed(CompressionEncoding::Gzip);
    #[cfg(feature = "gzip-replies")]
    let greeter_service = greeter_service.send_compressed(CompressionEncoding::Gzip);

    let mut terminate = signal(SignalKind::terminate())?;
    Server::builder()
        .add_service(health_service)
        .add_service(reflection_service)
        .add_service(greeter_service)
        .serve_with_shutdown(SocketAddr::new(host.parse()?, port), async move {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}
