//! The table `fortune` as a page.

use tokio_postgres::Row;

pub const EVERY: &str = "SELECT id, message FROM fortune";
const BEFORE: &str =
    "<!DOCTYPE html>\n<html>\n<head><title>Fortunes</title></head>\n<body>\n<table>\n\
    <tr><th>id</th><th>message</th></tr>\n";
const BEHIND: &str = "</table>\n</body>\n</html>\n";

/// Every fortune and the one that the request adds, by message.
pub fn page(rows: &[Row], added: &str) -> Vec<u8> {
    let mut fortunes: Vec<(i32, &str)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    fortunes.push((0, added));
    fortunes.sort_unstable_by_key(|(_, message)| *message);
    let mut page = Vec::with_capacity(32 << 10);
    page.extend_from_slice(BEFORE.as_bytes());
    let mut number = itoa::Buffer::new();
    for (id, message) in fortunes {
        page.extend_from_slice(b"<tr><td>");
        page.extend_from_slice(number.format(id).as_bytes());
        page.extend_from_slice(b"</td><td>");
        push_escaped(&mut page, message);
        page.extend_from_slice(b"</td></tr>\n");
    }
    page.extend_from_slice(BEHIND.as_bytes());
    page
}

fn push_escaped(page: &mut Vec<u8>, text: &str) {
    for &byte in text.as_bytes() {
        let escaped: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => {
                page.push(byte);
                continue;
            }
        };
        page.extend_from_slice(escaped);
    }
}
