//! The service `Greeter` on Volo.

mod message_limit;
mod service;

pub use message_limit::MessageLimitLayer;
pub use service::Greeter;
