//! The least that a client can do for the study's Redis pipeline: the limit of this machine.

mod digest;
mod options;
mod prebuilt;
mod scan;
mod wire;

use digest::Digest;
use options::Options;
use prebuilt::Prebuilt;
use std::time::Instant;
use wire::Wire;

fn main() {
    if let Err(message) = run() {
        eprintln!("ceiling: {message}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let options = Options::from_env()?;
    let text = |error: std::io::Error| error.to_string();
    let prebuilt = Prebuilt::new(options.iterations);
    let depth = options.pipeline_depth.unwrap_or(4 * options.iterations + 3);
    let mut wire = Wire::connect(&options.host, options.port).map_err(text)?;
    let mut digest = options.verify.then(Digest::new);
    let mut commands = 0;

    let start = Instant::now();
    for _ in 0..options.rounds {
        let mut due = 0;
        for piece in prebuilt.pieces(depth) {
            if due == 0 {
                wire.start_sending().map_err(text)?;
            }
            wire.send(piece.bytes).map_err(text)?;
            due += piece.commands;
            if piece.ends_pipeline {
                commands += due;
                take(&mut wire, std::mem::take(&mut due), digest.as_mut())?;
            }
        }
        commands += due;
        take(&mut wire, due, digest.as_mut())?;
    }
    let wall_ns = start.elapsed().as_nanos();

    let digest = digest.map_or("null".to_owned(), |digest| digest.to_json());
    println!("{{\"wall_ns\":{wall_ns},\"commands\":{commands},\"digest\":{digest}}}");
    Ok(())
}

/// Reads and counts the replies due.
fn take(wire: &mut Wire, mut due: usize, mut digest: Option<&mut Digest>) -> Result<(), String> {
    wire.start_receiving().map_err(|error| error.to_string())?;
    while due > 0 {
        let (replies, bytes) = scan::scan(wire.unread(), due, digest.as_deref_mut())?;
        wire.consume(bytes);
        due -= replies;
        if due > 0 {
            wire.receive().map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
