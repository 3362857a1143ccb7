//! Which statuses of a reply are right.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

/// One status, or a class of them such as `2xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Statuses {
    first: u16,
    last: u16,
}

/// As it stands in JSON: `200` or `"2xx"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    One(u16),
    Text(String),
}

impl Statuses {
    #[inline]
    pub fn contains(self, status: u16) -> bool {
        (self.first..=self.last).contains(&status)
    }
}

impl From<u16> for Statuses {
    fn from(status: u16) -> Self {
        Self {
            first: status,
            last: status,
        }
    }
}

impl FromStr for Statuses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no status, such as 200 or 2xx");
        if let Some(class) = text.strip_suffix("xx") {
            let class: u16 = class.parse().map_err(|_| wrong())?;
            return match class {
                1..=9 => Ok(Self {
                    first: class * 100,
                    last: class * 100 + 99,
                }),
                _ => Err(wrong()),
            };
        }
        text.parse().map(u16::into).map_err(|_| wrong())
    }
}

impl TryFrom<Written> for Statuses {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::One(status) => Ok(status.into()),
            Written::Text(text) => text.parse(),
        }
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}xx", self.first / 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_a_class() {
        let class: Statuses = "2xx".parse().unwrap();
        assert!(class.contains(200) && class.contains(299));
        assert!(!class.contains(199) && !class.contains(300));
        let one: Statuses = "404".parse().unwrap();
        assert!(one.contains(404) && !one.contains(403));
        assert_eq!(
            (class.to_string(), one.to_string()),
            ("2xx".into(), "404".into())
        );
        let read = |text: &str| serde_json::from_str::<Statuses>(text);
        assert_eq!(read("404").unwrap(), one);
        assert_eq!(read("\"2xx\"").unwrap(), class);
        for wrong in ["", "xx", "0xx", "10xx", "ok"] {
            assert!(wrong.parse::<Statuses>().is_err(), "{wrong}");
        }
        assert!(read("\"ok\"").is_err());
    }
}
