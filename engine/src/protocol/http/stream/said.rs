//! What an event of a stream says, as servers of language models say it: whether it has content,
//! how many tokens there were, whether something went wrong.
//!
//! The forms are those of OpenAI (chat, completions, responses), Anthropic and Ollama, which others
//! speak too. Of any other stream each event has content.

use serde_json::Value;

/// Bytes of an error that are shown.
const SHOWN: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub has_content: bool,
    /// Tokens of the whole reply so far.
    pub tokens: Option<u64>,
    pub error: Option<String>,
}

impl Said {
    /// By an event of this name.
    pub fn of(name: &[u8], data: &[u8]) -> Self {
        let data = data.trim_ascii();
        let error = (name == b"error").then(|| shown(data));
        if data.is_empty() || data == b"[DONE]" {
            return Self {
                error,
                ..Self::default()
            };
        }
        let is_object = data.starts_with(b"{");
        let json = is_object.then(|| serde_json::from_slice::<Value>(data).ok());
        match json.flatten() {
            Some(json) => Self {
                has_content: has_content(&json),
                tokens: tokens(&json),
                error: error.or_else(|| is_error(&json).then(|| shown(data))),
            },
            None => Self {
                has_content: error.is_none(),
                tokens: None,
                error,
            },
        }
    }
}

fn has_content(json: &Value) -> bool {
    if let Some(choices) = json.get("choices").and_then(Value::as_array) {
        return choices.iter().any(|choice| {
            let of_chat = &choice["delta"];
            let names = [
                "content",
                "reasoning_content",
                "reasoning",
                "refusal",
                "tool_calls",
            ];
            is_there(&choice["text"]) || names.iter().any(|name| is_there(&of_chat[name]))
        });
    }
    if let Some(kind) = json.get("type").and_then(Value::as_str) {
        let delta = &json["delta"];
        let names = ["text", "partial_json", "thinking"];
        let is_delta = kind.ends_with("delta") && kind != "message_delta";
        return is_delta
            && (matches!(delta, Value::String(text) if !text.is_empty())
                || names.iter().any(|name| is_there(&delta[name])));
    }
    if json.get("done").is_some_and(Value::is_boolean) {
        let message = &json["message"];
        let names = ["content", "thinking", "tool_calls"];
        return is_there(&json["response"]) || names.iter().any(|name| is_there(&message[name]));
    }
    // Usage alone, or an error, is no content in any form.
    !is_error(json) && json.as_object().is_some_and(|fields| !fields.is_empty())
}

/// A text, a list or an object with something in it.
fn is_there(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

fn tokens(json: &Value) -> Option<u64> {
    let of = |usage: &Value| {
        let either = usage
            .get("completion_tokens")
            .or(usage.get("output_tokens"));
        either.and_then(Value::as_u64)
    };
    of(&json["usage"])
        .or_else(|| of(&json["response"]["usage"]))
        .or_else(|| json["eval_count"].as_u64())
}

fn is_error(json: &Value) -> bool {
    let error = json.get("error").is_some_and(|error| !error.is_null());
    error || json["type"] == "response.failed" || json["type"] == "error"
}

fn shown(data: &[u8]) -> String {
    String::from_utf8_lossy(&data[..data.len().min(SHOWN)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(data: &str) -> Said {
        Said::of(b"", data.as_bytes())
    }

    #[test]
    fn what_has_content() {
        for data in [
            r#"{"choices": [{"delta": {"content": "Hel"}}]}"#,
            r#"{"choices": [{"delta": {"role": "assistant", "reasoning_content": "Hm"}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 0}]}}]}"#,
            r#"{"choices": [{"text": "Hel"}]}"#,
            r#"{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hel"}}"#,
            r#"{"type": "response.output_text.delta", "delta": "Hel"}"#,
            r#"{"message": {"role": "assistant", "content": "Hel"}, "done": false}"#,
            r#"{"response": "Hel", "done": false}"#,
            r#"{"price": 7}"#,
            "12 degrees",
            "[1, 2]",
        ] {
            assert!(said(data).has_content, "{data}");
        }
    }

    #[test]
    fn what_has_none() {
        for data in [
            "",
            "[DONE]",
            "{}",
            r#"{"choices": [{"delta": {"role": "assistant", "content": ""}}]}"#,
            r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#,
            r#"{"choices": [], "usage": {"completion_tokens": 7}}"#,
            r#"{"type": "message_start", "message": {"content": []}}"#,
            r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#,
            r#"{"type": "ping"}"#,
            r#"{"message": {"content": ""}, "done": true}"#,
            r#"{"error": {"message": "overloaded"}}"#,
        ] {
            assert!(!said(data).has_content, "{data}");
        }
    }

    #[test]
    fn tokens_are_the_servers_own_count() {
        for data in [
            r#"{"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 7}}"#,
            r#"{"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7}}"#,
            r#"{"type": "response.completed", "response": {"usage": {"output_tokens": 7}}}"#,
            r#"{"response": "", "done": true, "eval_count": 7}"#,
        ] {
            assert_eq!(said(data).tokens, Some(7), "{data}");
        }
        assert_eq!(said(r#"{"choices": [], "usage": null}"#).tokens, None);
    }

    #[test]
    fn errors_are_heard_of() {
        let data = r#"{"error": {"message": "overloaded"}}"#;
        assert_eq!(said(data).error.as_deref(), Some(data));
        assert_eq!(said(r#"{"choices": [], "error": null}"#).error, None);
        let named = Said::of(b"error", b"overloaded");
        assert_eq!(named.error.as_deref(), Some("overloaded"));
        assert!(!named.has_content);
    }
}
