//! Commands as they are asked for, and the replies expected of them.

use super::resp::NULL;
use crate::error::{Error, Result};
use crate::template::with_token;
use crate::template::{LengthPrefix, Template};
use serde_json::Value;

/// A command's words, its name first; any may hold `{token}` and `{seq}`.
pub type Words = Vec<String>;

/// Takes a line such as `SET foo "two words"` apart, as redis-cli does: words are set off by
/// blanks, quotes (single or double) keep them together, and a backslash quotes one character.
///
/// # Errors
/// An open quote, or no word at all.
pub fn words(line: &str) -> Result<Words> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == character => quote = None,
            (None | Some('"'), '\\') => match characters.next() {
                Some('n') => word.get_or_insert_default().push('\n'),
                Some('r') => word.get_or_insert_default().push('\r'),
                Some('t') => word.get_or_insert_default().push('\t'),
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err(Error::usage(format!("-r {line:?}: a \\ at the end"))),
            },
            _ => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return Err(Error::usage(format!("-r {line:?}: a quote is not closed")));
    }
    words.extend(word);
    if words.is_empty() {
        return Err(Error::usage(format!("-r {line:?}: no command")));
    }
    Ok(words)
}

/// A command as an array of bulk strings, with the token in place.
pub fn template(words: &[impl AsRef<str>], token: &str) -> Template {
    let mut command = Template::bytes(b"*");
    push_number(words.len(), &mut command);
    for word in words {
        push_bulk(&with_token(word.as_ref(), token), &mut command);
    }
    command
}

/// Appends a command whose words stand for themselves.
pub fn encode(words: &[&str], output: &mut Vec<u8>) {
    let mut command = Template::bytes(b"*");
    push_number(words.len(), &mut command);
    for word in words {
        command.push(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
    }
    command.write(0, output);
}

fn push_number(number: usize, output: &mut Template) {
    output.push(format!("{number}\r\n").as_bytes());
}

fn push_bulk(text: &str, output: &mut Template) {
    output.push(b"$");
    output.push_counted(LengthPrefix::Line, Template::text(text));
    output.push(b"\r\n");
}

/// Appends an expected reply in the canonical form of [`super::resp`], the token in place:
/// a text is a simple or bulk string, a number an integer (a double if it has a fraction),
/// null a null, true and false RESP3's own, and an array an array.
///
/// # Errors
/// A JSON object: what order would its pairs have?
pub fn canonical(expected: &Value, token: &str, output: &mut Template) -> Result<()> {
    match expected {
        Value::Null => output.push(NULL),
        Value::Bool(true) => output.push(b"#t\r\n"),
        Value::Bool(false) => output.push(b"#f\r\n"),
        Value::Number(number) => {
            let sign = if number.is_f64() { ',' } else { ':' };
            output.push(format!("{sign}{number}\r\n").as_bytes());
        }
        Value::String(text) => push_bulk(&with_token(text, token), output),
        Value::Array(elements) => {
            output.push(b"*");
            push_number(elements.len(), output);
            for element in elements {
                canonical(element, token, output)?;
            }
        }
        Value::Object(_) => {
            return Err(Error::usage(
                "a Redis reply is expected as text, number, null, true, false or array",
            ))
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_into_words() {
        assert_eq!(words("SET foo bar").unwrap(), ["SET", "foo", "bar"]);
        assert_eq!(words("  GET\t'a b' ").unwrap(), ["GET", "a b"]);
        assert_eq!(words(r#"SET k """#).unwrap(), ["SET", "k", ""]);
        assert_eq!(
            words(r#"SET k "a\"b\n"c"#).unwrap(),
            ["SET", "k", "a\"b\nc"]
        );
        for line in ["", "  ", "GET 'a", "GET a\\"] {
            assert!(words(line).is_err(), "{line}");
        }
    }

    #[test]
    fn commands_and_replies_on_the_wire() {
        let mut bytes = Vec::new();
        template(&["GET", "k{token}"], "7f").write(0, &mut bytes);
        assert_eq!(bytes, b"*2\r\n$3\r\nGET\r\n$3\r\nk7f\r\n");
        let mut bytes = Vec::new();
        template(&["GET", "k{seq}-{seq}"], "").write(10, &mut bytes);
        assert_eq!(bytes, b"*2\r\n$3\r\nGET\r\n$6\r\nk10-10\r\n");
        let mut bytes = Vec::new();
        encode(&["AUTH", "{seq}"], &mut bytes);
        assert_eq!(bytes, b"*2\r\n$4\r\nAUTH\r\n$5\r\n{seq}\r\n");
        let mut expected = Template::default();
        let reply = json!(["a{token}", 5, null, true, [1.5]]);
        canonical(&reply, "x", &mut expected).unwrap();
        let constant = b"*5\r\n$2\r\nax\r\n:5\r\n_\r\n#t\r\n*1\r\n,1.5\r\n";
        assert_eq!(expected.constant(), Some(constant.as_slice()));
        assert!(canonical(&json!({}), "", &mut expected).is_err());
    }
}
