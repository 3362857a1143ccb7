//! Requests as they go over the wire.

use crate::protocol::http::Request;
use crate::template::{LengthPrefix, Template};

/// A request to `host` with the token in place; `keep_alive`: the connection is to last.
pub fn render(request: &Request, host: &str, keep_alive: bool, token: &str, seed: u64) -> Template {
    let has = |name: &str| {
        let mut names = request.headers.iter().map(|(name, _)| name);
        names.any(|other| other.eq_ignore_ascii_case(name))
    };
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.path);
    if !has("host") {
        head += &format!("Host: {host}\r\n");
    }
    if !keep_alive && !has("connection") {
        head += "Connection: close\r\n";
    }
    for (name, value) in &request.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let text = |text: &str| request.template(text, token, seed);
    let mut rendered = text(&head);
    let body = request.body.as_ref();
    let body = body.map(|body| request.body_template(body, token, seed));
    if has("transfer-encoding") {
        rendered.push(b"\r\n");
        rendered.append(as_one_chunk(body.unwrap_or_default()));
        return rendered;
    }
    match &body {
        Some(body) if !has("content-length") => {
            rendered.push(b"Content-Length: ");
            rendered.push_length_of(body);
            rendered.push(b"\r\n");
        }
        // Methods whose requests usually have a body say that there is none (RFC 9110, 8.6).
        None if !has("content-length") && means_a_body(&request.method) => {
            rendered.push(b"Content-Length: 0\r\n");
        }
        _ => {}
    }
    rendered.push(b"\r\n");
    rendered.append(body.unwrap_or_default());
    rendered
}

fn means_a_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

/// A chunked body (RFC 9112, section 7.1).
fn as_one_chunk(body: Template) -> Template {
    let mut chunked = Template::default();
    if body.constant() != Some(&[]) {
        chunked.push_counted(LengthPrefix::HexLine, body);
        chunked.push(b"\r\n");
    }
    chunked.push(b"0\r\n\r\n");
    chunked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Body;

    fn written(request: &Request, sequence: u64) -> String {
        let mut output = Vec::new();
        render(request, "h:80", true, "ab", 0).write(sequence, &mut output);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn rendered_with_token_and_length() {
        let mut request = Request::get("/{token}");
        request.method = "POST".into();
        request.headers = vec![("X-A".into(), "{token}".into())];
        request.body = Some("<{token}>".into());
        assert_eq!(
            written(&request, 0),
            "POST /ab HTTP/1.1\r\nHost: h:80\r\nX-A: ab\r\nContent-Length: 4\r\n\r\n<ab>"
        );
    }

    #[test]
    fn the_sequence_number_changes_the_length_of_the_body() {
        let mut request = Request::get("/{seq}");
        request.body = Some("{seq}{token}{seq}".into());
        for (sequence, length) in [(7, 4), (123, 8)] {
            assert_eq!(
                written(&request, sequence),
                format!("GET /{sequence} HTTP/1.1\r\nHost: h:80\r\nContent-Length: {length}\r\n\r\n{sequence}ab{sequence}")
            );
        }
    }

    #[test]
    fn a_body_is_framed_once() {
        let mut request = Request::get("/");
        request.method = "POST".into();
        let head = "POST / HTTP/1.1\r\nHost: h:80\r\n";
        assert_eq!(
            written(&request, 0),
            format!("{head}Content-Length: 0\r\n\r\n")
        );
        request.headers = vec![("transfer-encoding".into(), "chunked".into())];
        let head = format!("{head}transfer-encoding: chunked\r\n\r\n");
        assert_eq!(written(&request, 0), format!("{head}0\r\n\r\n"));
        request.body = Some("{seq}".repeat(9).into());
        for (sequence, size) in [(7, "9"), (77, "12")] {
            let body = sequence.to_string().repeat(9);
            assert_eq!(
                written(&request, sequence),
                format!("{head}{size}\r\n{body}\r\n0\r\n\r\n")
            );
        }
    }

    #[test]
    fn bytes_go_out_as_they_are() {
        let bytes: Vec<u8> = (0..=255).chain(*b"{seq}{token}").collect();
        let mut request = Request::get("/{seq}");
        request.body = Some(Body::binary(&bytes));
        let mut output = Vec::new();
        render(&request, "h", true, "t", 0).write(7, &mut output);
        let mut expected = b"GET /7 HTTP/1.1\r\nHost: h\r\nContent-Length: 268\r\n\r\n".to_vec();
        expected.extend(bytes);
        assert_eq!(output, expected);
    }

    #[test]
    fn headers_of_ones_own_replace_ours() {
        let mut request = Request::get("/");
        request.headers = vec![
            ("HOST".into(), "x".into()),
            ("connection".into(), "y".into()),
        ];
        let mut output = Vec::new();
        render(&request, "h", false, "", 0).write(0, &mut output);
        let text = String::from_utf8(output).unwrap();
        assert_eq!(text, "GET / HTTP/1.1\r\nHOST: x\r\nconnection: y\r\n\r\n");
    }
}
