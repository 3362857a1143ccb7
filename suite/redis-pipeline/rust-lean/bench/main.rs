//! The study's Redis pipeline with lean-redis, every reply made an owned value.

mod digest;
mod options;
mod study;

use digest::Digest;
use lean_redis::{Client, Error, Value};
use options::Options;
use std::hint::black_box;
use std::time::Instant;
use study::Study;

fn main() {
    if let Err(message) = run() {
        eprintln!("rust-lean: {message}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let options = Options::from_env()?;
    let text = |error: Error| error.to_string();
    let mut client = Client::connect(&options.host, options.port).map_err(text)?;
    let depth = options.pipeline_depth.unwrap_or(usize::MAX);
    let mut digest = options.verify.then(Digest::new);
    let mut commands = 0;

    let start = Instant::now();
    for _ in 0..options.rounds {
        let mut study = Study::new(options.iterations);
        while !study.ended() {
            let mut replies = client.pipeline(|pipe| study.fill(pipe, depth)).map_err(text)?;
            #[cfg(feature = "keep")]
            let mut kept = Vec::new();
            while let Some(reply) = replies.next_reply().map_err(text)? {
                let value = reply.to_value();
                if let Value::Error(message) = value {
                    return Err(message);
                }
                if let Some(digest) = &mut digest {
                    digest.add(&value)?;
                }
                #[cfg(feature = "keep")]
                kept.push(value);
                // Without it the compiler may see that nobody looks at the value, and not make it.
                #[cfg(not(feature = "keep"))]
                black_box(value);
                commands += 1;
            }
            #[cfg(feature = "keep")]
            black_box(kept);
        }
    }
    let wall_ns = start.elapsed().as_nanos();

    let digest = digest.map_or("null".to_owned(), |digest| digest.to_json());
    println!("{{\"wall_ns\":{wall_ns},\"commands\":{commands},\"digest\":{digest}}}");
    Ok(())
}
