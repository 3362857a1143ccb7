//! Greeter on the same stack, tuned: one single-threaded runtime a core, each
//! with a listening socket of its own. README.md says what each change gave.

use std::{env, error::Error, net::SocketAddr, thread};

use greeter::{
    Greeter,
    proto::{self, greeter_server::GreeterServer},
};
use tokio::{
    net::{TcpListener, TcpSocket},
    runtime,
    signal::unix::{SignalKind, signal},
    sync::watch,
};
use tonic::{
    codec::CompressionEncoding,
    service::Routes,
    transport::{Server, server::TcpIncoming},
};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Connections that the kernel holds until they are accepted.
const BACKLOG: u32 = 1024;

fn main() -> Result<()> {
    let port: u16 = env::args().nth(1).ok_or("usage: tuned PORT")?.parse()?;
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into());
    let address = SocketAddr::new(host.parse()?, port);
    // The cores of the affinity mask, not of the machine.
    let cores = thread::available_parallelism()?.get();

    // Before any thread listens: one that begins late must still learn that it is to stop.
    let main_runtime = single_threaded()?;
    let mut terminate = {
        let _entered = main_runtime.enter();
        signal(SignalKind::terminate())?
    };
    let (stop, stopped) = watch::channel(false);

    let others: Vec<_> = (1..cores)
        .map(|_| {
            let stopped = stopped.clone();
            thread::spawn(move || single_threaded()?.block_on(serve(address, cores, stopped)))
        })
        .collect();
    main_runtime.block_on(async {
        tokio::spawn(async move {
            terminate.recv().await;
            stop.send(true)
        });
        serve(address, cores, stopped).await
    })?;
    for other in others {
        other.join().expect("a server thread panicked")?;
    }
    Ok(())
}

fn single_threaded() -> std::io::Result<runtime::Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}

async fn serve(
    address: SocketAddr,
    cores: usize,
    mut stopped: watch::Receiver<bool>,
) -> Result<()> {
    let incoming = TcpIncoming::from(listen(address, cores)?).with_nodelay(Some(true));
    let greeter_service = GreeterServer::new(Greeter).accept_compressed(CompressionEncoding::Gzip);
    let routes = side_services().await?;
    #[cfg(feature = "direct-route")]
    let service = greeter::DirectRoute::new(greeter_service, routes);
    #[cfg(not(feature = "direct-route"))]
    let service = routes.add_service(greeter_service).prepare();

    Server::builder()
        .serve_with_incoming_shutdown(service, incoming, async move {
            let _ = stopped.wait_for(|&is_stopped| is_stopped).await;
        })
        .await?;
    Ok(())
}

/// With more than one core, each has a socket on the same port and the kernel
/// spreads the connections; alone, a port that is taken stays an error.
fn listen(address: SocketAddr, cores: usize) -> Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(cores > 1)?;
    socket.bind(address)?;
    Ok(socket.listen(BACKLOG)?)
}

/// Health and reflection.
async fn side_services() -> Result<Routes> {
    let (health_reporter, health_service) = tonic_health::server::health_reporter();
    health_reporter
        .set_serving::<GreeterServer<Greeter>>()
        .await;
    let reflection_service = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    Ok(Routes::new(health_service).add_service(reflection_service))
}
