//! Which request was sent, for protocols that send several different ones.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Index among the requests of the run.
    pub request: u32,
    /// Number of the request in the order of sending.
    pub sequence: u64,
}
