//! A parser that is fed by hand.

use deadheat_load::protocol::{ErrorKind, Protocol, Reply};

/// Slot (stream), status and kind of failure of a reply.
pub type Fed = (u32, u16, Option<ErrorKind>);

/// Sends `in_flight` requests, then feeds `pieces` one after the other, keeping what was not used,
/// as the loop does. Every reply, and whether the bytes were the protocol at all.
pub fn feed(mut protocol: impl Protocol, pieces: &[&[u8]], in_flight: u32) -> (Vec<Fed>, bool) {
    let mut output = Vec::new();
    let mut state = protocol.connect(in_flight, &mut output);
    for slot in 0..in_flight {
        protocol.request(&mut state, slot, 0, &mut output);
    }
    let mut replies = Vec::new();
    let mut unread = Vec::new();
    for piece in pieces {
        unread.extend_from_slice(piece);
        let mut take = |reply: Reply| {
            let kind = reply.failure.map(|failure| failure.kind);
            replies.push((reply.slot, reply.status, kind));
        };
        match protocol.receive(&mut state, &unread, &mut output, &mut take) {
            Ok(used) => drop(unread.drain(..used)),
            Err(_) => return (replies, false),
        }
    }
    (replies, true)
}

/// The replies of a protocol in which they come in the order of their requests.
pub fn in_order((replies, whole): (Vec<Fed>, bool)) -> (Vec<(u16, Option<ErrorKind>)>, bool) {
    let in_order = replies.iter().zip(0..).all(|(reply, slot)| reply.0 == slot);
    assert!(in_order, "replies come in order");
    let replies = replies.into_iter();
    (
        replies.map(|(_, status, kind)| (status, kind)).collect(),
        whole,
    )
}
