//! Requests of a mix that are counted each by itself, beside the whole.

use super::counts::Errors;
use super::metrics::Answered;
use crate::histogram::Latencies;
use crate::protocol::ErrorKind;

/// The group that each request of a mix belongs to; without any nothing is counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// By the request's index.
    of: Vec<u32>,
    count: usize,
}

/// More than so many are a pool, of which each one says little.
const MOST: usize = 50;

impl Groups {
    /// Of these requests, by what they are called: those of one name are one group. There are
    /// none where one name is all that there is, or there are very many.
    pub fn new(labels: &[String]) -> Self {
        Self::among(labels, &Self::names(labels))
    }

    /// The same, with the names of all groups, some of which may be of requests elsewhere.
    pub fn among(labels: &[String], names: &[String]) -> Self {
        if names.is_empty() {
            return Self::default();
        }
        let place = |label| names.iter().position(|name| name == label);
        let of = labels.iter().filter_map(|label| Some(place(label)? as u32));
        Self {
            of: of.collect(),
            count: names.len(),
        }
    }

    /// What the groups of these requests are called.
    pub fn names(labels: &[String]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for label in labels {
            if !names.contains(label) {
                names.push(label.clone());
            }
            if names.len() > MOST {
                return Vec::new();
            }
        }
        if names.len() < 2 {
            names.clear();
        }
        names
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn of(&self, request: u32) -> u32 {
        self.of[request as usize]
    }
}

/// What one group has counted in the counted part of a run.
#[derive(Clone, Debug, Default)]
pub struct GroupCounts {
    pub replies: u64,
    pub latency_sum_ns: u64,
    pub latency_max_ns: u64,
    pub errors: Errors,
    /// In open loop from the intended time.
    pub latencies: Latencies,
}

impl GroupCounts {
    pub fn right(&mut self, replies: &Answered) {
        self.replies += replies.n;
        self.latency_sum_ns += replies.latency_ns * replies.n;
        self.latency_max_ns = self.latency_max_ns.max(replies.latency_ns);
        self.latencies.record_n(replies.latency_ns, replies.n);
    }

    pub fn wrong(&mut self, kind: ErrorKind) {
        self.errors.count(kind);
    }

    /// Takes in those of another worker.
    pub fn add(&mut self, other: &Self) {
        self.replies += other.replies;
        self.latency_sum_ns += other.latency_sum_ns;
        self.latency_max_ns = self.latency_max_ns.max(other.latency_max_ns);
        self.errors.add(&other.errors);
        self.latencies.merge(&other.latencies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn requests_of_one_name_are_one_group() {
        let labels = labels(&["a", "b", "a"]);
        let groups = Groups::new(&labels);
        assert_eq!(Groups::names(&labels), ["a", "b"]);
        assert_eq!([0, 1, 2].map(|request| groups.of(request)), [0, 1, 0]);
        assert_eq!(groups.len(), 2);
    }

    #[test]
    fn one_name_or_very_many_are_no_groups() {
        assert!(Groups::new(&labels(&["a", "a"])).is_empty());
        let many: Vec<String> = (0..=MOST).map(|n| n.to_string()).collect();
        assert!(Groups::new(&many).is_empty());
        assert_eq!(Groups::new(&many[1..]).len(), MOST);
    }
}
