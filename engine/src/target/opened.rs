//! A target that is open, whatever its protocol and however it is connected to.

use crate::load::run::{RunResult, RunSpec};
use crate::load::run_control::RunControl;
use crate::load::Worker;
use crate::net::Net;
use crate::protocol::Protocol;
use std::io;

/// A target of any protocol. Not on the hot path: one call is a run.
pub trait Target: Send {
    /// Loads it once.
    ///
    /// # Errors
    /// Only if waiting for events itself fails.
    fn run(&mut self, spec: &RunSpec, control: &RunControl) -> io::Result<RunResult>;
    /// How the bytes get to the kernel: `epoll` or `io_uring`.
    fn io(&self) -> &'static str;
}

impl<P, N> Target for Worker<P, N>
where
    P: Protocol + Send,
    P::Connection: Send,
    N: Net + Send,
{
    fn run(&mut self, spec: &RunSpec, control: &RunControl) -> io::Result<RunResult> {
        Worker::run(self, spec, control)
    }

    fn io(&self) -> &'static str {
        Worker::io(self)
    }
}
