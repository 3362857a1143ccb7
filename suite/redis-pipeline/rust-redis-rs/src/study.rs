//! The study's commands, filled into redis-rs's pipelines.

use redis::Pipeline;

#[derive(Clone, Copy)]
enum Command {
    Del,
    Set,
    Get,
    Incr,
}

/// The commands of one round, in order, as pipelines of at most `depth` commands.
/// The next pipeline is filled only when it is asked for.
pub fn pipelines(
    iterations: usize,
    depth: Option<usize>,
    ignore_replies: bool,
) -> impl Iterator<Item = (Pipeline, usize)> {
    let mut commands = [
        (Command::Del, 1),
        (Command::Set, iterations),
        (Command::Get, iterations),
        (Command::Del, 1),
        (Command::Incr, iterations),
        (Command::Del, 1),
        (Command::Get, iterations),
    ]
    .into_iter()
    .flat_map(|(command, times)| std::iter::repeat_n(command, times));
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
