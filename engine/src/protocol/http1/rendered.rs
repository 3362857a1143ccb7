//! Requests, and the bodies that are expected, as they are in one run.
//!
//! A run may draw from a pool of thousands of requests and replies. Those that are the same each time
//! stand side by side in one piece of memory, each reply behind its request, so that drawing one at
//! random costs few misses of the cache.

use super::render::render;
use crate::protocol::http::Request;
use crate::template::Template;
use std::ops::Range;

/// Places for heads of replies that are known: replies to neighbouring requests differ in length.
pub const HEAD_PLACES: usize = 16;

#[derive(Clone, Default)]
pub struct Rendered {
    entries: Vec<Entry>,
    /// Of the entries that are constant: requests, each with its expected body behind it.
    bytes: Vec<u8>,
    templates: Vec<(Template, Option<Template>)>,
}

#[derive(Clone, Copy)]
struct Entry {
    at: usize,
    /// Bytes of the request; 0 if it varies.
    request: u32,
    /// Bytes of the expected body, if it is constant.
    body: u32,
    kind: Kind,
    head_place: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any body will do.
    AnyBody,
    Constant,
    Varies,
}

/// The body that a reply must have.
pub enum Expected<'a> {
    Any,
    Constant(&'a [u8]),
    Varies,
}

impl Rendered {
    /// Renders `requests` with the token in place, and values made from the seed.
    pub fn new(requests: &[Request], host: &str, keep_alive: bool, token: &str, seed: u64) -> Self {
        let mut rendered = Self::default();
        for request in requests {
            let wire = render(request, host, keep_alive, token, seed);
            rendered.push(wire, request.expected_body(token, seed));
        }
        rendered
    }

    fn push(&mut self, wire: Template, body: Option<Template>) {
        let at = self.bytes.len();
        let wire = match wire.constant() {
            Some(bytes) if u32::try_from(bytes.len()).is_ok() => {
                self.bytes.extend_from_slice(bytes);
                Template::default()
            }
            _ => wire,
        };
        let request = (self.bytes.len() - at) as u32;
        let constant = body.as_ref().and_then(Template::constant);
        let (kind, body, rest) = match (constant, &body) {
            (None, None) => (Kind::AnyBody, 0, None),
            (Some(bytes), _) if u32::try_from(bytes.len()).is_ok() => {
                self.bytes.extend_from_slice(bytes);
                (Kind::Constant, bytes.len() as u32, None)
            }
            _ => (Kind::Varies, 0, body),
        };
        self.entries.push(Entry {
            at,
            request,
            body,
            kind,
            head_place: (body as usize % HEAD_PLACES) as u8,
        });
        self.templates.push((wire, rest));
    }

    /// Appends request number `sequence`, which is `request` of them.
    #[inline]
    pub fn write(&self, request: u32, sequence: u64, output: &mut Vec<u8>) {
        let entry = &self.entries[request as usize];
        if entry.request > 0 {
            output.extend_from_slice(&self.bytes[entry.request_bytes()]);
        } else {
            self.templates[request as usize].0.write(sequence, output);
        }
    }

    /// The bytes of a request that is the same each time.
    pub fn constant_request(&self, request: u32) -> Option<&[u8]> {
        let entry = &self.entries[request as usize];
        (entry.request > 0).then(|| &self.bytes[entry.request_bytes()])
    }

    /// What the reply to a request must bring.
    #[inline]
    pub fn expected(&self, request: u32) -> Expected<'_> {
        let entry = &self.entries[request as usize];
        match entry.kind {
            Kind::AnyBody => Expected::Any,
            Kind::Constant => Expected::Constant(&self.bytes[entry.body_bytes()]),
            Kind::Varies => Expected::Varies,
        }
    }

    /// The body that the reply to request number `sequence` must have, if any; in `scratch` if it
    /// varies.
    #[inline]
    pub fn body<'a>(
        &'a self,
        request: u32,
        sequence: u64,
        scratch: &'a mut Vec<u8>,
    ) -> Option<&'a [u8]> {
        match self.expected(request) {
            Expected::Any => None,
            Expected::Constant(body) => Some(body),
            Expected::Varies => {
                let template = self.templates[request as usize].1.as_ref()?;
                Some(template.rendered(sequence, scratch))
            }
        }
    }

    /// Where the head of the reply is kept if it is the usual one.
    #[inline]
    pub fn head_place(&self, request: u32) -> usize {
        usize::from(self.entries[request as usize].head_place)
    }
}

impl Entry {
    #[inline]
    fn request_bytes(&self) -> Range<usize> {
        self.at..self.at + self.request as usize
    }

    #[inline]
    fn body_bytes(&self) -> Range<usize> {
        let from = self.at + self.request as usize;
        from..from + self.body as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_and_what_does_not() {
        let mut requests = vec![
            Request::get("/a"),
            Request::get("/{seq}"),
            Request::get("/{token}"),
        ];
        requests[0].expect.body = Some("A{token}".into());
        requests[1].expect.body = Some("B{seq}".into());
        let rendered = Rendered::new(&requests, "h", true, "t", 0);
        let mut scratch = Vec::new();
        let mut said = |request, sequence| {
            let mut output = Vec::new();
            rendered.write(request, sequence, &mut output);
            let body = rendered.body(request, sequence, &mut scratch);
            let body = body.map(|body| String::from_utf8(body.to_vec()).unwrap());
            let output = String::from_utf8(output).unwrap();
            (output.split(' ').nth(1).unwrap().to_owned(), body)
        };
        assert_eq!(said(0, 9), ("/a".into(), Some("At".into())));
        assert_eq!(said(1, 9), ("/9".into(), Some("B9".into())));
        assert_eq!(said(2, 9), ("/t".into(), None));
    }
}
