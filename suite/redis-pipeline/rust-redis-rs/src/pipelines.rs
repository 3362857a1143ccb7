//! The study's commands, filled into redis-rs's pipelines.

use crate::study::{commands, Command};
use redis::Pipeline;

/// The commands of one round, in order, as pipelines of at most `depth` commands.
/// The next pipeline is filled only when it is asked for.
pub fn pipelines(
    iterations: usize,
    depth: Option<usize>,
    ignore_replies: bool,
) -> impl Iterator<Item = (Pipeline, usize)> {
    let mut commands = commands(iterations);
    let depth = depth.unwrap_or(usize::MAX);
    std::iter::from_fn(move || {
        let mut pipe = redis::pipe();
        let mut count = 0;
        for command in commands.by_ref().take(depth) {
            match command {
                Command::Del => pipe.del("foo"),
                Command::Set => pipe.set("foo", "bar"),
                Command::Get => pipe.get("foo"),
                Command::Incr => pipe.incr("foo", 1),
            };
            if ignore_replies {
                pipe.ignore();
            }
            count += 1;
        }
        (count > 0).then_some((pipe, count))
    })
}
