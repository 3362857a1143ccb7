//! Serves `/db?id=N`, `/queries?ids=N,N`, `/updates` and `/fortunes?add=TEXT` of the PostgreSQL that
//! DATABASE_URL names, on one thread.

mod fortunes;
mod http;
mod rows;

use std::env;
use std::error::Error;
use std::rc::Rc;

use tokio::net::TcpListener;
use tokio::signal::unix::{signal, SignalKind};
use tokio::task::{spawn_local, LocalSet};

use rows::Rows;

/// Until SIGTERM. A connection that breaks is nobody's concern.
async fn serve(listener: TcpListener, rows: Rc<Rows>) -> Result<(), Box<dyn Error>> {
    let mut terminate = signal(SignalKind::terminate())?;
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (socket, _) = accepted?;
                let rows = Rc::clone(&rows);
                spawn_local(async move { http::serve(socket, &rows).await });
            }
            _ = terminate.recv() => return Ok(()),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".into());
    let port = env::args().nth(1).unwrap_or_else(|| "8080".into());
    let rows = Rc::new(Rows::open(&env::var("DATABASE_URL")?).await?);
    let listener = TcpListener::bind((host, port.parse()?)).await?;
    LocalSet::new().run_until(serve(listener, rows)).await
}
