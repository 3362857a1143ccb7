//! Faults on demand. Each is injected exactly as often as asked, by count and never by chance, so
//! that a test can hold a load generator's figures against the server's own.

use super::burn;
use std::time::Duration;

/// What a server is to do wrong; nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Nothing happens during the last `.0` of every `.1`.
    pub stall: Option<(Duration, Duration)>,
    /// Each reply is held back for so long ...
    pub delay: Duration,
    /// ... and for up to so much longer, evenly distributed.
    pub jitter: Duration,
    /// Every n-th request is answered with an error status.
    pub fail: Option<u64>,
    /// Every n-th request is answered with another body.
    pub wrong_body: Option<u64>,
    /// Every n-th reply ends in the middle, and with it the connection.
    pub half_response: Option<u64>,
    /// A connection is closed after so many replies.
    pub close_after: Option<u64>,
    /// One send a byte.
    pub byte_by_byte: bool,
    /// Work per request.
    pub burn_iters: u64,
    /// The same in microseconds, calibrated at start.
    pub burn_us: f64,
}

/// What was served, and how often each fault was injected.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Served {
    pub requests: u64,
    pub connections: u64,
    pub fail: u64,
    pub wrong_body: u64,
    pub half_response: u64,
    pub closed: u64,
}

/// How one request is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Truth,
    /// With an error status.
    Fail,
    /// With another body of the same length.
    WrongBody,
}

/// A reply that is to be sent later.
pub struct Held {
    pub due_ns: u64,
    pub bytes: Vec<u8>,
    /// Close the connection behind it.
    pub last: bool,
}

/// Where a service puts its replies.
pub struct Responder {
    faults: Faults,
    /// Whether any fault concerns single replies; if not, there is almost nothing to do.
    plain: bool,
    pub served: Served,
    /// To be sent now.
    pub bytes: Vec<u8>,
    /// To be sent later.
    pub held: Vec<Held>,
    begun_at: usize,
    half: bool,
    hung_up: bool,
    /// Responder so far on the connection in hand.
    pub answered: u64,
    /// When what is to be answered came.
    pub now_ns: u64,
    random: u64,
}

impl Responder {
    pub fn new(mut faults: Faults) -> Self {
        if faults.burn_us > 0.0 {
            faults.burn_iters += burn::iterations_for(faults.burn_us);
        }
        let plain = faults.delay.is_zero()
            && faults.jitter.is_zero()
            && faults.fail.or(faults.wrong_body).is_none()
            && faults.half_response.or(faults.close_after).is_none();
        Self {
            faults,
            plain,
            served: Served::default(),
            bytes: Vec::new(),
            held: Vec::new(),
            begun_at: 0,
            half: false,
            hung_up: false,
            answered: 0,
            now_ns: 0,
            random: 0x2545_f491_4f6c_dd1d,
        }
    }

    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Whether replies are to be sent at times of their own.
    pub fn are_held(&self) -> bool {
        !self.faults.delay.is_zero() || !self.faults.jitter.is_zero()
    }

    /// A request has come: how is it to be answered? Its reply goes to `bytes`.
    #[inline]
    pub fn begin(&mut self) -> Manner {
        self.served.requests += 1;
        if self.faults.burn_iters > 0 {
            burn::burn(self.faults.burn_iters);
        }
        if self.plain {
            return Manner::Truth;
        }
        self.begun_at = self.bytes.len();
        let number = self.served.requests;
        let is_nth = |n: Option<u64>| n.is_some_and(|n| number % n == 0);
        if is_nth(self.faults.half_response) {
            self.half = true;
            Manner::Truth
        } else if is_nth(self.faults.fail) {
            self.served.fail += 1;
            Manner::Fail
        } else if is_nth(self.faults.wrong_body) {
            self.served.wrong_body += 1;
            Manner::WrongBody
        } else {
            Manner::Truth
        }
    }

