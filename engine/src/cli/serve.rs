//! `deadheat-load serve`.

mod sse;

use super::units;
use clap::{Args, Subcommand};
use deadheat_load::error::{Error, Result};
use deadheat_load::serve::greetings::Greetings;
use deadheat_load::serve::grpc::Grpc as GrpcService;
use deadheat_load::serve::http::Hello;
use deadheat_load::serve::redis::Sink;
use deadheat_load::serve::websocket::Echo;
use deadheat_load::serve::{server, Faults, Service};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

#[derive(Debug, Subcommand)]
pub enum Serve {
    /// HTTP/1.1: GET /{token} is answered with "Hello from {token}!"
    #[command(after_help = "\
Examples:
  deadheat-load serve http --port 8080
  deadheat-load serve http --port 0 --body 'Hello World!'
  deadheat-load serve http --port 8080 --greet
  deadheat-load serve http --port 8080 --stall 1s/5s")]
    Http(Http),
    /// gRPC: any call is answered with the message it brought
    #[command(after_help = "\
Examples:
  deadheat-load serve grpc --port 50051
  deadheat-load serve grpc --port 50051 --hello
  deadheat-load serve grpc --port 50051 --grpc-status 13")]
    Grpc(Grpc),
    /// Streams of tokens over HTTP/1.1, each event at its planted time
    #[command(after_help = "\
Examples:
  deadheat-load serve sse --port 8090
  deadheat-load serve sse --port 8090 --first-content 50ms,80ms --gap 5ms,5ms,40ms --contents 100
  deadheat-load serve sse --port 8090 --form lines --fail 1/10

Times run from the arrival of a request, by the kernel's clock.")]
    Sse(sse::Sse),
    /// Redis: a sink that answers right and tells exactly what it was asked
    #[command(after_help = "\
Examples:
  deadheat-load serve redis --port 6380
  deadheat-load serve redis --port 0 --most-unsent 65536

A line of JSON on stdout for each connection that closes: docs/redis-sink.md.")]
    Redis(Redis),
    /// WebSocket: every message is answered with itself
    #[command(after_help = "\
Examples:
  deadheat-load serve ws --port 8070
  deadheat-load serve ws --port 8070 --delay 2ms
  deadheat-load serve ws --port 8070 --fail 1/1000 --wrong-body 1/1000 --count")]
    Ws(WebSocket),
}

#[derive(Debug, Args)]
pub struct Grpc {
    #[command(flatten)]
    common: Common,
    /// Serve greeter.Greeter instead: "Hello from {name}!", and nothing else
    #[arg(long)]
    hello: bool,
    /// Answer every call with this status
    #[arg(long, value_name = "CODE", help_heading = FAULTS)]
    grpc_status: Option<u16>,
}

#[derive(Debug, Args)]
pub struct Redis {
    #[command(flatten)]
    common: Common,
    /// Read no further while a client leaves more bytes of replies than this unread
    #[arg(long, value_name = "BYTES")]
    most_unsent: Option<usize>,
    /// Put hostile bytes in place of some replies; connection K has the seed SEED + K - 1
    #[arg(long, value_name = "SEED", help_heading = FAULTS)]
    garbage: Option<u64>,
}

#[derive(Debug, Args)]
pub struct Http {
    #[command(flatten)]
    common: Common,
    /// Answer every request with this text
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// Serve /plaintext/{name} and /json/{name} of the application instead, with Server and Date
    #[arg(long, conflicts_with = "body")]
    greet: bool,
}

#[derive(Debug, Args)]
pub struct WebSocket {
    #[command(flatten)]
    common: Common,
}

/// Where a server listens.
#[derive(Debug, Args)]
pub struct Place {
    /// Port to listen on; 0 takes a free one and says which
    #[arg(long)]
    port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// At the end print on stdout, as JSON, what was served and how often each fault was injected
    #[arg(long)]
    count: bool,
}

/// What every server of plain requests and replies understands.
#[derive(Debug, Args)]
pub struct Common {
    #[command(flatten)]
    place: Place,
    /// Do nothing during the last LENGTH of every PERIOD
    #[arg(long, value_name = "LENGTH/PERIOD", value_parser = units::stall, help_heading = FAULTS)]
    stall: Option<(Duration, Duration)>,
    /// Hold each reply back for so long
    #[arg(long, default_value = "0s", value_name = "TIME", value_parser = units::duration, help_heading = FAULTS)]
    delay: Duration,
    /// Hold each reply back for up to so much longer
    #[arg(long, default_value = "0s", value_name = "TIME", value_parser = units::duration, help_heading = FAULTS)]
    jitter: Duration,
    /// Answer every N-th request with an error status
    #[arg(long, value_name = "1/N", value_parser = units::every, help_heading = FAULTS)]
    fail: Option<u64>,
    /// Answer every N-th request with another body
    #[arg(long, value_name = "1/N", value_parser = units::every, help_heading = FAULTS)]
    wrong_body: Option<u64>,
    /// Send half of every N-th reply, then close the connection
    #[arg(long, value_name = "1/N", value_parser = units::every, num_args = 0..=1, default_missing_value = "1/1", help_heading = FAULTS)]
    half_response: Option<u64>,
    /// Close a connection after N replies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = FAULTS)]
    close_after: Option<u64>,
    /// Send replies one byte at a time
    #[arg(long, help_heading = FAULTS)]
    byte_by_byte: bool,
    /// Work per request, in iterations of a multiplication
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = FAULTS)]
    burn_iters: u64,
    /// Work per request, in microseconds, calibrated at start
    #[arg(long, value_name = "US", default_value_t = 0.0, help_heading = FAULTS)]
    burn_us: f64,
}

const FAULTS: &str = "Faults, for tests of truth";

impl Serve {
    pub fn run(self) -> Result<()> {
        match self {
            Self::Http(http) if http.greet => http.common.run(Greetings::default()),
            Self::Http(http) => http.common.run(Hello { body: http.body }),
            Self::Grpc(grpc) => grpc.common.run(GrpcService {
                hello: grpc.hello,
                status: grpc.grpc_status,
            }),
            Self::Sse(sse) => sse.run(),
            Self::Redis(redis) => redis
                .common
                .run(Sink::new(redis.most_unsent, redis.garbage)),
            Self::Ws(websocket) => websocket.common.run(Echo),
        }
    }
}

impl Place {
    /// Serves until told to stop.
    pub fn run(&self, service: impl Service, faults: Faults) -> Result<()> {
        let address = self.address()?;
        let served = server::run(address, service, faults)
            .map_err(|error| Error::usage(format!("cannot serve on {address}: {error}")))?;
        if self.count {
            let text = serde_json::to_string(&served).expect("plain data");
            println!("{text}");
        }
        Ok(())
    }

    fn address(&self) -> Result<SocketAddr> {
        let host = match self.host.as_str() {
            "localhost" => "127.0.0.1",
            host => host,
        };
        let ip: IpAddr = host
            .parse()
            .map_err(|_| Error::usage(format!("--host {host}: not an IP address")))?;
        Ok(SocketAddr::new(ip, self.port))
    }
}

impl Common {
    /// Serves until told to stop.
    pub fn run(self, service: impl Service) -> Result<()> {
        let faults = Faults {
            stall: self.stall,
            delay: self.delay,
            jitter: self.jitter,
            fail: self.fail,
            wrong_body: self.wrong_body,
            half_response: self.half_response,
            close_after: self.close_after,
            byte_by_byte: self.byte_by_byte,
            burn_iters: self.burn_iters,
            burn_us: self.burn_us,
        };
        self.place.run(service, faults)
    }
}
