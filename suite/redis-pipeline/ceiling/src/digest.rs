//! The digest of replies that workload.toml defines: FNV-1a over `$text\n`, `:number\n`, `_\n`.

pub struct Digest(u64);

impl Digest {
    pub fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    pub fn nil(&mut self) {
        self.bytes(b"_\n");
    }

    pub fn number(&mut self, digits: &[u8]) {
        self.line(b':', digits);
    }

    pub fn text(&mut self, text: &[u8]) {
        self.line(b'$', text);
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        self.bytes(&[kind]);
        self.bytes(text);
        self.bytes(b"\n");
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Sixteen hexadecimal digits, as a JSON string.
    pub fn to_json(&self) -> String {
        format!("\"{:016x}\"", self.0)
    }
}
