//! Texts with `{token}` in them.

/// Puts the turn's token in place of every `{token}`.
pub fn with_token(template: &str, token: &str) -> String {
    template.replace("{token}", token)
}
