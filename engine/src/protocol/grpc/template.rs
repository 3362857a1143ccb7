//! Encoded messages with places for sequence numbers in their texts.
//!
//! A text in a message in a message: each has its length before it, and the number of digits
//! changes all of them. Source: Protocol Buffers, "Encoding".

use crate::encoding::varint;
use crate::template::{LengthPrefix, Template};
use prost_reflect::{Kind, MessageDescriptor};

const VARINT: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const COUNTED: u64 = 2;
const FOUR_BYTES: u64 = 5;

/// The message with a place for each `{seq}` in its texts; `None` if it is not understood
/// (groups, an encoding that only proto2 has).
pub fn template(descriptor: &MessageDescriptor, mut bytes: &[u8]) -> Option<Template> {
    let mut template = Template::default();
    while !bytes.is_empty() {
        let field = bytes;
        let key = varint::read(&mut bytes)?;
        let counted = match key & 7 {
            VARINT => {
                varint::read(&mut bytes)?;
                None
            }
            EIGHT_BYTES => {
                bytes = bytes.get(8..)?;
                None
            }
            FOUR_BYTES => {
                bytes = bytes.get(4..)?;
                None
            }
            COUNTED => {
                let head = &field[..field.len() - bytes.len()];
                let length = usize::try_from(varint::read(&mut bytes)?).ok()?;
                let content = bytes.get(..length)?;
                bytes = &bytes[length..];
                Some((head, content))
            }
            _ => return None,
        };
        let Some((head, content)) = counted else {
            template.push(&field[..field.len() - bytes.len()]);
            continue;
        };
        let number = u32::try_from(key >> 3).ok()?;
        let inner = match descriptor.get_field(number)?.kind() {
            Kind::String => {
                let mut text = Template::default();
                text.push_text(content);
                text
            }
            Kind::Message(inner) => self::template(&inner, content)?,
            _ => Template::bytes(content),
        };
        template.push(head);
        template.push_counted(LengthPrefix::Varint, inner);
    }
    Some(template)
}
