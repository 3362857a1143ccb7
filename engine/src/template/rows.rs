//! Rows of a file whose columns stand in requests.

use crate::random::SplitMix64;

/// Texts by row and column; each column has a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    names: Vec<String>,
    /// One row behind the other.
    values: Vec<String>,
    at_random: bool,
}

impl Rows {
    /// Comma-separated values (RFC 4180) whose first row has the names.
    ///
    /// # Errors
    /// The line of a row that is not as long as the first, and what is wrong.
    pub fn csv(text: &str) -> Result<Self, String> {
        let mut rows = Self::default();
        for (line, row) in records(text)? {
            if rows.names.is_empty() {
                rows.names = row;
            } else if row.len() == rows.names.len() {
                rows.values.extend(row);
            } else {
                let (found, wanted) = (row.len(), rows.names.len());
                return Err(format!("{line}: {found} values, but {wanted} names"));
            }
        }
        rows.check()
    }

    /// Every line is the value of the only column, `line`.
    ///
    /// # Errors
    /// There is none.
    pub fn lines(text: &str) -> Result<Self, String> {
        let rows = Self {
            names: vec!["line".into()],
            values: text.lines().map(str::to_owned).collect(),
            at_random: false,
        };
        rows.check()
    }

    fn check(self) -> Result<Self, String> {
        match self.values.is_empty() {
            true => Err("1: no values in it".into()),
            false => Ok(self),
        }
    }

    /// The same, each request with a row drawn at random instead of the next one.
    #[must_use]
    pub fn at_random(self) -> Self {
        Self {
            at_random: true,
            ..self
        }
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// Every value of a column.
    pub fn of_column(&self, column: usize) -> impl Iterator<Item = &String> {
        self.values.iter().skip(column).step_by(self.names.len())
    }

    /// That of request number `sequence`.
    pub fn value(&self, column: usize, sequence: u64, seed: u64) -> &str {
        let columns = self.names.len();
        let rows = (self.values.len() / columns) as u64;
        let row = if self.at_random {
            let drawn = SplitMix64::new(SplitMix64::new(seed).next_u64() ^ sequence).next_u64();
            ((u128::from(drawn) * u128::from(rows)) >> 64) as u64
        } else {
            sequence % rows
        };
        &self.values[row as usize * columns + column]
    }
}

/// Each record with the line that it begins in; empty lines are none.
fn records(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    let mut records = Vec::new();
    let (mut row, mut value) = (Vec::new(), String::new());
    let (mut line, mut begins) = (1, 1);
    let mut characters = text.chars().peekable();
    let mut is_empty = true;
    while let Some(character) = characters.next() {
        match character {
            '"' if value.is_empty() => {
                is_empty = false;
                loop {
                    match characters.next() {
                        Some('"') if characters.peek() == Some(&'"') => {
                            characters.next();
                            value.push('"');
                        }
                        Some('"') => break,
                        Some(other) => {
                            line += usize::from(other == '\n');
                            value.push(other);
                        }
                        None => return Err(format!("{begins}: a quote is not closed")),
                    }
                }
            }
            ',' => {
                is_empty = false;
                row.push(std::mem::take(&mut value));
            }
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                if !is_empty {
                    row.push(std::mem::take(&mut value));
                    records.push((begins, std::mem::take(&mut row)));
                }
                is_empty = true;
                line += 1;
                begins = line;
            }
            other => {
                is_empty = false;
                value.push(other);
            }
        }
    }
    if !is_empty {
        row.push(value);
        records.push((begins, row));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_quotes_commas_and_lines() {
        let rows = Rows::csv("a,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n,2").unwrap();
        assert_eq!(rows.names(), ["a", "b"]);
        assert_eq!(rows.value(1, 0, 0), "x, \"y\"\nz");
        assert_eq!((rows.value(0, 1, 0), rows.value(1, 3, 0)), ("", "2"));
        let second: Vec<&String> = rows.of_column(0).collect();
        assert_eq!(second, ["1", ""]);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        for (text, why) in [
            ("a,b\n1,2\n3\n", "3: 1 values, but 2 names"),
            ("a\n\"x", "2: a quote is not closed"),
            ("a\n", "1: no values in it"),
            ("", "1: no values in it"),
        ] {
            assert_eq!(Rows::csv(text), Err(why.into()), "{text}");
        }
        assert!(Rows::lines("").is_err());
        assert_eq!(Rows::lines("x\ny\n").unwrap().value(0, 3, 0), "y");
    }

    #[test]
    fn at_random_is_every_row_and_by_the_seed() {
        let rows = Rows::lines("a\nb\nc\nd").unwrap().at_random();
        let drawn = |seed| -> Vec<&str> { (0..400).map(|n| rows.value(0, n, seed)).collect() };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        for value in ["a", "b", "c", "d"] {
            // 100 each; standard deviation 8.7.
            let count = drawn(3).iter().filter(|found| **found == value).count();
            assert!((50..150).contains(&count), "{value}: {count}");
        }
    }
}
