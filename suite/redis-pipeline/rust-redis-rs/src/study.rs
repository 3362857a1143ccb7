//! The study's commands.

#[derive(Clone, Copy)]
pub enum Command {
    Del,
    Set,
    Get,
    Incr,
}

/// Those of one round, in order.
pub fn commands(iterations: usize) -> impl Iterator<Item = Command> {
    [
        (Command::Del, 1),
        (Command::Set, iterations),
        (Command::Get, iterations),
        (Command::Del, 1),
        (Command::Incr, iterations),
        (Command::Del, 1),
        (Command::Get, iterations),
    ]
    .into_iter()
    .flat_map(|(command, times)| std::iter::repeat_n(command, times))
}
