//! Several workers on one target, a thread each. They share nothing while they run; what they
//! counted is added up at the end.

use super::opened::Target;
use crate::clock;
use crate::load::run::{RunResult, RunSpec};
use crate::load::run_control::RunControl;
use std::io;

/// What it takes to start the threads, and more.
pub(super) const TIME_TO_START_NS: u64 = 2_000_000;

pub struct WorkerPool {
    workers: Vec<Box<dyn Target>>,
}

impl WorkerPool {
    /// Of one worker at least.
    pub fn new(workers: Vec<Box<dyn Target>>) -> Self {
        Self { workers }
    }
}

impl Target for WorkerPool {
    fn run(&mut self, spec: &RunSpec, control: &RunControl) -> io::Result<RunResult> {
        let workers = self.workers.len() as u64;
        // One beginning for all: constant arrivals interleave exactly.
        let soon_ns = clock::now_ns() + TIME_TO_START_NS;
        let started_ns = spec.started_ns.unwrap_or(soon_ns);
        let shares: Vec<RunSpec> = (0..workers)
            .map(|worker| RunSpec {
                started_ns: Some(started_ns),
                ..spec.share(worker, workers)
            })
            .collect();
        let results: Vec<io::Result<RunResult>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .workers
                .iter_mut()
                .zip(&shares)
                .map(|(worker, share)| {
                    scope.spawn(move || {
                        clock::sleep_until(started_ns);
                        worker.run(share, control)
                    })
                })
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined
                .map(|result| result.expect("a panic ends the program"))
                .collect()
        });
        let mut results = results
            .into_iter()
            .collect::<io::Result<Vec<RunResult>>>()?;
        let mut sum = results.remove(0);
        results.iter().for_each(|result| sum.merge(result));
        Ok(sum)
    }

    fn io(&self) -> &'static str {
        self.workers[0].io()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Keeps what was asked of it.
    struct Asked(Arc<Mutex<Vec<RunSpec>>>);

    impl Target for Asked {
        fn run(&mut self, spec: &RunSpec, _: &RunControl) -> io::Result<RunResult> {
            self.0.lock().unwrap().push(spec.clone());
            Err(io::ErrorKind::Other.into())
        }

        fn io(&self) -> &'static str {
            "none"
        }
    }

    #[test]
    fn all_begin_at_one_time() {
        let asked = Arc::default();
        let workers = (0..3).map(|_| Box::new(Asked(Arc::clone(&asked))) as Box<dyn Target>);
        let mut pool = WorkerPool::new(workers.collect());
        let spec = RunSpec {
            rate: Some(300.0),
            ..RunSpec::default()
        };
        assert!(pool.run(&spec, &RunControl::default()).is_err());
        let asked = asked.lock().unwrap();
        assert!(asked[0]
            .started_ns
            .is_some_and(|at_ns| at_ns <= clock::now_ns()));
        assert!(asked
            .iter()
            .all(|spec| spec.started_ns == asked[0].started_ns));
        let mut offsets: Vec<u64> = asked.iter().map(|spec| spec.offset_ns).collect();
        offsets.sort_unstable();
        assert_eq!(offsets, [0, 3_333_333, 6_666_666]);
    }
}
