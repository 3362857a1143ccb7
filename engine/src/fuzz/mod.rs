//! Bodies of the fuzz targets in `engine/fuzz`: pure functions of some bytes that panic where a
//! parser is wrong. The same bodies run for a short time among the ordinary tests; no build of
//! the program has them (feature `fuzzing`).

mod feed;
pub mod frames;
pub mod grpc;
pub mod hpack;
pub mod http1;
pub mod http2;
pub mod resp;
pub mod websocket;
