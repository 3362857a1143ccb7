//! Replies of Redis servers.

use super::feed::cut_anywhere;
use crate::address::Url;
use crate::protocol::redis::resp::{Progress, Reader};
use crate::protocol::redis::{CommandSpec, Login, Redis};
use serde_json::json;

/// Any bytes as replies to two commands, and as replies that are only read.
pub fn replies(bytes: &[u8]) {
    let spec = CommandSpec {
        commands: vec![
            vec!["GET".into(), "a".into()],
            vec!["LRANGE".into(), "b".into()],
        ],
        expect: Some(vec![json!("ok"), json!(["ok", 5, null])]),
        ..CommandSpec::default()
    };
    let url = Url::parse("redis://h:1").expect("a URL");
    let login = Login::from_url(&url, false).expect("no login");
    cut_anywhere(&Redis::new(&spec, login).expect("two commands"), bytes);
    read(bytes);
}

/// Every step uses what it says it uses, and what is left unread is at most a line.
fn read(mut bytes: &[u8]) {
    let mut reader = Reader::default();
    while !bytes.is_empty() {
        match reader.read(bytes, None) {
            Ok(Progress::Done(used) | Progress::Aside(used)) => {
                assert!(used > 0);
                bytes = &bytes[used..];
            }
            Ok(Progress::More(used)) => {
                assert!(bytes.len() - used <= 64 * 1024);
                return;
            }
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::serve::redis::garbage::Garbage;
    use proptest::prelude::*;

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"+OK\r\n".to_vec()),
            Just(b"-ERR no\r\n".to_vec()),
            Just(b"$2\r\nok\r\n".to_vec()),
            Just(b"$-1\r\n".to_vec()),
            Just(b"_\r\n".to_vec()),
            Just(b":5\r\n".to_vec()),
            Just(b"*3\r\n".to_vec()),
            Just(b"%1\r\n".to_vec()),
            Just(b"|1\r\n".to_vec()),
            Just(b">2\r\n".to_vec()),
            Just(b"!3\r\nbad\r\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..6),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_short_run(pieces in prop::collection::vec(piece(), 0..12)) {
            super::replies(&pieces.concat());
        }
    }

    /// What `serve redis --garbage` says.
    #[test]
    fn a_hostile_server() {
        for seed in 0..2_000 {
            let mut garbage = Garbage::new(seed);
            let mut bytes = Vec::new();
            (0..6).for_each(|_| garbage.put(&mut bytes));
            super::replies(&bytes);
        }
    }
}
