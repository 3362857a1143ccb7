//! Batches of operations that the kernel does while it takes them.

use io_uring::{squeue, IoUring};
use std::io::{self, ErrorKind};

/// Operations in one batch.
pub const LONGEST: usize = 256;

/// The result of an operation that was not done: no byte count, and no errno.
pub const NOT_DONE: i32 = i32::MIN;

/// A ring in which nothing is in flight between two calls. If it breaks it is closed at once, so
/// that no operation which the kernel has not taken keeps pointing to anybody's bytes.
pub struct Batches {
    ring: Option<IoUring>,
}

impl Batches {
    /// # Errors
    /// The kernel has no io_uring, or does not allow it to this process.
    pub fn new() -> io::Result<Self> {
        // Every operation of a batch is tried, whatever comes of those before it.
        let ring = IoUring::builder()
            .setup_submit_all()
            .build(LONGEST as u32)?;
        Ok(Self { ring: Some(ring) })
    }

    /// Has the kernel do these operations, [`LONGEST`] at a time, and puts the result of each
    /// into `results` (as many, [`NOT_DONE`] before), in their order: as the system call would
    /// return it, or the negative errno. Those that could not be done stay [`NOT_DONE`]: they are
    /// to be done without the ring, which is of no more use then.
    ///
    /// # Safety
    /// What the operations point to must be valid until this returns, and must not be touched by
    /// two of them unless both only read it. They must not be able to block.
    pub unsafe fn submit(
        &mut self,
        entries: impl Iterator<Item = squeue::Entry>,
        results: &mut [i32],
    ) {
        let Some(ring) = &mut self.ring else {
            return;
        };
        // SAFETY: as the caller promised.
        if unsafe { try_submit(ring, entries, results) }.is_err() {
            // Operations do not block, so the kernel is done with all that it has taken; what it
            // has not taken goes with the ring.
            self.ring = None;
        }
    }

    #[cfg(test)]
    pub fn is_broken(&self) -> bool {
        self.ring.is_none()
    }

    /// Puts something that is no ring in the ring's place.
    #[cfg(test)]
    pub fn break_for_test(&mut self) {
        use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
        let ring = self.ring.as_ref().expect("a ring");
        let nothing = std::fs::File::open("/dev/null").expect("there is one");
        // SAFETY: the descriptor is the ring's, which closes it later; it is not closed here.
        let mut place = unsafe { OwnedFd::from_raw_fd(ring.as_raw_fd()) };
        rustix::io::dup2(&nothing, &mut place).expect("a descriptor");
        let _ = place.into_raw_fd();
    }
}

/// # Safety
/// As for [`Batches::submit`].
unsafe fn try_submit(
    ring: &mut IoUring,
    entries: impl Iterator<Item = squeue::Entry>,
    results: &mut [i32],
) -> io::Result<()> {
    let mut entries = entries.enumerate().peekable();
    while entries.peek().is_some() {
        let mut queue = ring.submission();
        let mut left = 0;
        for (number, entry) in entries.by_ref().take(LONGEST) {
            // SAFETY: as the caller promised. There is room: the queue is empty between batches.
            unsafe { queue.push(&entry.user_data(number as u64)) }.map_err(io::Error::other)?;
            left += 1;
        }
        drop(queue);
        while left > 0 {
            let submitted = ring.submit_and_wait(left);
            for completion in ring.completion() {
                results[completion.user_data() as usize] = completion.result();
                left -= 1;
            }
            match submitted {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}
