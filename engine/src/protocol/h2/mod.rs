//! HTTP/2: framing and header compression for clients and servers, pure functions over bytes,
//! and the client that gRPC and plain requests have in common.
//! Source: RFC 9113 (HTTP/2), RFC 7541 (HPACK).

pub mod cached_block;
pub mod client;
pub mod connection;
pub mod counts;
pub mod exchange;
pub mod field_rules;
pub mod frame;
pub mod hpack;
mod messages;
mod receive;
pub mod rendered;
mod shared_fields;
pub mod stream;

pub use client::Http2Client;
