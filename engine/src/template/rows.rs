//! Rows of a file whose columns stand in requests.

use crate::random::SplitMix64;
use std::sync::Arc;

/// Texts by row and column, and which row a request has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    table: Arc<Table>,
    order: Order,
}

/// Texts by row and column; each column has a name.
#[derive(Debug, Default, PartialEq, Eq)]
struct Table {
    names: Vec<String>,
    /// One row behind the other.
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Turn,
    Random,
    /// No row twice: worker number `worker` of `workers` has the rows from there on, each
    /// `workers` behind the one before.
    Unique {
        worker: u64,
        workers: u64,
    },
}

impl Rows {
    /// Comma-separated values (RFC 4180) whose first row has the names.
    ///
    /// # Errors
    /// The line of a row that is not as long as the first, and what is wrong.
    pub fn csv(text: &str) -> Result<Self, String> {
        let mut table = Table::default();
        for (line, row) in records(text)? {
            if table.names.is_empty() {
                table.names = row;
            } else if row.len() == table.names.len() {
                table.values.extend(row);
            } else {
                let (found, wanted) = (row.len(), table.names.len());
                return Err(format!("{line}: {found} values, but {wanted} names"));
            }
        }
        Self::of(table)
    }

    /// Every line is the value of the only column, `line`.
    ///
    /// # Errors
    /// There is none.
    pub fn lines(text: &str) -> Result<Self, String> {
        Self::of(Table {
            names: vec!["line".into()],
            values: text.lines().map(str::to_owned).collect(),
        })
    }

    fn of(table: Table) -> Result<Self, String> {
        match table.values.is_empty() {
            true => Err("1: no values in it".into()),
            false => Ok(Self {
                table: Arc::new(table),
                order: Order::Turn,
            }),
        }
    }

    /// The same, each request with a row drawn at random instead of the next one.
    #[must_use]
    pub fn at_random(self) -> Self {
        Self {
            order: Order::Random,
            ..self
        }
    }

    /// The same, each row for one request of all workers; [`Self::shared`] shares them out.
    #[must_use]
    pub fn unique(self) -> Self {
        let order = Order::Unique {
            worker: 0,
            workers: 1,
        };
        Self { order, ..self }
    }

    /// Those of one worker of several, where no row is used twice; otherwise each has all.
    #[must_use]
    pub fn shared(&self, worker: u64, workers: u64) -> Self {
        match self.order {
            Order::Unique { .. } => Self {
                order: Order::Unique { worker, workers },
                ..self.clone()
            },
            Order::Turn | Order::Random => self.clone(),
        }
    }

    /// How many requests they are enough for, where no row is used twice.
    pub fn last_for(&self) -> Option<u64> {
        match self.order {
            Order::Unique { .. } => Some(self.len()),
            Order::Turn | Order::Random => None,
        }
    }

    fn len(&self) -> u64 {
        (self.table.values.len() / self.table.names.len()) as u64
    }

    pub fn names(&self) -> &[String] {
        &self.table.names
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.names().iter().position(|other| other == name)
    }

    /// Every value of a column.
    pub fn of_column(&self, column: usize) -> impl Iterator<Item = &String> {
        let columns = self.names().len();
        self.table.values.iter().skip(column).step_by(columns)
    }

    /// That of request number `sequence`.
    pub fn value(&self, column: usize, sequence: u64, seed: u64) -> &str {
        let rows = self.len();
        let row = match self.order {
            Order::Turn => sequence % rows,
            Order::Random => {
                let drawn = SplitMix64::new(SplitMix64::new(seed).next_u64() ^ sequence).next_u64();
                ((u128::from(drawn) * u128::from(rows)) >> 64) as u64
            }
            // The run ends with the last row; only upgrades of WebSocket may be more.
            Order::Unique { worker, workers } => (worker + sequence * workers) % rows,
        };
        &self.table.values[row as usize * self.names().len() + column]
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
    use crate::load::run::RunSpec;

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
    fn unique_rows_are_shared_out_over_workers_each_once() {
        let text: String = (0..10).map(|row| format!("{row}\n")).collect();
        let rows = Rows::lines(&text).unwrap();
        assert_eq!(rows.last_for(), None);
        assert_eq!(rows.shared(2, 3), rows);
        let unique = rows.unique();
        assert_eq!(unique.last_for(), Some(10));
        for workers in 1..=11 {
            let all = RunSpec {
                requests: unique.last_for(),
                ..RunSpec::default()
            };
            let of_worker = |worker| {
                let own = unique.shared(worker, workers);
                let requests = all.share(worker, workers).requests.unwrap();
                let values =
                    (0..requests).map(move |sequence| own.value(0, sequence, 7).to_owned());
                values.collect::<Vec<String>>()
            };
            let mut used: Vec<u64> = (0..workers)
                .flat_map(of_worker)
                .map(|value| value.parse().unwrap())
                .collect();
            used.sort_unstable();
            assert_eq!(used, (0..10).collect::<Vec<u64>>(), "{workers} workers");
        }
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
