//! Whether a reply is the one that a call should get.

use super::body::Body;
use super::expected::Expected;
use super::head::GrpcFields;
use crate::protocol::h2::exchange::End;
use crate::protocol::{ErrorKind, Failure};

/// Why a reply is none of gRPC's.
pub fn not_grpc(head: &GrpcFields) -> Option<Failure> {
    match head.http_status {
        Some(200) if head.is_grpc => None,
        Some(200) => Some(Failure::protocol("a reply that is not application/grpc")),
        Some(status) => Some(Failure::new(
            ErrorKind::Status,
            format!("HTTP status {status} instead of a gRPC reply"),
        )),
        None => Some(Failure::protocol("a reply without :status")),
    }
}

/// The block that ends a reply, and why it is none of gRPC's if it is the only one.
///
/// # Errors
/// There is none.
#[inline]
pub fn last_block(end: End<'_, GrpcFields>) -> Result<(&GrpcFields, Option<Failure>), Failure> {
    match end {
        End::Data => Err(Failure::protocol("the trailers are missing")),
        End::Trailers(trailers) => Ok((trailers, None)),
        // Trailers only: the first block is the last.
        End::Head(head) => Ok((head, not_grpc(head))),
    }
}

/// What is wrong with call number `sequence`, which has ended as it should; `messages` is how
/// many it had to bring.
#[inline]
pub fn judge(
    trailers: &GrpcFields,
    body: &Body,
    messages: u32,
    expected: Option<&Expected>,
    sequence: u64,
) -> Option<Failure> {
    let right = trailers.grpc_status == Some(0)
        && body.is_whole()
        && body.messages == messages
        && !body.is_different;
    if right {
        None
    } else {
        let got = expected
            .filter(|_| body.is_different)
            .map(|expected| expected.of(sequence, &mut Vec::new()).explain(body.got()));
        Some(explain(trailers, body, messages, got))
    }
}

#[cold]
fn explain(trailers: &GrpcFields, body: &Body, messages: u32, got: Option<String>) -> Failure {
    match trailers.grpc_status {
        None => Failure::protocol("trailers without grpc-status"),
        Some(0) if !body.is_whole() => Failure::protocol("a message that ends in the middle"),
        Some(0) if body.is_different => Failure::new(ErrorKind::Body, got.unwrap_or_default()),
        Some(0) => Failure::new(
            ErrorKind::Body,
            format!("{} messages, expected {messages}", body.messages),
        ),
        Some(_) => Failure::new(ErrorKind::Status, trailers.status_text()),
    }
}
