//! What a run by hand leaves behind: a summary, a time series, a histogram log.

pub mod assertions;
pub mod bars;
pub mod by_request;
pub mod csv;
pub mod ghz;
pub mod hdr_log;
pub mod intervals;
mod lateness;
pub mod live;
pub mod messages;
pub mod prometheus;
pub mod shown;
pub mod streams;
pub mod summary;
mod table;
pub mod websocket;

pub use self::lateness::LatenessMs;
pub use self::table::latency_table;
