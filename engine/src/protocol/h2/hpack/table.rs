//! The tables of HPACK: a static one, and one that the sender fills. RFC 7541 section 2.3.

use std::collections::VecDeque;

/// RFC 7541 appendix A; index 1 is the first.
#[rustfmt::skip]
const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// What an entry costs beside its bytes, RFC 7541 section 4.1.
const OVERHEAD: usize = 32;

pub type Field = (Vec<u8>, Vec<u8>);

/// The dynamic table of one direction.
#[derive(Debug)]
pub struct Table {
    entries: VecDeque<Field>,
    size: usize,
    /// What the sender chose, at most `limit`.
    max_size: usize,
    limit: usize,
    /// Changes whenever an index may mean something else.
    version: u64,
}

impl Table {
    pub fn new(limit: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            size: 0,
            max_size: limit,
            limit,
            version: 0,
        }
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    /// The field of an index; `None` if there is none.
    pub fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        if let Some((name, value)) = STATIC.get(index.checked_sub(1)?) {
            return Some((name.as_bytes(), value.as_bytes()));
        }
        let (name, value) = self.entries.get(index - 1 - STATIC.len())?;
        Some((name, value))
    }

    pub fn insert(&mut self, field: Field) {
        self.version += 1;
        let size = field.0.len() + field.1.len() + OVERHEAD;
        self.evict(self.max_size.saturating_sub(size));
        if size <= self.max_size {
            self.size += size;
            self.entries.push_front(field);
        }
    }

    /// The sender takes less or more of the table; `None` if more than it may.
    pub fn resize(&mut self, max_size: usize) -> Option<()> {
        if max_size > self.limit {
            return None;
        }
        self.version += 1;
        self.max_size = max_size;
        self.evict(max_size);
        Some(())
    }

    fn evict(&mut self, size: usize) {
        while self.size > size {
            let Some((name, value)) = self.entries.pop_back() else {
                return;
            };
            self.size -= name.len() + value.len() + OVERHEAD;
        }
    }
}
