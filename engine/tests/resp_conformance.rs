//! Replies of RESP2 and RESP3 as the protocol's specification has them, right and wrong: a table of what the
//! published tests of hiredis and redis-rs try. Each case is read whole and byte by byte.

use deadheat_load::address::Url;
use deadheat_load::protocol::redis::{CommandSpec, Login, Redis};
use deadheat_load::protocol::{ErrorKind, Protocol, Reply};
use serde_json::{json, Value};

/// What came of some bytes as the reply to one command: right, another reply, an error; `None`: no reply
/// yet; `Err`: not RESP.
type Came = Result<Option<Option<ErrorKind>>, ()>;

fn read(bytes: &[u8], expected: Option<&Value>, piece: usize) -> Came {
    let spec = CommandSpec {
        commands: vec![vec!["GET".into(), "foo".into()]],
        expect: expected.map(|expected| vec![expected.clone()]),
        ..CommandSpec::default()
    };
    let url = Url::parse("redis://127.0.0.1").expect("a URL");
    let login = Login::from_url(&url, false).expect("no login");
    let mut protocol = Redis::new(&spec, login).expect("a command");
    let mut output = Vec::new();
    let mut state = protocol.connect(1, &mut output);
    protocol.request(&mut state, 0, 0, &mut output);
    let mut replies: Vec<Reply> = Vec::new();
    let mut unread = Vec::new();
    for piece in bytes.chunks(piece) {
        unread.extend_from_slice(piece);
        let mut take = |reply| replies.push(reply);
        match protocol.receive(&mut state, &unread, &mut output, &mut take) {
            Ok(used) => drop(unread.drain(..used)),
            Err(_) => return Err(()),
        }
    }
    assert!(replies.len() <= 1);
    let reply = replies.pop();
    Ok(reply.map(|reply| reply.failure.map(|failure| failure.kind)))
}

fn check(bytes: &str, expected: Option<&Value>, came: Came) {
    for piece in [bytes.len(), 1] {
        let read = read(bytes.as_bytes(), expected, piece);
        assert_eq!(
            read, came,
            "pieces of {piece}: {bytes:?}, expected {expected:?}"
        );
    }
}

#[test]
fn every_type_is_what_it_says() {
    for (bytes, expected) in [
        ("+OK\r\n", json!("OK")),
        ("+\r\n", json!("")),
        ("$0\r\n\r\n", json!("")),
        ("$5\r\nhello\r\n", json!("hello")),
        ("$4\r\na\r\nb\r\n", json!("a\r\nb")),
        ("$2\r\n\u{e9}\r\n", json!("\u{e9}")),
        ("=8\r\ntxt:Some\r\n", json!("txt:Some")),
        (":0\r\n", json!(0)),
        (":-1\r\n", json!(-1)),
        (":9223372036854775807\r\n", json!(i64::MAX)),
        (":-9223372036854775808\r\n", json!(i64::MIN)),
        ("$-1\r\n", json!(null)),
        ("*-1\r\n", json!(null)),
        ("_\r\n", json!(null)),
        ("#t\r\n", json!(true)),
        ("#f\r\n", json!(false)),
        ("*0\r\n", json!([])),
        ("*2\r\n$1\r\na\r\n:7\r\n", json!(["a", 7])),
        (
            "*3\r\n$1\r\na\r\n$-1\r\n*1\r\n+b\r\n",
            json!(["a", null, ["b"]]),
        ),
        ("~2\r\n+a\r\n+b\r\n", json!(["a", "b"])),
        ("%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n", json!(["a", 1, "b", 2])),
        // What stands before or between replies is none.
        (">3\r\n+message\r\n+c\r\n+x\r\n+OK\r\n", json!("OK")),
        ("|1\r\n+ttl\r\n:3600\r\n$2\r\nhi\r\n", json!("hi")),
        (
            "*2\r\n|1\r\n+k\r\n*1\r\n:1\r\n+a\r\n+b\r\n",
            json!(["a", "b"]),
        ),
    ] {
        check(bytes, Some(&expected), Ok(Some(None)));
        check(
            bytes,
            Some(&json!("something else")),
            Ok(Some(Some(ErrorKind::Body))),
        );
        check(bytes, None, Ok(Some(None)));
        for cut in 1..bytes.len() {
            if bytes.is_char_boundary(cut) {
                check(&bytes[..cut], None, Ok(None));
            }
        }
    }
    for bytes in [
        ",1.5\r\n",
        ",inf\r\n",
        ",-inf\r\n",
        ",nan\r\n",
        ",1e3\r\n",
        "(123456789012345678901234567890\r\n",
    ] {
        check(bytes, None, Ok(Some(None)));
    }
}

#[test]
fn errors_are_errors() {
    for bytes in [
        "-ERR unknown command\r\n",
        "-\r\n",
        "!21\r\nSYNTAX invalid syntax\r\n",
        "*2\r\n+a\r\n-ERR in a transaction\r\n",
        ">1\r\n+x\r\n-MOVED 3999 127.0.0.1:6381\r\n",
    ] {
        check(bytes, None, Ok(Some(Some(ErrorKind::Status))));
        check(bytes, Some(&json!("x")), Ok(Some(Some(ErrorKind::Status))));
    }
}

#[test]
fn what_is_no_resp_is_refused() {
    let deep = "*1\r\n".repeat(33);
    for bytes in [
        "HTTP/1.1 400 Bad Request\r\n",
        "@0\r\n",
        "OK\r\n",
        "\r\n",
        "+OK\rx",
        "+OK\r\r\n",
        ":\r\n",
        ":x\r\n",
        ":1.5\r\n",
        ":9223372036854775808\r\n",
        ": 1\r\n",
        "$-2\r\n",
        "$+1\r\n",
        "$x\r\n",
        "$\r\n",
        "$536870913\r\n",
        "$99999999999\r\n",
        "$2\r\nabc\r\n",
        "*-2\r\n",
        "*x\r\n",
        "*\r\n",
        "*2147483648\r\n",
        "_x\r\n",
        "#x\r\n",
        "#\r\n",
        ",\r\n",
        "(\r\n",
        "!-1\r\n",
        "=x\r\n",
        "%-1\r\n",
        ">0\r\n",
        "*2\r\n>1\r\n+x\r\n",
        &deep,
    ] {
        check(bytes, None, Err(()));
    }
}
