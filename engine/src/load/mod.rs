//! The load loop: one thread, one target, many connections, no allocation per request.
//!
//! A [`Worker`] loads a target for one run after the other. It owns sockets, slots, time and
//! metrics; the [`Protocol`](crate::protocol::Protocol) makes and reads bytes; the
//! [`Net`](crate::net::Net) moves them. Its parts, each a file:
//!
//! - `worker.rs`: the main loop, from `beginning.rs` to the result of a run;
//! - `sending.rs` and `receiving.rs`: the way of a request, from the decision to send it to its reply;
//! - `lifecycle.rs`: connections that are opened, replaced and lost, and what was on them;
//! - `timers.rs`: timeouts and reconnections; `opening.rs`: connecting before any load;
//! - what the worker keeps: `connection.rs` and `slots.rs` (one of each connection),
//!   `requests.rs` and `open_loop.rs` (what may be sent), `phases.rs` (which part of the run it
//!   is), `metrics.rs`, `counts.rs`, `groups.rs`, `streams.rs`, `messages.rs` and
//!   `asides.rs` (what is counted), `publisher.rs` (what a watcher knows).

pub mod arrivals;
pub mod asides;
mod beginning;
pub mod coalesce;
mod connection;
pub mod counts;
pub mod groups;
mod lateness;
mod lifecycle;
mod loop_delay;
pub mod messages;
mod metrics;
pub mod open_loop;
mod opening;
mod phases;
mod publisher;
mod receiving;
mod replies;
mod requests;
pub mod run;
pub mod run_control;
mod sending;
mod slots;
pub mod streams;
mod timers;
mod worker;

pub use worker::{Settings, Worker};
