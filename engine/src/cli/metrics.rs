//! `--metrics`: the figures of a run for Prometheus, while it goes on.

use deadheat_load::error::{Error, Result};
use deadheat_load::load::run_control::Interval;
use deadheat_load::output::prometheus::{Exposition, Format};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const PATH: &str = "/metrics";
const LONGEST_HEAD: usize = 8 * 1024;
/// One that scrapes and says nothing keeps others waiting no longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers scrapes in a thread of its own, if asked to.
pub struct Endpoint(Option<Arc<Mutex<Exposition>>>);

impl Endpoint {
    /// Says on stderr where it listens.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub fn listen(address: Option<SocketAddr>) -> Result<Self> {
        let Some(address) = address else {
            return Ok(Self(None));
        };
        let cannot = |error: io::Error| Error::usage(format!("--metrics {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(cannot)?;
        let place = listener.local_addr().map_err(cannot)?;
        let shared = Arc::new(Mutex::new(Exposition::default()));
        let read = Arc::clone(&shared);
        // It ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who hangs up needs no answer.
                let _ = answer(stream, &read);
            }
        });
        eprintln!("metrics: http://{place}{PATH}");
        Ok(Self(Some(shared)))
    }

    pub fn is_asked_for(&self) -> bool {
        self.0.is_some()
    }

    /// An interval is over.
    pub fn add(&self, interval: &Interval) {
        if let Some(shared) = &self.0 {
            let mut exposition = shared.lock().unwrap_or_else(PoisonError::into_inner);
            exposition.add(interval);
        }
    }
}

/// One request, then the connection ends.
fn answer(mut stream: TcpStream, exposition: &Mutex<Exposition>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < LONGEST_HEAD {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            n => head.extend_from_slice(&buffer[..n]),
        }
    }
    let asked = format!("GET {PATH} ");
    let format = Format::of_accept(&accept(&head));
    let (status, media_type, body) = match head.starts_with(asked.as_bytes()) {
        true => {
            let exposition = exposition.lock().unwrap_or_else(PoisonError::into_inner);
            ("200 OK", format.media_type(), exposition.body(format))
        }
        false => ("404 Not Found", "text/plain", format!("{PATH}\n").into()),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}

/// All that a request accepts.
fn accept(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let headers = head.lines().filter_map(|line| line.split_once(':'));
    let accepted = headers.filter(|(name, _)| name.eq_ignore_ascii_case("accept"));
    let values: Vec<&str> = accepted.map(|(_, value)| value.trim()).collect();
    values.join(",")
}
