//! SIGTERM and SIGINT as something to poll for.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// Blocks SIGTERM and SIGINT and gives a descriptor that is readable once one has come.
///
/// # Errors
/// The kernel gives no descriptor (too many open files).
pub fn stop_signals() -> io::Result<OwnedFd> {
    // SAFETY: `set` is initialised by sigemptyset before its first use, and the descriptor is
    // new and owned by nobody else. rustix leaves signal masks to the C library.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGTERM);
        libc::sigaddset(&mut set, libc::SIGINT);
        if libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::signalfd(-1, &set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}
