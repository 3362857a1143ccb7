//! SETTINGS: what the server announces.

use crate::protocol::h2::connection::Http2Connection;
use crate::protocol::h2::exchange::Exchange;
use crate::protocol::h2::frame::{self, Frame, LARGEST_WINDOW};
use crate::protocol::{Failure, Slot};

impl<E: Exchange> Http2Connection<E> {
    #[cold]
    pub(super) fn settings(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
        output: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let settings = frame.settings()?;
        if frame.has(frame::ACK) {
            return match frame.payload.is_empty() {
                true => Ok(()),
                false => Err(Failure::protocol(
                    "an acknowledgement of SETTINGS with some",
                )),
            };
        }
        for (number, value) in settings {
            match number {
                frame::HEADER_TABLE_SIZE => {
                    let size = (value as usize).min(self.peer.table_size);
                    if size < self.peer.table_size {
                        self.size_update = Some(size);
                        self.peer.table_size = size;
                        self.forget_entries();
                    }
                }
                frame::ENABLE_PUSH if value != 0 => {
                    return Err(Failure::protocol(
                        "SETTINGS in which a server lets itself push",
                    ));
                }
                frame::MAX_CONCURRENT_STREAMS => self.peer.most_streams = value,
                frame::INITIAL_WINDOW_SIZE => self.resize_windows(i64::from(value))?,
                frame::MAX_FRAME_SIZE => {
                    if !(frame::FRAME_SIZE as u32..=frame::LARGEST_FRAME_SIZE).contains(&value) {
                        return Err(Failure::protocol("SETTINGS with an impossible frame size"));
                    }
                    self.peer.frame_size = value as usize;
                }
                _ => {}
            }
        }
        self.is_ready = true;
        frame::push(frame::SETTINGS, frame::ACK, 0, &[], output);
        self.unblock(exchange, output);
        Ok(())
    }

    fn resize_windows(&mut self, size: i64) -> Result<(), Failure> {
        if size > LARGEST_WINDOW {
            return Err(Failure::protocol("SETTINGS with an impossible window"));
        }
        let more = size - self.peer.stream_window;
        self.peer.stream_window = size;
        let open: Vec<Slot> = self.streams.open().collect();
        for slot in open {
            let window = &mut self.streams.get_mut(slot).window;
            *window += more;
            if *window > LARGEST_WINDOW {
                return Err(Failure::protocol("a window beyond its limit"));
            }
        }
        Ok(())
    }
}