    /// The reply is complete.
    #[inline]
    pub fn end(&mut self) {
        if self.plain {
            return;
        }
        self.answered += 1;
        if self.half {
            self.half = false;
            self.hung_up = true;
            self.served.half_response += 1;
            let length = self.bytes.len() - self.begun_at;
            self.bytes.truncate(self.begun_at + length / 2);
        } else if self.faults.close_after.is_some_and(|n| self.answered >= n) {
            self.hung_up = true;
            self.served.closed += 1;
        }
        let pause = self.faults.delay.as_nanos() as u64 + self.jitter_ns();
        if pause > 0 {
            self.held.push(Held {
                due_ns: self.now_ns + pause,
                bytes: self.bytes.split_off(self.begun_at),
                last: self.hung_up,
            });
        }
    }

    /// What `bytes` have from `from` on, and is no reply itself, goes behind replies that are held
    /// back.
    pub fn follow(&mut self, from: usize) {
        if self.are_held() {
            self.held.push(Held {
                due_ns: self.now_ns,
                bytes: self.bytes.split_off(from),
                last: false,
            });
        }
    }

    /// The connection is over once what is in `bytes` and `held` is sent.
    #[inline]
    pub fn hung_up(&self) -> bool {
        self.hung_up
    }

    /// Ready for another connection's requests.
    pub fn turn_to(&mut self, answered: u64) {
        self.answered = answered;
        self.hung_up = false;
        self.bytes.clear();
        self.held.clear();
    }

    fn jitter_ns(&mut self) -> u64 {
        let most = self.faults.jitter.as_nanos() as u64;
        if most == 0 {
            return 0;
        }
        // xorshift64: evenly distributed is all that is asked.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % (most + 1)
    }
}

/// How long the stall that goes on at `since_start` will still last, if one does.
pub fn stalled_for(stall: (Duration, Duration), since_start: Duration) -> Option<Duration> {
    let (length, period) = stall;
    let at = Duration::from_nanos((since_start.as_nanos() % period.as_nanos().max(1)) as u64);
    (at >= period.saturating_sub(length)).then(|| period - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_the_end_of_each_period() {
        let stall = (Duration::from_secs(1), Duration::from_secs(5));
        let at = |ms| stalled_for(stall, Duration::from_millis(ms));
        assert_eq!(at(0), None);
        assert_eq!(at(3_999), None);
        assert_eq!(at(4_000), Some(Duration::from_secs(1)));
        assert_eq!(at(9_250), Some(Duration::from_millis(750)));
        assert_eq!(at(10_000), None);
    }

    #[test]
    fn every_nth_and_no_other() {
        let mut responder = Responder::new(Faults {
            fail: Some(3),
            wrong_body: Some(2),
            half_response: Some(5),
            ..Faults::default()
        });
        let manners: Vec<Manner> = (0..6)
            .map(|_| {
                let manner = responder.begin();
                responder.bytes.extend_from_slice(b"1234");
                responder.end();
                manner
            })
            .collect();
        use Manner::{Fail, Truth, WrongBody};
        assert_eq!(manners, [Truth, WrongBody, Fail, WrongBody, Truth, Fail]);
        assert_eq!(responder.bytes.len(), 5 * 4 + 2);
        assert!(responder.hung_up());
        let served = &responder.served;
        assert_eq!(
            (served.fail, served.wrong_body, served.half_response),
            (2, 2, 1)
        );
    }

    #[test]
    fn jitter_stays_within_its_bound() {
        let mut responder = Responder::new(Faults {
            delay: Duration::from_nanos(100),
            jitter: Duration::from_nanos(10),
            ..Faults::default()
        });
        for _ in 0..100 {
            responder.begin();
            responder.bytes.push(b'x');
            responder.end();
        }
        assert!(responder
            .held
            .iter()
            .all(|held| (100..=110).contains(&held.due_ns)));
        assert!(responder
            .held
            .iter()
            .any(|held| held.due_ns != responder.held[0].due_ns));
    }
}
