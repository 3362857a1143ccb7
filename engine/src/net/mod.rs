//! The sockets as the load loop sees them: numbered connections, events, a clock.
//!
//! The loop is written against this trait, so that the same code runs over epoll and, in
//! tests, over a simulated network in virtual time.

pub mod address;
pub mod epoll;
mod namespace;
pub mod send_buffer;
mod socket_option;
pub mod stamped;
pub mod tls;
pub mod uring;

use std::io;

/// How the bytes get to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Io {
    /// Whichever costs less by measurement where it matters: epoll (docs/performance.md).
    #[default]
    Auto,
    Epoll,
    Uring,
}

/// What happened on connection `id`. Edge-triggered: it is told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: usize,
    /// There are bytes to read, or the peer has closed, or there is an error to fetch.
    pub readable: bool,
    /// The peer has closed its side, or the connection is broken.
    pub hangup: bool,
    /// Room to write again, or a connection is established (or failed to be).
    pub writable: bool,
}

/// Numbered connections to one target.
pub trait Net {
    /// Nanoseconds on the clock that all deadlines refer to.
    fn now_ns(&self) -> u64;

    /// How the bytes get to the kernel, for the summary.
    fn name(&self) -> &'static str {
        "simulated"
    }

    /// Begins to connect `id`; true if it is connected already. Otherwise events tell when to
    /// ask [`Net::connected`].
    fn connect(&mut self, id: usize) -> io::Result<bool>;

    /// Whether the attempt to connect has succeeded by now.
    fn connected(&mut self, id: usize) -> io::Result<bool>;

    /// Closes `id`, if it is open.
    fn close(&mut self, id: usize);

    /// Sends what fits now; `WouldBlock` if nothing does.
    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize>;

    /// Reads what is there; 0 at the end of the stream, `WouldBlock` if nothing is there.
    fn recv(&mut self, id: usize, buffer: &mut [u8]) -> io::Result<usize>;

    /// There is room to write again: whatever a layer holds back itself goes out now.
    fn writable(&mut self, _id: usize) -> io::Result<()> {
        Ok(())
    }

    /// Whether a read that did not fill the buffer has emptied the socket (epoll(7)), so that
    /// no second read is needed to learn it.
    fn short_read_empties(&self) -> bool {
        true
    }

    /// When the bytes of the last [`Net::recv`] arrived, where that is known better than by the
    /// clock after reading them.
    #[inline]
    fn arrived_ns(&self) -> Option<u64> {
        None
    }

    /// Handshakes of TLS so far, where there is TLS.
    fn handshakes(&self) -> Option<tls::Handshakes> {
        None
    }

    /// Events that one [`Net::wait`] tells at most: when it tells so many there may be more.
    fn events_at_once(&self) -> usize {
        usize::MAX
    }

    /// Lets so much time pass without looking at anything.
    fn pause(&mut self, ns: u64);

    /// Waits for events until `deadline_ns` at the latest and puts them into `events`.
    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()>;
}
