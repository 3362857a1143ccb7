//! What a call looks like on its way to the server.

use super::spec::CallSpec;
use crate::protocol::h2::rendered::{render, RenderedRequest, RequestTemplate};
use crate::template::with_token;
use crate::template::Template;

const USER_AGENT: &str = concat!("deadheat-load/", env!("CARGO_PKG_VERSION"));

/// Renders the call; its only one of a run.
pub fn wires(
    spec: &CallSpec,
    is_tls: bool,
    authority: &str,
    token: &str,
    payload: Template,
) -> Vec<RenderedRequest> {
    let scheme = if is_tls { "https" } else { "http" };
    let mut fields: Vec<(String, String)> = [
        (":method", "POST"),
        (":scheme", scheme),
        (":path", &format!("/{}", spec.call)),
        (":authority", authority),
        ("content-type", "application/grpc"),
        ("user-agent", USER_AGENT),
        ("te", "trailers"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    if let Some(ms) = spec.deadline_ms {
        fields.push(("grpc-timeout".into(), timeout(ms)));
    }
    if spec.gzip {
        fields.push(("grpc-encoding".into(), "gzip".into()));
        // A server may answer in the encoding that it was asked in.
        fields.push(("grpc-accept-encoding".into(), "gzip".into()));
    }
    for (name, value) in &spec.metadata {
        fields.push((name.to_ascii_lowercase(), with_token(value, token)));
    }
    let fields = fields.into_iter();
    let fields = fields
        .map(|(name, value)| (name, Template::text(&value)))
        .collect();
    render(vec![RequestTemplate { fields, payload }])
}

/// At most eight digits and a unit: gRPC over HTTP/2, "Timeout".
fn timeout(ms: u32) -> String {
    if ms < 100_000_000 {
        format!("{ms}m")
    } else {
        format!("{}S", ms / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::h2::hpack::Decoder;

    #[test]
    fn all_three_blocks_say_the_same() {
        let spec = CallSpec {
            call: "a.B/C".into(),
            metadata: vec![("X-Key".into(), "{token}".into())],
            deadline_ms: Some(1500),
            gzip: true,
            ..CallSpec::default()
        };
        let wires = wires(&spec, false, "h:1", "7f", Template::bytes(&[0; 5]));
        let wire = &wires[0];
        let mut decoder = Decoder::default();
        let mut said = |block: &Template| {
            let mut text = String::new();
            let mut take = |name: &[u8], value: &[u8]| {
                text += &String::from_utf8_lossy(&[name, b": ", value, b"\n"].concat());
            };
            let block = block.constant().unwrap();
            decoder.decode(block, &mut take).unwrap();
            text
        };
        let first = said(&wire.first_block);
        assert!(first.starts_with(":method: POST\n:scheme: http\n"));
        assert!(first.contains("\n:path: /a.B/C\n") && first.contains("\n:authority: h:1\n"));
        assert!(first.ends_with(
            "grpc-timeout: 1500m\ngrpc-encoding: gzip\ngrpc-accept-encoding: gzip\nx-key: 7f\n"
        ));
        assert_eq!(said(&wire.next_block), first);
        assert_eq!(said(&wire.next_block), first);
        assert_eq!(said(&wire.plain_block), first);
        assert!(wire.next_block.len(0) < 12);
    }
}
