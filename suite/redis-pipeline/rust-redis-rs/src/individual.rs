//! The study's commands with redis-rs, each issued by itself over its asynchronous multiplexed connection.

mod digest;
mod options;
mod study;

use digest::Digest;
use futures_util::{stream, StreamExt, TryStreamExt};
use options::Options;
use redis::aio::MultiplexedConnection;
use redis::{Cmd, RedisResult, Value};
use std::time::Instant;
use study::Command;

/// As many commands are under way at a time: as many as the connection's own queue takes unless told otherwise.
/// Beyond that commands wait for room in it, and need not enter in the order in which they were issued.
const UNDER_WAY: usize = 50;

fn main() {
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
        .and_then(|runtime| runtime.block_on(run()));
    if let Err(message) = outcome {
        eprintln!("rust-redis-rs:async-individual: {message}");
        std::process::exit(1);
    }
}

async fn run() -> Result<(), String> {
    let options = Options::from_env()?;
    let text = |error: redis::RedisError| error.to_string();
    let client = redis::Client::open(format!("redis://{}:{}", options.host, options.port)).map_err(text)?;
    let config = redis::AsyncConnectionConfig::new().set_response_timeout(None);
    let connection = client
        .get_multiplexed_async_connection_with_config(&config)
        .await
        .map_err(text)?;
    let depth = options.pipeline_depth.unwrap_or(usize::MAX);
    let mut digest = options.verify.then(Digest::new);
    let mut commands = 0;

    let start = Instant::now();
    for _ in 0..options.rounds {
        let mut round = study::commands(options.iterations).peekable();
        while round.peek().is_some() {
            let replies: Vec<Value> = stream::iter(round.by_ref().take(depth))
                .map(|command| issue(connection.clone(), command))
                .buffered(UNDER_WAY)
                .try_collect()
                .await
                .map_err(text)?;
            if let Some(digest) = &mut digest {
                replies.iter().try_for_each(|reply| digest.add(reply))?;
            }
            commands += replies.len();
        }
    }
    let wall_ns = start.elapsed().as_nanos();

    let digest = digest.map_or("null".to_owned(), |digest| digest.to_json());
    println!("{{\"wall_ns\":{wall_ns},\"commands\":{commands},\"digest\":{digest}}}");
    Ok(())
}

/// One command and its reply.
async fn issue(mut connection: MultiplexedConnection, command: Command) -> RedisResult<Value> {
    let command = match command {
        Command::Del => Cmd::del("foo"),
        Command::Set => Cmd::set("foo", "bar"),
        Command::Get => Cmd::get("foo"),
        Command::Incr => Cmd::incr("foo", 1),
    };
    command.query_async(&mut connection).await
}
