//! Another network namespace than this process's own: sockets that a thread makes while it is inside belong to it.

use rustix::fs::{Mode, OFlags};
use rustix::thread::{move_into_link_name_space, LinkNameSpaceType};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

const OWN: &str = "/proc/thread-self/ns/net";

/// While it lives, this thread is in another network namespace.
pub(super) struct Inside {
    own: OwnedFd,
}

impl Inside {
    /// `path` is what stands for it: `/run/netns/NAME`, `/proc/PID/ns/net`.
    ///
    /// # Errors
    /// Where it is not there, is none, or may not be entered (by others than root).
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let (own, other) = (opened(Path::new(OWN))?, opened(path)?);
        enter(&other)?;
        Ok(Self { own })
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // Whoever may enter another may come back; all that is made from here on would be wrong.
        enter(&self.own).expect("back to one's own network");
    }
}

fn opened(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

fn enter(namespace: &OwnedFd) -> io::Result<()> {
    let network = Some(LinkNameSpaceType::Network);
    Ok(move_into_link_name_space(namespace.as_fd(), network)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_network_is_an_error() {
        for path in ["/dev/null", "/nowhere"] {
            assert!(Inside::of(Path::new(path)).is_err(), "{path}");
        }
    }
}
