//! What HTTP/1.1 and HTTP/2 have in common: requests, which of them comes next, and what their
//! replies are held against.

pub mod compare;
pub mod mix;
mod request;
mod statuses;

pub use request::{Expect, Request};
pub use statuses::Statuses;
