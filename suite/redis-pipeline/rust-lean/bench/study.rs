//! The study's commands, handed over in order, as many at a time as a pipeline takes.

use lean_redis::{Error, Pipeline};

#[derive(Clone, Copy)]
enum Command {
    Del,
    Set,
    Get,
    Incr,
}

pub struct Study {
    runs: [(Command, usize); 7],
    /// The first run that is not handed over in full.
    run: usize,
}

impl Study {
    pub fn new(iterations: usize) -> Self {
        Study {
            runs: [
                (Command::Del, 1),
                (Command::Set, iterations),
                (Command::Get, iterations),
                (Command::Del, 1),
                (Command::Incr, iterations),
                (Command::Del, 1),
                (Command::Get, iterations),
            ],
            run: 0,
        }
    }

    /// All commands of the round have been handed over.
    pub fn ended(&self) -> bool {
        self.runs[self.run..].iter().all(|(_, left)| *left == 0)
    }

    /// Hands over the next commands, at most `depth`.
    pub fn fill(&mut self, pipe: &mut Pipeline<'_>, depth: usize) -> Result<(), Error> {
        let mut room = depth;
        while self.run < self.runs.len() {
            let (command, left) = &mut self.runs[self.run];
            let taken = room.min(*left);
            for _ in 0..taken {
                match command {
                    Command::Del => pipe.del("foo")?,
                    Command::Set => pipe.set("foo", "bar")?,
                    Command::Get => pipe.get("foo")?,
                    Command::Incr => pipe.incr("foo")?,
                }
            }
            room -= taken;
            *left -= taken;
            if *left > 0 {
                break;
            }
            self.run += 1;
        }
        Ok(())
    }
}
