//! What stands before each message: whether it is compressed, and its length.

use crate::template::{LengthPrefix, Template};

/// Bytes before each message.
pub const PREFIX: usize = 5;

/// A message with its prefix.
pub fn framed(flag: u8, message: Template) -> Template {
    let mut framed = Template::bytes(&[flag]);
    framed.push_counted(LengthPrefix::Word, message);
    framed
}
