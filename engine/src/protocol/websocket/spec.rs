//! What is asked of a WebSocket server beside what HTTP has too.

use crate::error::{Error, Result};
use crate::protocol::http::assertion::JsonAssertion;
use crate::protocol::http::Request;
use crate::template::{Template, Values};

#[derive(Clone, Debug, Default)]
pub struct MessageSpec {
    /// Texts go out as binary messages too, as what is none does anyhow.
    pub binary: bool,
    /// `$.path=value`: a reply belongs to the message whose value it has there.
    pub match_id: Option<String>,
    /// Before every so many messages of a connection goes a ping.
    pub ping: Option<u64>,
}

impl MessageSpec {
    /// How replies are matched, where they may come in any order.
    pub(super) fn match_id(&self, request: &Request) -> Result<Option<JsonAssertion>> {
        let Some(text) = &self.match_id else {
            return Ok(None);
        };
        let wrong = |why: String| Error::usage(format!("--match-id: {why}"));
        let id: JsonAssertion = text.parse().map_err(wrong)?;
        let Some(value) = &id.value else {
            let why = format!("{text} has no value, such as '$.id={{seq}}'");
            return Err(wrong(why));
        };
        let values = Values {
            rows: request.rows.as_ref(),
            ..Values::default()
        };
        Template::of(value, &values).map_err(wrong)?;
        Ok(Some(id))
    }
}
