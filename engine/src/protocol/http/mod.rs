//! What HTTP/1.1 and HTTP/2 have in common: requests, which of them comes next, and what their
//! replies are held against.

pub mod assertion;
pub mod compare;
pub mod content;
mod expect;
pub mod inspection;
pub mod mix;
mod request;
mod statuses;
pub mod stream;

pub use expect::Expect;
pub use request::Request;
pub use statuses::Statuses;
