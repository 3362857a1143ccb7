//! The digest of replies that workload.toml defines: FNV-1a over `$text\n`, `:number\n`, `_\n`.

use lean_redis::Value;

pub struct Digest(u64);

impl Digest {
    pub fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &[u8]) {
        self.bytes(b"$");
        self.bytes(text);
        self.bytes(b"\n");
    }

    /// Adds one reply; a kind of reply that the workload does not have is an error.
    pub fn add(&mut self, reply: &Value) -> Result<(), String> {
        match reply {
            Value::Nil => self.bytes(b"_\n"),
            Value::Integer(number) => self.bytes(format!(":{number}\n").as_bytes()),
            Value::Okay => self.text(b"OK"),
            Value::Status(text) => self.text(text.as_bytes()),
            Value::Text(text) => self.text(text),
            other => return Err(format!("unexpected reply {other:?}")),
        }
        Ok(())
    }

    /// Sixteen hexadecimal digits, as a JSON string.
    pub fn to_json(&self) -> String {
        format!("\"{:016x}\"", self.0)
    }
}
