//! Targets: one address, one protocol, its connections, shared out over one or more workers.

mod hosts;
mod open;
mod opened;
mod pool;
mod reflection;
mod spec;

pub use open::open;
pub use opened::Target;
pub use spec::Spec;
