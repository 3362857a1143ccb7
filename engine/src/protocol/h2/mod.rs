//! HTTP/2 framing and header compression, for clients and servers: pure functions over bytes.
//! Source: RFC 9113 (HTTP/2), RFC 7541 (HPACK).

pub mod frame;
pub mod hpack;
