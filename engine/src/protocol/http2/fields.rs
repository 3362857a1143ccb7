//! Requests of HTTP/1.1 as fields of HTTP/2, RFC 9113 section 8.

use crate::error::{Error, Result};
use crate::protocol::h2::rendered::RequestTemplate;
use crate::protocol::http::Request;
use crate::template::Template;

/// Headers of a connection, RFC 9113 section 8.2.2; HTTP/2 has frames for what they say.
const FORBIDDEN: [&str; 5] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
];

/// # Errors
/// A header that HTTP/2 has no place for.
pub fn check(request: &Request) -> Result<()> {
    request.check()?;
    for (name, value) in &request.headers {
        let lower = name.to_ascii_lowercase();
        let is_te = lower == "te" && value != "trailers";
        if FORBIDDEN.contains(&lower.as_str()) || is_te {
            return Err(Error::usage(format!(
                "\"{name}: {value}\" has no place in HTTP/2"
            )));
        }
    }
    Ok(())
}

/// A request with the token in place.
pub fn request_template(
    request: &Request,
    is_tls: bool,
    authority: &str,
    token: &str,
    seed: u64,
) -> RequestTemplate {
    let text = |text: &str| request.template(text, token, seed);
    let is_host = |name: &str| name.eq_ignore_ascii_case("host");
    let host = request.headers.iter().find(|(name, _)| is_host(name));
    let authority = host.map_or(authority, |(_, value)| value);
    let scheme = if is_tls { "https" } else { "http" };
    let mut fields = vec![
        (
            ":method".to_owned(),
            Template::bytes(request.method.as_bytes()),
        ),
        (":scheme".to_owned(), Template::bytes(scheme.as_bytes())),
        (":path".to_owned(), text(&request.path)),
        (":authority".to_owned(), text(authority)),
    ];
    for (name, value) in request.headers.iter().filter(|(name, _)| !is_host(name)) {
        fields.push((name.to_ascii_lowercase(), text(value)));
    }
    let payload = request.body.as_ref();
    let payload = payload.map(|body| request.body_template(body, token, seed));
    let payload = payload.unwrap_or_default();
    if request.body.is_some() && !fields.iter().any(|(name, _)| name == "content-length") {
        let mut length = Template::default();
        length.push_length_of(&payload);
        fields.push(("content-length".to_owned(), length));
    }
    RequestTemplate { fields, payload }
}
