//! Reading with the kernel's receive timestamp.

use super::socket_option::switch_on;
use rustix::fd::{AsRawFd, BorrowedFd};
use std::io;

/// Room for one control message with a timespec in it, with space to spare.
const CONTROL_BYTES: usize = 64;

#[repr(align(16))]
struct ControlBuffer([u8; CONTROL_BYTES]);

/// Asks the kernel to stamp what arrives on this socket (SO_TIMESTAMPNS).
pub fn enable(socket: BorrowedFd<'_>) -> io::Result<()> {
    switch_on(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS)
}

/// Reads what is there, and when the last of it arrived, on CLOCK_REALTIME.
///
/// # Errors
/// As recv(2).
pub fn recv(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<(usize, Option<u64>)> {
    let mut control = ControlBuffer([0; CONTROL_BYTES]);
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: all zeros is a valid msghdr (null pointers, zero lengths), and every pointer put
    // into it is to memory that lives across the call. rustix parses no timestamps.
    unsafe {
        let mut message = std::mem::zeroed::<libc::msghdr>();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = CONTROL_BYTES as _;
        let received = libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0);
        if received < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut stamp_ns = None;
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET
                && (*header).cmsg_type == libc::SCM_TIMESTAMPNS
            {
                let time = libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                stamp_ns = Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
        Ok((received as usize, stamp_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    #[test]
    fn the_stamp_lies_between_sending_and_reading() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        enable(socket.as_fd()).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        let mut buffer = [0; 10];
        // The kernel begins to stamp a little after the first socket asks for it: until then
        // what arrives has no stamp, and that is no error.
        let mut stamped = false;
        for _ in 0..1_000 {
            let before_ns = clock::real_ns();
            peer.write_all(b"hello").unwrap();
            let (n, stamp_ns) = recv(socket.as_fd(), &mut buffer).unwrap();
            assert_eq!(&buffer[..n], b"hello");
            if let Some(stamp_ns) = stamp_ns {
                assert!((before_ns..=clock::real_ns()).contains(&stamp_ns));
                stamped = true;
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(stamped, "no stamp in a second");
        drop(peer);
        assert_eq!(recv(socket.as_fd(), &mut buffer).unwrap().0, 0);
    }
}
