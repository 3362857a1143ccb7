//! Header blocks of replies: initial headers and trailers.

use super::details::explain;
use crate::encoding::percent;
use crate::protocol::h2::cached_block::HeaderFields;
use crate::protocol::h2::field_rules::status;

/// Names of the statuses, by number.
const STATUSES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
/// Characters of a grpc-message that are told.
const SHOWN: usize = 200;

/// What is of interest in a block.
#[derive(Clone, Debug, Default)]
pub struct GrpcFields {
    /// `:status`; trailers have none.
    pub http_status: Option<u16>,
    pub is_grpc: bool,
    pub grpc_status: Option<u16>,
    grpc_message: String,
    /// `grpc-status-details-bin`, as it came.
    grpc_details: Vec<u8>,
}

impl HeaderFields for GrpcFields {
    fn take(&mut self, name: &[u8], value: &[u8]) {
        let text = || std::str::from_utf8(value).ok();
        match name {
            b":status" => self.http_status = status(value),
            b"content-type" => self.is_grpc = value.starts_with(b"application/grpc"),
            // What is no number is no status anyone asked for.
            b"grpc-status" => {
                self.grpc_status = Some(
                    text()
                        .and_then(|text| text.parse().ok())
                        .unwrap_or(u16::MAX),
                );
            }
            b"grpc-message" => {
                self.grpc_message = decoded(value).chars().take(SHOWN).collect();
            }
            b"grpc-status-details-bin" => self.grpc_details = value.to_vec(),
            _ => {}
        }
    }

    fn http_status(&self) -> Option<u16> {
        self.http_status
    }
}

impl GrpcFields {
    /// The status in words.
    #[cold]
    pub fn status_text(&self) -> String {
        let number = self.grpc_status.unwrap_or(u16::MAX);
        let name = STATUSES.get(usize::from(number)).unwrap_or(&"unknown");
        let mut text = format!("grpc-status {number} {name}");
        if !self.grpc_message.is_empty() {
            text += &format!(": {}", self.grpc_message);
        }
        match explain(&self.grpc_details).as_str() {
            "" => text,
            details => format!("{text}; {details}"),
        }
    }
}

/// A grpc-message without its percent signs; those that stand for nothing stay.
fn decoded(text: &[u8]) -> String {
    String::from_utf8_lossy(&percent::decode_lossy(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn percent_signs() {
        assert_eq!(decoded(b"not%20here: %C3%A9"), "not here: \u{e9}");
        assert_eq!(decoded(b"100%, %zz %4"), "100%, %zz %4");
    }
}
