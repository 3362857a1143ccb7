//! A connection.

use crate::command::{Output, Pipeline};
use crate::reply::{Reply, Shape, Value};
use crate::wire::Wire;
use crate::Error;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// One connection to one server. After any error but [`Error::Server`] it is of no use.
pub struct Client {
    wire: Wire,
    output: Output,
    /// Replies of an earlier pipeline that nobody has taken.
    left: usize,
}

impl Client {
    /// Connects; waits for replies for ever.
    pub fn connect(host: &str, port: u16) -> Result<Self, Error> {
        Self::connect_with_timeout(host, port, None)
    }

    /// Connects; no read or write takes longer than `timeout`.
    pub fn connect_with_timeout(host: &str, port: u16, timeout: Option<Duration>) -> Result<Self, Error> {
        let mut failure = Error::Connection(std::io::Error::other(format!("{host} has no address")));
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
                Ok(stream) => {
                    return Ok(Client {
                        wire: Wire::new(stream, timeout)?,
                        output: Output::new(),
                        left: 0,
                    })
                }
                Err(error) => failure = error.into(),
            }
        }
        Err(failure)
    }

    /// Sends one command and returns its reply; an error reply is an error.
    pub fn call<P: AsRef<[u8]>>(&mut self, parts: &[P]) -> Result<Value, Error> {
        let mut replies = self.pipeline(|pipe| pipe.command(parts))?;
        let value = replies.next_reply()?.map(|reply| reply.to_value());
        match value {
            Some(Value::Error(message)) => Err(Error::Server(message)),
            Some(value) => Ok(value),
            None => Err(Error::Protocol("no reply is due")),
        }
    }

    /// Sends the commands that `fill` hands over; their replies are read as they are taken.
    pub fn pipeline(
        &mut self,
        fill: impl FnOnce(&mut Pipeline<'_>) -> Result<(), Error>,
    ) -> Result<Replies<'_>, Error> {
        while self.left > 0 {
            self.next_reply()?;
        }
        let mut pipeline = Pipeline::new(&mut self.wire, &mut self.output);
        fill(&mut pipeline)?;
        self.left = pipeline.finish()?;
        Ok(Replies { client: self })
    }

    #[inline]
    fn next_reply(&mut self) -> Result<Option<Reply<'_>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let shape = loop {
            if let Some(shape) = Shape::find(self.wire.unread())? {
                break shape;
            }
            self.wire.receive()?;
        };
        self.left -= 1;
        shape.reply(self.wire.consume(shape.length)).map(Some)
    }
}

/// The replies of a pipeline, in order. Those that are not taken are skipped before the next pipeline.
pub struct Replies<'a> {
    client: &'a mut Client,
}

impl Replies<'_> {
    /// The next reply; `None` after the last.
    #[inline]
    pub fn next_reply(&mut self) -> Result<Option<Reply<'_>>, Error> {
        self.client.next_reply()
    }
}
