//! The study's Redis pipeline with redis-rs, its synchronous connection.

mod digest;
mod options;
mod pipelines;
mod study;

use digest::Digest;
use options::Options;
use pipelines::pipelines;
use redis::Value;
use std::time::Instant;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    if let Err(message) = run() {
        eprintln!("rust-redis-rs: {message}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let options = Options::from_env()?;
    let text = |error: redis::RedisError| error.to_string();
    let client = redis::Client::open(format!("redis://{}:{}", options.host, options.port)).map_err(text)?;
    let mut connection = client.get_connection().map_err(text)?;
    let mut digest = options.verify.then(Digest::new);
    let mut commands = 0;

    let start = Instant::now();
    for _ in 0..options.rounds {
        for (pipe, count) in pipelines(options.iterations, options.pipeline_depth, !options.verify) {
            if let Some(digest) = &mut digest {
                let replies: Vec<Value> = pipe.query(&mut connection).map_err(text)?;
                replies.iter().try_for_each(|reply| digest.add(reply))?;
            } else {
                let () = pipe.query(&mut connection).map_err(text)?;
            }
            commands += count;
        }
    }
    let wall_ns = start.elapsed().as_nanos();

    let digest = digest.map_or("null".to_owned(), |digest| digest.to_json());
    println!("{{\"wall_ns\":{wall_ns},\"commands\":{commands},\"digest\":{digest}}}");
    Ok(())
}
