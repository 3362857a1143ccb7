//! A small Redis client that allocates nothing for a command and, unless asked, nothing for a reply.
//!
//! Commands are rendered into a fixed buffer and leave when it is full. Replies are slices of the buffer that
//! they were read into; [`Reply::to_value`] makes an owned value of one.
//!
//! ```no_run
//! # fn main() -> Result<(), lean_redis::Error> {
//! let mut client = lean_redis::Client::connect("127.0.0.1", 6379)?;
//! client.call(&["SET", "greeting", "hello"])?;
//! let mut replies = client.pipeline(|pipe| {
//!     pipe.get("greeting")?;
//!     pipe.incr("visits")
//! })?;
//! while let Some(reply) = replies.next_reply()? {
//!     println!("{:?}", reply.to_value());
//! }
//! # Ok(())
//! # }
//! ```

mod client;
mod command;
mod error;
mod reply;
mod wire;

pub use client::{Client, Replies};
pub use command::Pipeline;
pub use error::Error;
pub use reply::{Reply, Value};

#[doc(hidden)]
pub use reply::parse;
