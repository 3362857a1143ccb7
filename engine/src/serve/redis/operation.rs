//! What a command does, found out once for as long as the same command comes again.

use super::keyspace::{integer, Entry, Keyspace, NotChanged, Value};
use crate::template::push_decimal;

/// A command that is understood.
#[derive(Clone, Debug)]
pub enum Operation {
    Get(Entry),
    Set(Entry, Vec<u8>),
    Add(Entry, i64),
    Delete(Vec<Entry>),
    Exists(Vec<Entry>),
    Flush,
    Select(u32),
    /// Speak RESP2 or RESP3 from now on.
    Hello(bool),
    /// The same answer whatever is stored.
    Say(Vec<u8>),
    Quit,
}

impl Operation {
    /// `name` is the first word in upper case.
    pub fn of(name: &str, words: &[&[u8]], database: u32, keys: &mut Keyspace) -> Self {
        match (name, &words[1..]) {
            ("GET", [key]) => Self::Get(keys.entry(database, key)),
            ("SET", [key, value]) => Self::Set(keys.entry(database, key), value.to_vec()),
            ("INCR", [key]) => Self::Add(keys.entry(database, key), 1),
            ("DECR", [key]) => Self::Add(keys.entry(database, key), -1),
            ("INCRBY", [key, by]) => match integer(by) {
                Some(by) => Self::Add(keys.entry(database, key), by),
                None => error("value is not an integer or out of range"),
            },
            ("DEL" | "UNLINK", names @ [_, ..]) => {
                Self::Delete(names.iter().map(|key| keys.entry(database, key)).collect())
            }
            ("EXISTS", names @ [_, ..]) => {
                Self::Exists(names.iter().map(|key| keys.entry(database, key)).collect())
            }
            ("FLUSHALL" | "FLUSHDB", _) => Self::Flush,
            ("SELECT", [number]) => match integer(number).map(u32::try_from) {
                Some(Ok(number)) if number < 16 => Self::Select(number),
                _ => error("DB index is out of range"),
            },
            ("HELLO", []) => Self::Hello(false),
            ("HELLO", [version, ..]) => match *version {
                b"2" => Self::Hello(false),
                b"3" => Self::Hello(true),
                _ => Self::Say(b"-NOPROTO unsupported protocol version\r\n".to_vec()),
            },
            ("PING", []) => say("+PONG\r\n"),
            ("PING" | "ECHO", [text]) => {
                let mut bytes = Vec::new();
                push_bulk(text, &mut bytes);
                Self::Say(bytes)
            }
            // Whoever may speak to this server may do so under any name.
            ("AUTH", [_, ..]) => say("+OK\r\n"),
            ("CLIENT", [what, ..]) => match what.to_ascii_uppercase().as_slice() {
                b"ID" => say(":1\r\n"),
                b"GETNAME" => say("$0\r\n\r\n"),
                _ => say("+OK\r\n"),
            },
            ("CONFIG", [what, ..]) if what.eq_ignore_ascii_case(b"GET") => say("*0\r\n"),
            ("COMMAND", _) => say("*0\r\n"),
            ("INFO", _) => say("$23\r\nredis_version:7.0.0\r\n\r\n\r\n"),
            ("QUIT", _) => Self::Quit,
            (
                "GET" | "SET" | "INCR" | "DECR" | "INCRBY" | "DEL" | "UNLINK" | "EXISTS" | "SELECT"
                | "PING" | "ECHO" | "AUTH" | "CLIENT" | "CONFIG",
                _,
            ) => error("wrong number of arguments, or options that this server does not know"),
            _ => error(&format!("unknown command '{name}'")),
        }
    }

    /// Does it and appends the answer.
    #[inline]
    pub fn run(&self, keys: &mut Keyspace, resp3: bool, output: &mut Vec<u8>) {
        match self {
            Self::Get(entry) => match keys.get(*entry) {
                Value::Text(text) => push_bulk(text, output),
                Value::Integer(number) => push_bulk(number.to_string().as_bytes(), output),
                Value::Missing if resp3 => output.extend_from_slice(b"_\r\n"),
                Value::Missing => output.extend_from_slice(b"$-1\r\n"),
            },
            Self::Set(entry, value) => {
                keys.set(*entry, value);
                output.extend_from_slice(b"+OK\r\n");
            }
            Self::Add(entry, by) => match keys.add(*entry, *by) {
                Ok(sum) => push_integer(sum, output),
                Err(NotChanged(why)) => {
                    output.extend_from_slice(b"-ERR ");
                    output.extend_from_slice(why.as_bytes());
                    output.extend_from_slice(b"\r\n");
                }
            },
            Self::Delete(entries) => {
                let deleted = entries.iter().filter(|&&entry| keys.delete(entry)).count();
                push_integer(deleted as i64, output);
            }
            Self::Exists(entries) => {
                let there = |entry: &&Entry| *keys.get(**entry) != Value::Missing;
                push_integer(entries.iter().filter(there).count() as i64, output);
            }
            Self::Flush => {
                keys.clear();
                output.extend_from_slice(b"+OK\r\n");
            }
            Self::Select(_) | Self::Quit => output.extend_from_slice(b"+OK\r\n"),
            Self::Hello(resp3) => hello(*resp3, output),
            Self::Say(text) => output.extend_from_slice(text),
        }
    }
}

fn say(text: &str) -> Operation {
    Operation::Say(text.into())
}

fn error(why: &str) -> Operation {
    Operation::Say(format!("-ERR {why}\r\n").into())
}

#[inline]
fn push_bulk(text: &[u8], output: &mut Vec<u8>) {
    output.push(b'$');
    push_decimal(output, text.len() as u64);
    output.extend_from_slice(b"\r\n");
    output.extend_from_slice(text);
    output.extend_from_slice(b"\r\n");
}

#[inline]
fn push_integer(number: i64, output: &mut Vec<u8>) {
    output.push(b':');
    if number < 0 {
        output.push(b'-');
    }
    push_decimal(output, number.unsigned_abs());
    output.extend_from_slice(b"\r\n");
}

fn hello(resp3: bool, output: &mut Vec<u8>) {
    output.extend_from_slice(if resp3 { b"%7\r\n" } else { b"*14\r\n" });
    for (name, value) in [
        ("server", "$5\r\nredis\r\n"),
        ("version", "$5\r\n7.0.0\r\n"),
        ("proto", if resp3 { ":3\r\n" } else { ":2\r\n" }),
        ("id", ":1\r\n"),
        ("mode", "$10\r\nstandalone\r\n"),
        ("role", "$6\r\nmaster\r\n"),
        ("modules", "*0\r\n"),
    ] {
        push_bulk(name.as_bytes(), output);
        output.extend_from_slice(value.as_bytes());
    }
}
