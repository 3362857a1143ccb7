//! HTTP/1.1: one request of a connection after the other.

use std::cell::RefCell;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::rows::Rows;

const MOST_HEADERS: usize = 32;
const BAD_REQUEST: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

pub struct Request<'a> {
    pub method: &'a str,
    /// With its query.
    pub path: &'a str,
    pub body: &'a [u8],
}

pub enum Answer {
    Json(Vec<u8>),
    Html(Vec<u8>),
    NotFound,
    BadRequest,
    Failed,
}

thread_local! {
    /// A second, and `Date` as it is said then.
    static DATE: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
}

/// Until the client closes, or says what cannot be understood.
pub async fn serve(mut socket: TcpStream, rows: &Rows) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut input = Vec::with_capacity(16 << 10);
    let mut output = Vec::with_capacity(16 << 10);
    loop {
        match parsed(&input) {
            Ok(Some((request, length))) => {
                output.clear();
                write(&mut output, rows.answer(&request).await);
                socket.write_all(&output).await?;
                input.drain(..length);
            }
            Ok(None) => {
                if socket.read_buf(&mut input).await? == 0 {
                    return Ok(());
                }
            }
            Err(_) => return socket.write_all(BAD_REQUEST).await,
        }
    }
}

/// The request at the start of `input` and its whole length, where all of it has come.
fn parsed(input: &[u8]) -> Result<Option<(Request<'_>, usize)>, httparse::Error> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head_length) = head.parse(input)? else {
        return Ok(None);
    };
    let body_length = head
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-length"))
        .map_or(Some(0), |header| {
            std::str::from_utf8(header.value).ok()?.parse().ok()
        })
        .ok_or(httparse::Error::HeaderValue)?;
    let Some(body) = input[head_length..].get(..body_length) else {
        return Ok(None);
    };
    let request = Request {
        method: head.method.unwrap_or_default(),
        path: head.path.unwrap_or_default(),
        body,
    };
    Ok(Some((request, head_length + body_length)))
}

fn write(output: &mut Vec<u8>, answer: Answer) {
    let (status, kind, body) = match answer {
        Answer::Json(body) => ("200 OK", "application/json", body),
        Answer::Html(body) => ("200 OK", "text/html; charset=utf-8", body),
        Answer::NotFound => ("404 Not Found", "text/plain", Vec::new()),
        Answer::BadRequest => ("400 Bad Request", "text/plain", Vec::new()),
        Answer::Failed => ("500 Internal Server Error", "text/plain", Vec::new()),
    };
    let mut length = itoa::Buffer::new();
    for part in [
        "HTTP/1.1 ",
        status,
        "\r\nServer: ceiling\r\nContent-Type: ",
        kind,
        "\r\nContent-Length: ",
        length.format(body.len()),
        "\r\nDate: ",
    ] {
        output.extend_from_slice(part.as_bytes());
    }
    DATE.with_borrow_mut(|(second, date)| {
        let now = SystemTime::now();
        let since = now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        if *second != since {
            (*second, *date) = (since, httpdate::fmt_http_date(now));
        }
        output.extend_from_slice(date.as_bytes());
    });
    output.extend_from_slice(b"\r\n\r\n");
    output.extend_from_slice(&body);
}
