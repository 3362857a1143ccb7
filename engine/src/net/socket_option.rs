//! Options of sockets that rustix does not have.

use rustix::fd::{AsRawFd, BorrowedFd};
use std::io;

/// Turns on an option that is on or off.
pub(super) fn switch_on(
    socket: BorrowedFd<'_>,
    level: libc::c_int,
    name: libc::c_int,
) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the option's value is a C int that lives across the call.
    let status = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    match status {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
