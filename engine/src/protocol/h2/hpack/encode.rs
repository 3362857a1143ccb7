//! The encodings that are sent: plain, without Huffman; it is done once and not for each call.

use crate::encoding::prefixed;

/// A field that stands in a table.
pub fn indexed(index: usize) -> Vec<u8> {
    let mut block = Vec::new();
    prefixed::write(0x80, 7, index, &mut block);
    block
}

/// A field that changes no table.
pub fn literal(name: &[u8], value: &[u8]) -> Vec<u8> {
    spelled(0x00, name, value)
}

/// A field that becomes the first entry (index 62) of the receiver's table.
pub fn literal_indexed(name: &[u8], value: &[u8]) -> Vec<u8> {
    spelled(0x40, name, value)
}

/// How much of the receiver's table is used from now on.
pub fn size_update(size: usize) -> Vec<u8> {
    let mut block = Vec::new();
    prefixed::write(0x20, 5, size, &mut block);
    block
}

fn spelled(form: u8, name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut block = vec![form];
    for text in [name, value] {
        prefixed::write(0x00, 7, text.len(), &mut block);
        block.extend_from_slice(text);
    }
    block
}
