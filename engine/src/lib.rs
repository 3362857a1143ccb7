//! Deadheat's load generator: closed and open loops over epoll, every reply checked in full.
//!
//! It counts and times, and never interprets. `docs/engine-protocol.md` says how a referee
//! drives it; [`protocol::Protocol`] is what a new protocol implements.

pub mod address;
pub mod clock;
pub mod drive;
pub mod encoding;
pub mod error;
pub mod figure;
pub mod fnv;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
pub mod histogram;
pub mod limits;
pub mod load;
pub mod net;
pub mod output;
pub mod protocol;
pub mod random;
pub mod search;
pub mod serve;
pub mod signals;
pub mod target;
pub mod template;
pub mod threshold;
