//! What came of replies that are streams: for the loop, which knows when.

use super::Slot;

/// What one read brought of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub slot: Slot,
    pub events: u32,
    /// Those among them that have content.
    pub contents: u32,
    pub end: Option<StreamEnd>,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamEnd {
    pub is_right: bool,
    /// As the server counted them, if it did.
    pub tokens: Option<u64>,
}

/// Marks since the loop took them last: all of one point in time.
#[derive(Clone, Debug, Default)]
pub struct Marks(Vec<Mark>);

impl Marks {
    /// So many events came, so many of them with content.
    pub fn came(&mut self, slot: Slot, events: u32, contents: u32) {
        if events == 0 {
            return;
        }
        let mark = self.of(slot);
        mark.events += events;
        mark.contents += contents;
    }

    pub fn ended(&mut self, slot: Slot, end: StreamEnd) {
        self.of(slot).end = Some(end);
    }

    /// All of them, in their order.
    pub fn all(&self) -> &[Mark] {
        &self.0
    }

    /// They were taken.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Gives each to the loop, in their order.
    pub fn drain(&mut self) -> impl Iterator<Item = Mark> + '_ {
        self.0.drain(..)
    }

    fn of(&mut self, slot: Slot) -> &mut Mark {
        let goes_on = |mark: &Mark| mark.slot == slot && mark.end.is_none();
        if !self.0.last().is_some_and(goes_on) {
            self.0.push(Mark {
                slot,
                events: 0,
                contents: 0,
                end: None,
            });
        }
        self.0.last_mut().expect("one was pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_one_read_are_one_mark() {
        let mut marks = Marks::default();
        let end = StreamEnd {
            is_right: true,
            tokens: None,
        };
        marks.came(3, 1, 0);
        marks.came(3, 2, 2);
        marks.came(4, 1, 1);
        marks.came(3, 0, 0);
        marks.ended(3, end);
        marks.came(3, 1, 1);
        let mark = |slot, events, contents, end| Mark {
            slot,
            events,
            contents,
            end,
        };
        let all: Vec<Mark> = marks.drain().collect();
        let expected = [
            mark(3, 3, 2, None),
            mark(4, 1, 1, None),
            mark(3, 0, 0, Some(end)),
            mark(3, 1, 1, None),
        ];
        assert_eq!(all, expected);
        assert_eq!(marks.drain().count(), 0);
    }
}
