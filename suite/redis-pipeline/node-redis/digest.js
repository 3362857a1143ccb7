/** The digest of replies that workload.toml defines: FNV-1a (64 bits) over `$text\n`, `:number\n`, `_\n`. */
export class Digest {
  // Four pieces of 16 bits: a 64-bit product needs no BigInt, which would be slow.
  #pieces = [0x2325, 0x8422, 0x9ce4, 0xcbf2];

  add(reply) {
    if (reply === null) this.#bytes('_\n');
    else if (typeof reply === 'number') this.#bytes(`:${reply}\n`);
    else if (typeof reply === 'string') this.#bytes(`$${reply}\n`);
    else throw new Error(`unexpected reply ${String(reply)}`);
  }

  toString() {
    return this.#pieces.map((piece) => piece.toString(16).padStart(4, '0')).reverse().join('');
  }

  #bytes(text) {
    let [a, b, c, d] = this.#pieces;
    for (const byte of Buffer.from(text)) {
      a ^= byte;
      // The prime is 2^40 + 0x1b3.
      const low = a * 0x1b3;
      const second = b * 0x1b3 + (low >>> 16);
      const third = c * 0x1b3 + (second >>> 16) + (a << 8);
      const fourth = d * 0x1b3 + (third >>> 16) + (b << 8);
      a = low & 0xffff;
      b = second & 0xffff;
      c = third & 0xffff;
      d = fourth & 0xffff;
    }
    this.#pieces = [a, b, c, d];
  }
}
