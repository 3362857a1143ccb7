//! Which message a reply belongs to: the oldest, or the one with the same identifier.

use crate::protocol::in_order::InOrder;
use crate::protocol::Slot;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// Slot and number of a message in flight.
pub type Sent = (Slot, u64);

pub enum InFlight {
    InOrder(InOrder<u64>),
    /// Those of one identifier in their order.
    ById(HashMap<String, VecDeque<Sent>>),
}

impl InFlight {
    pub fn new(depth: u32, by_id: bool) -> Self {
        match by_id {
            false => Self::InOrder(InOrder::new(depth)),
            true => Self::ById(HashMap::new()),
        }
    }

    /// Takes the message with this identifier off, if there is one.
    pub fn take(&mut self, id: &Value) -> Option<Sent> {
        let Self::ById(all) = self else {
            return None;
        };
        let key = key_of(id);
        let sent = all.get_mut(&key)?;
        let taken = sent.pop_front();
        if sent.is_empty() {
            all.remove(&key);
        }
        taken
    }

    pub fn push(&mut self, id: Option<&Value>, sent: Sent) {
        match (self, id) {
            (Self::InOrder(all), _) => all.push(sent.0, sent.1),
            (Self::ById(all), id) => {
                let key = id.map(key_of).unwrap_or_default();
                all.entry(key).or_default().push_back(sent);
            }
        }
    }

    /// Takes one of them off whose reply is no longer waited for; false if replies come in order,
    /// as the next ones would be taken for it.
    pub fn forget(&mut self, slot: Slot) -> bool {
        let Self::ById(all) = self else {
            return false;
        };
        all.values_mut()
            .for_each(|sent| sent.retain(|(other, _)| *other != slot));
        all.retain(|_, sent| !sent.is_empty());
        true
    }

    /// Takes all of them off, oldest first.
    pub fn take_all(&mut self) -> Vec<Sent> {
        let mut all: Vec<Sent> = match self {
            Self::InOrder(all) => std::iter::from_fn(|| all.pop()).collect(),
            Self::ById(all) => all.drain().flat_map(|(_, sent)| sent).collect(),
        };
        all.sort_by_key(|(_, sequence)| *sequence);
        all
    }
}

/// 1 and 1.0 are one identifier.
fn key_of(id: &Value) -> String {
    match id.as_f64() {
        Some(number) if id.is_f64() && number.fract() == 0.0 && number.abs() < 1e15 => {
            format!("{}", number as i64)
        }
        _ => id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn by_identifier() {
        let mut all = InFlight::new(4, true);
        for (slot, id) in [json!(1), json!("1"), json!("a"), json!("a")]
            .iter()
            .enumerate()
        {
            all.push(Some(id), (slot as Slot, slot as u64));
        }
        assert_eq!(all.take(&json!("a")), Some((2, 2)));
        assert_eq!(all.take(&json!(1.0)), Some((0, 0)));
        assert_eq!(all.take(&json!(1)), None);
        assert!(all.forget(1));
        assert_eq!(all.take(&json!("1")), None);
        assert_eq!(all.take_all(), [(3, 3)]);
        assert_eq!(all.take_all(), []);
    }

    #[test]
    fn in_order_none_can_be_forgotten() {
        let mut all = InFlight::new(2, false);
        all.push(None, (1, 5));
        all.push(None, (0, 6));
        assert!(!all.forget(1));
        assert_eq!(all.take(&json!(null)), None);
        assert_eq!(all.take_all(), [(1, 5), (0, 6)]);
    }
}
