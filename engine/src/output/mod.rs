//! What a run by hand leaves behind: a summary, a time series, a histogram log.

pub mod bars;
pub mod csv;
pub mod hdr_log;
pub mod intervals;
pub mod shown;
pub mod summary;
