//! The encodings that are sent: plain, without Huffman; it is done once and not for each call.

/// A field that stands in a table.
pub fn indexed(index: usize) -> Vec<u8> {
    let mut block = Vec::new();
    integer(0x80, 7, index, &mut block);
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
    integer(0x20, 5, size, &mut block);
    block
}

fn spelled(form: u8, name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut block = vec![form];
    for text in [name, value] {
        integer(0x00, 7, text.len(), &mut block);
        block.extend_from_slice(text);
    }
    block
}

/// RFC 7541 section 5.1.
fn integer(form: u8, prefix_bits: u32, mut value: usize, block: &mut Vec<u8>) {
    let most = (1_usize << prefix_bits) - 1;
    if value < most {
        block.push(form | value as u8);
        return;
    }
    block.push(form | most as u8);
    value -= most;
    while value >= 0x80 {
        block.push(value as u8 | 0x80);
        value >>= 7;
    }
    block.push(value as u8);
}
