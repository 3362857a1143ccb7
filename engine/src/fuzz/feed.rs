//! Any bytes as what a server says.

use crate::protocol::{ErrorKind, Protocol, Reply, Slot};

/// Requests in flight when the bytes begin to come.
const IN_FLIGHT: u32 = 2;

/// Each reply, and whether all of it was the protocol.
type Outcome = (Vec<(Slot, u16, Option<ErrorKind>)>, bool);

/// Gives `bytes` to a client whole, and cut in two at each of some places that `bytes` name
/// themselves. It has to say the same of them.
pub fn cut_anywhere<P: Protocol + Clone>(protocol: &P, bytes: &[u8]) {
    let whole = feed(protocol, &[bytes]);
    let mut hash = bytes.len();
    for &byte in bytes.iter().take(4) {
        hash = hash.wrapping_mul(31).wrapping_add(usize::from(byte));
        let (a, b) = bytes.split_at(hash % (bytes.len() + 1));
        assert_eq!(feed(protocol, &[a, b]), whole);
    }
}

/// Keeps what was not used, as the loop does.
fn feed<P: Protocol + Clone>(protocol: &P, pieces: &[&[u8]]) -> Outcome {
    let mut protocol = protocol.clone();
    let mut output = Vec::new();
    let mut state = protocol.connect(IN_FLIGHT, &mut output);
    for slot in 0..IN_FLIGHT {
        protocol.request(&mut state, slot, u64::from(slot), &mut output);
        // Where requests are streams of messages: another one waits.
        protocol.let_go(&mut state, slot, 1, &mut output);
    }
    let (mut replies, mut unread) = (Vec::new(), Vec::new());
    for piece in pieces {
        unread.extend_from_slice(piece);
        let mut take = |reply: Reply| {
            let kind = reply.failure.map(|failure| failure.kind);
            replies.push((reply.slot, reply.status, kind));
        };
        match protocol.receive(&mut state, &unread, &mut output, &mut take) {
            Ok(used) => drop(unread.drain(..used)),
            Err(_) => return (once_each(replies), false),
        }
    }
    (once_each(replies), true)
}

/// No request has two replies.
fn once_each(replies: Vec<(Slot, u16, Option<ErrorKind>)>) -> Vec<(Slot, u16, Option<ErrorKind>)> {
    for slot in 0..IN_FLIGHT {
        let of_slot = replies.iter().filter(|(other, _, _)| *other == slot);
        assert!(
            of_slot.count() <= 1,
            "two replies in slot {slot}: {replies:?}"
        );
    }
    replies
}
