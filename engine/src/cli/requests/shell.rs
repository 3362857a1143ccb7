//! Commands as a shell takes them apart, as far as copied ones need it: quotes, backslashes,
//! `$'...'`, comments, lines that go on. Nothing is substituted.

use std::iter::Peekable;
use std::str::Chars;

/// A command and the line that it begins in.
pub struct Command {
    pub line: usize,
    pub words: Vec<String>,
}

/// # Errors
/// The line of a quote that is not closed, and that it is not.
pub fn commands(text: &str) -> Result<Vec<Command>, (usize, &'static str)> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        line: 1,
        word: None,
        words: Vec::new(),
        begins: 1,
        commands: Vec::new(),
    };
    while let Some(character) = reader.next() {
        reader.take(character)?;
    }
    reader.end_command();
    Ok(reader.commands)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    word: Option<String>,
    words: Vec<String>,
    /// The line of the first word.
    begins: usize,
    commands: Vec<Command>,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        self.line += usize::from(next == '\n');
        Some(next)
    }

    fn push(&mut self, character: char) {
        if self.word.is_none() && self.words.is_empty() {
            self.begins = self.line;
        }
        self.word.get_or_insert_default().push(character);
    }

    fn take(&mut self, character: char) -> Result<(), (usize, &'static str)> {
        match character {
            '\n' | ';' => self.end_command(),
            ' ' | '\t' | '\r' => self.words.extend(self.word.take()),
            '#' if self.word.is_none() => {
                while self.rest.peek().is_some_and(|&next| next != '\n') {
                    self.next();
                }
            }
            '\'' => self.quoted('\'')?,
            '"' => self.quoted('"')?,
            '$' if self.rest.peek() == Some(&'\'') => {
                self.next();
                self.ansi_quoted()?;
            }
            '\\' => match self.next() {
                // Windows ends its lines in two characters.
                Some('\r') if self.rest.peek() == Some(&'\n') => {
                    self.next();
                }
                Some('\n') | None => {}
                Some(escaped) => self.push(escaped),
            },
            other => self.push(other),
        }
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Result<(), (usize, &'static str)> {
        let from = self.line;
        self.open_word();
        loop {
            match self.next().ok_or((from, "a quote is not closed"))? {
                end if end == quote => return Ok(()),
                '\\' if quote == '"' => match self.next() {
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => self.push(escaped),
                    Some('\n') | None => {}
                    Some(other) => {
                        self.push('\\');
                        self.push(other);
                    }
                },
                other => self.push(other),
            }
        }
    }

    /// `$'...'`, with C's escapes.
    fn ansi_quoted(&mut self) -> Result<(), (usize, &'static str)> {
        let from = self.line;
        self.open_word();
        loop {
            match self.next().ok_or((from, "a quote is not closed"))? {
                '\'' => return Ok(()),
                '\\' => {
                    let escaped = self.next().ok_or((from, "a quote is not closed"))?;
                    let character = match escaped {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'x' => self.hexadecimal(2),
                        'u' => self.hexadecimal(4),
                        other => other,
                    };
                    self.push(character);
                }
                other => self.push(other),
            }
        }
    }

    fn hexadecimal(&mut self, most: usize) -> char {
        let mut value = 0;
        for _ in 0..most {
            let Some(digit) = self.rest.peek().and_then(|next| next.to_digit(16)) else {
                break;
            };
            self.next();
            value = value * 16 + digit;
        }
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// A word has begun, even if nothing follows.
    fn open_word(&mut self) {
        if self.word.is_none() && self.words.is_empty() {
            self.begins = self.line;
        }
        self.word.get_or_insert_default();
    }

    fn end_command(&mut self) {
        self.words.extend(self.word.take());
        if !self.words.is_empty() {
            self.commands.push(Command {
                line: self.begins,
                words: std::mem::take(&mut self.words),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_a_shell_has_them() {
        let text = "# a list\ncurl 'a b' \\\n  \"c\\\"d\\n\" e\\ f '' # end\n\ncurl $'it\\'s\\u0021\\n' x#y\n";
        let commands = commands(text).unwrap();
        let found: Vec<(usize, Vec<&str>)> = commands
            .iter()
            .map(|command| {
                (
                    command.line,
                    command.words.iter().map(String::as_str).collect(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (2, vec!["curl", "a b", "c\"d\\n", "e f", ""]),
                (5, vec!["curl", "it's!\n", "x#y"]),
            ]
        );
    }

    #[test]
    fn an_open_quote_is_told_with_its_line() {
        let open = commands("a\nb 'c\nd").err();
        assert_eq!(open, Some((2, "a quote is not closed")));
    }
}
