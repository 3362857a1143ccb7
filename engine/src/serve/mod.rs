//! Servers that do the least a server of their protocol may do: the ceiling of this machine.

pub mod http;
pub mod signal;
