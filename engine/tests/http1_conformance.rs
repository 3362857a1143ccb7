//! Replies of HTTP/1.1 as RFC 9112 has them, right and wrong: a table of what the published tests of
//! llhttp and httparse try, and of what our own rules add. Each case is read whole and byte by byte.

use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::http1::Http1;
use deadheat_load::protocol::{ErrorKind, Protocol};

/// What comes of some bytes as the replies to two requests, and then the end of the connection.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    /// Replies with their statuses, and whether the connection can be used again.
    Right(Vec<u16>, bool),
    /// So many right replies, then no HTTP.
    Wrong(usize),
}
use Came::{Right, Wrong};

fn read(method: &str, bytes: &[u8], piece: usize) -> Came {
    let mut request = Request::get("/");
    request.method = method.into();
    let mut protocol = Http1::new(vec![request], "h", true);
    let mut output = Vec::new();
    let mut state = protocol.connect(2, &mut output);
    protocol.request(&mut state, 0, 0, &mut output);
    protocol.request(&mut state, 1, 1, &mut output);
    let mut statuses = Vec::new();
    let mut unread = Vec::new();
    for piece in bytes.chunks(piece) {
        unread.extend_from_slice(piece);
        let mut take = |reply: deadheat_load::protocol::Reply| {
            assert_eq!(reply.failure, None);
            statuses.push(reply.status);
        };
        match protocol.receive(&mut state, &unread, &mut output, &mut take) {
            Ok(used) => drop(unread.drain(..used)),
            Err(failure) => {
                assert_eq!(failure.kind, ErrorKind::Protocol);
                return Wrong(statuses.len());
            }
        }
    }
    let is_draining = protocol.is_draining(&state);
    protocol.closed(&mut state, &mut |reply| statuses.push(reply.status));
    Right(statuses, !is_draining && unread.is_empty())
}

fn check(method: &str, bytes: &str, expected: &Came) {
    for piece in [bytes.len(), 1] {
        let came = read(method, bytes.as_bytes(), piece);
        assert_eq!(&came, expected, "{method}, pieces of {piece}: {bytes:?}");
    }
}

#[test]
fn replies_that_are_right() {
    let ok = |statuses: &[u16]| Right(statuses.to_vec(), true);
    let last = |statuses: &[u16]| Right(statuses.to_vec(), false);
    for (bytes, expected) in [
        // Status lines.
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ok(&[200])),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ok(&[200])),
        ("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", ok(&[200])),
        ("HTTP/1.1 200 Trouv\u{e9}\r\nContent-Length: 0\r\n\r\n", ok(&[200])),
        ("HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n", ok(&[999])),
        // Headers.
        ("HTTP/1.1 200 OK\r\ncontent-length:\t 1 \t\r\n\r\na", ok(&[200])),
        ("HTTP/1.1 200 OK\r\nX-Empty:\r\nContent-Length: 1\r\n\r\na", ok(&[200])),
        ("HTTP/1.1 200 OK\r\nX: \u{ff}\r\nContent-Length: 1\r\n\r\na", ok(&[200])),
        ("HTTP/1.1 200 OK\r\n!#$%&'*+-.^_`|~: x\r\nContent-Length: 0\r\n\r\n", ok(&[200])),
        // Two in a row.
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
            ok(&[200, 404]),
        ),
        // Chunked.
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ok(&[200])),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n5;a=b\r\nhello\r\n00a\r\n0123456789\r\n000\r\nT: x\r\n\r\n",
            ok(&[200]),
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            ok(&[200]),
        ),
        // No body, whatever the headers say.
        ("HTTP/1.1 204 No Content\r\n\r\n", ok(&[204])),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", ok(&[304])),
        // Interim replies.
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            ok(&[200]),
        ),
        // The end of the connection is the end of the body.
        ("HTTP/1.1 200 OK\r\n\r\nhello", Right(vec![200], true)),
        ("HTTP/1.0 200 OK\r\n\r\nhello", Right(vec![200], true)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello", Right(vec![200], true)),
        // The connection is not to be used again.
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", last(&[200])),
        ("HTTP/1.1 200 OK\r\nConnection: x, CLOSE\r\nContent-Length: 0\r\n\r\n", last(&[200])),
        ("HTTP/1.1 200 OK\r\nConnection: close, keep-alive\r\nContent-Length: 0\r\n\r\n", last(&[200])),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", last(&[200])),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", ok(&[200])),
    ] {
        check("GET", bytes, &expected);
    }
    check(
        "HEAD",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        &ok(&[200]),
    );
    check(
        "HEAD",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        &ok(&[200]),
    );
}

#[test]
fn replies_that_are_wrong() {
    let framed = "Content-Length: 0\r\n\r\n";
    let wrong_lines = [
        "HTTP/2.0 200 OK",
        "HTTP/1.2 200 OK",
        "HTTP/11 200 OK",
        "http/1.1 200 OK",
        "HTTP/1.1200 OK",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 2x0 OK",
        "HTTP/1.1 099 OK",
        "HTTP/1.1 -20 OK",
        "HTTP/1.1\t200 OK",
        " HTTP/1.1 200 OK",
        "ICY 200 OK",
        "HTTP/1.1 200OK",
    ];
    for line in wrong_lines {
        check("GET", &format!("{line}\r\n{framed}"), &Wrong(0));
    }
    let wrong_headers = [
        // Framing that could be read in two ways.
        "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: 1, 2",
        "Content-Length: +1",
        "Content-Length: -1",
        "Content-Length: 0x1",
        "Content-Length: 1 1",
        "Content-Length: ",
        "Content-Length: 18446744073709551616",
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 1",
        "Transfer-Encoding: chunked, chunked",
        // Lines that are no headers.
        "no colon",
        ": x",
        "Foo : x",
        "Fo o: x",
        "\tfolded",
        " folded",
        "Foo: x\nBar: y",
    ];
    for headers in wrong_headers {
        check(
            "GET",
            &format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n0\r\n\r\n"),
            &Wrong(0),
        );
    }
    for bytes in [
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\n\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    ] {
        check("GET", bytes, &Wrong(0));
    }
    for chunks in [
        "g\r\n",
        "\r\n",
        "-1\r\n",
        "0x1\r\n",
        " \r\n",
        "5\r\nhello!",
        "5\nhello",
        "5\r\nhello\n",
        "1\r\nab\r\n",
        "ffffffffffffffff\r\n",
        "0\r\nT: x\n",
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
        check("GET", &bytes, &Wrong(0));
    }
}

#[test]
fn what_comes_after_the_last_reply_is_wrong() {
    let one = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    check("GET", &format!("{one}{one}{one}"), &Wrong(2));
    let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    check("GET", &format!("{last}{one}"), &Wrong(1));
    check("GET", &format!("{one}x"), &Wrong(1));
}
