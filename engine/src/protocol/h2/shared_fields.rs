//! What the requests of a run have in common, and what the static table has of it.

use super::rendered::RequestTemplate;
use crate::template::Template;

/// The fields that every request has, in the order of the first one's, with the same constant
/// value, and once. What stands in the static table needs no other.
pub fn shared(requests: &[RequestTemplate]) -> Vec<(String, Vec<u8>)> {
    let Some(first) = requests.first() else {
        return Vec::new();
    };
    let is_everywhere = |name: &String, value: &Template| {
        requests.iter().all(|request| {
            let mut same = request.fields.iter().filter(|(other, _)| other == name);
            same.next().is_some_and(|(_, other)| other == value) && same.next().is_none()
        })
    };
    let mut shared = Vec::new();
    for (name, value) in &first.fields {
        if let Some(constant) = value.constant() {
            if static_index(name, constant).is_none() && is_everywhere(name, value) {
                shared.push((name.clone(), constant.to_vec()));
            }
        }
    }
    shared
}

pub fn static_index(name: &str, value: &[u8]) -> Option<usize> {
    match (name, value) {
        (":method", b"GET") => Some(2),
        (":method", b"POST") => Some(3),
        (":path", b"/") => Some(4),
        (":scheme", b"http") => Some(6),
        (":scheme", b"https") => Some(7),
        _ => None,
    }
}
