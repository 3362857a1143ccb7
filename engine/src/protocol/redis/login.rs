//! What a connection says before its first command: protocol version, password, database.

use super::command::encode;
use crate::address::Url;
use crate::encoding::percent;
use crate::error::{Error, Result};

/// Who one is, and where one wants to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    user: Option<String>,
    password: Option<String>,
    database: u32,
    /// Speak RESP3.
    resp3: bool,
}

impl Login {
    /// Reads `redis://[user[:password]@]host[:port][/database]`. A word before the `@` that is
    /// alone is a password, as redis-cli has it.
    ///
    /// # Errors
    /// A database that is no number, or a wrong percent sign.
    pub fn from_url(url: &Url, resp3: bool) -> Result<Self> {
        let mut login = Self {
            resp3,
            ..Self::default()
        };
        if let Some(user_info) = &url.user_info {
            let (user, password) = match user_info.split_once(':') {
                Some((user, password)) => (user, password),
                None => ("", user_info.as_str()),
            };
            login.user = Some(decoded(user)?).filter(|user| !user.is_empty());
            login.password = Some(decoded(password)?);
        }
        let database = url.path.trim_start_matches('/');
        if !database.is_empty() {
            login.database = database
                .parse()
                .map_err(|_| Error::usage(format!("/{database}: a Redis database is a number")))?;
        }
        Ok(login)
    }

    /// Appends the commands, and gives their names: so many replies come before all others.
    pub fn say(&self, output: &mut Vec<u8>) -> &'static [&'static str] {
        let auth: Vec<&str> = match (&self.user, &self.password) {
            (Some(user), Some(password)) => vec![user, password],
            (None, Some(password)) => vec![password],
            _ => vec![],
        };
        if self.resp3 {
            let mut hello = vec!["HELLO", "3"];
            if !auth.is_empty() {
                // HELLO wants a user's name; this is what AUTH without one means.
                hello.extend(["AUTH", self.user.as_deref().unwrap_or("default")]);
                hello.extend(self.password.as_deref());
            }
            encode(&hello, output);
        } else if !auth.is_empty() {
            encode(&[&["AUTH"], &auth[..]].concat(), output);
        }
        if self.database > 0 {
            encode(&["SELECT", &self.database.to_string()], output);
        }
        match (self.resp3, auth.is_empty(), self.database > 0) {
            (true, _, true) => &["HELLO", "SELECT"],
            (true, _, false) => &["HELLO"],
            (false, false, true) => &["AUTH", "SELECT"],
            (false, false, false) => &["AUTH"],
            (false, true, true) => &["SELECT"],
            (false, true, false) => &[],
        }
    }
}

fn decoded(text: &str) -> Result<String> {
    percent::decode_strict(text.as_bytes())
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| Error::usage("a % in user or password stands before two hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(url: &str, resp3: bool) -> (String, Vec<&'static str>) {
        let url = Url::parse(url).unwrap();
        let mut output = Vec::new();
        let names = Login::from_url(&url, resp3).unwrap().say(&mut output);
        let text = String::from_utf8(output).unwrap();
        let words = text
            .split("\r\n")
            .filter(|word| !word.starts_with(['*', '$']));
        (
            words.collect::<Vec<_>>().join(" ").trim().into(),
            names.into(),
        )
    }

    #[test]
    fn only_what_is_needed_is_said() {
        assert_eq!(said("redis://h", false), (String::new(), vec![]));
        assert_eq!(said("redis://h/2", false).0, "SELECT 2");
        assert_eq!(
            said("redis://:s%40@h/0", false),
            ("AUTH s@".into(), vec!["AUTH"])
        );
        assert_eq!(said("redis://s@h", false).0, "AUTH s");
        let (text, names) = said("redis://me:s@h/3", false);
        assert_eq!(text, "AUTH me s SELECT 3");
        assert_eq!(names, ["AUTH", "SELECT"]);
        assert_eq!(said("redis://:s@h", true).0, "HELLO 3 AUTH default s");
        assert_eq!(said("redis://h/1", true).1, ["HELLO", "SELECT"]);
    }

    #[test]
    fn what_cannot_be_meant() {
        for text in [
            "redis://h/x",
            "redis://h/-1",
            "redis://%4@h",
            "redis://%zz@h",
        ] {
            assert!(
                Login::from_url(&Url::parse(text).unwrap(), false).is_err(),
                "{text}"
            );
        }
    }
}
