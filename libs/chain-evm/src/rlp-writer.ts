const nibbles = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) nibbles['0123456789abcdef'.charCodeAt(i)] = i;

/** A hexadecimal field that is not one: the node's answer is broken. */
export class InvalidHexError extends Error {
  constructor(field: string) {
    super(`expected hexadecimal digits, got ${JSON.stringify(String(field).slice(0, 40))}`);
    this.name = 'InvalidHexError';
  }
}

/**
 * Writes RLP from hexadecimal strings (`0x` and lower-case digits) into one reusable buffer, from the end to the front: an item's length is known by
 * the time its header is written, so nothing is measured or copied. Write the fields of a list in reverse order.
 */
export class RlpWriter {
  #bytes = new Uint8Array(1 << 16);
  /** The same memory; its native hexadecimal decoder serves long fields. */
  #buffer = Buffer.from(this.#bytes.buffer);
  #start = this.#bytes.length;

  /** Bytes written since `reset`; the mark that `list` and `text` take. */
  get size(): number {
    return this.#bytes.length - this.#start;
  }

  /** What was written, valid until the next write. */
  get written(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#start);
  }

  /** The last `length` bytes that were written, valid until the next write. */
  view(length: number): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#start, length);
  }

  reset(): void {
    this.#start = this.#bytes.length;
  }

  /** Forgets what was written since `mark`. */
  drop(mark: number): void {
    this.#start = this.#bytes.length - mark;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[--this.#start] = value;
  }

  /** Raw bytes without a header. */
  bytes(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#start -= source.length;
    this.#bytes.set(source, this.#start);
  }

  /** `count` zero bytes without a header. */
  zeros(count: number): void {
    this.#reserve(count);
    this.#start -= count;
    this.#bytes.fill(0, this.#start, this.#start + count);
  }

  /** A byte string: addresses, hashes, data. Null and `0x` are the empty string. */
  data(hex: string | null | undefined): void {
    if (hex === null || hex === undefined || hex === '0x') return this.byte(0x80);
    const length = this.#hex(hex);
    if (length === 1 && (this.#bytes[this.#start] ?? 0) < 0x80) return;
    this.#header(length, 0x80);
  }

  /** A number without leading zeros. */
  quantity(hex: string | null | undefined): void {
    if (hex === null || hex === undefined) return this.byte(0x80);
    expectPrefix(hex);
    let first = 2;
    while (first < hex.length && hex.charCodeAt(first) === 48) first++;
    if (first >= hex.length) return this.byte(0x80);
    this.#reserve((hex.length >> 1) + 1);
    const bytes = this.#bytes;
    const end = this.#start;
    let at = end;
    for (let i = hex.length - 1; i >= first; i -= 2) {
      const low = nibbles[hex.charCodeAt(i)] ?? 255;
      const high = i > first ? (nibbles[hex.charCodeAt(i - 1)] ?? 255) : 0;
      if ((low | high) > 15) throw new InvalidHexError(hex);
      bytes[--at] = (high << 4) | low;
    }
    this.#start = at;
    const length = end - at;
    if (length === 1 && (this.#bytes[this.#start] ?? 0) < 0x80) return;
    this.#header(length, 0x80);
  }

  /** Closes the list whose fields were written since `mark`. */
  list(mark: number): void {
    this.#header(this.size - mark, 0xc0);
  }

  /** Makes one byte string of what was written since `mark`. */
  text(mark: number): void {
    const length = this.size - mark;
    if (length === 1 && (this.#bytes[this.#start] ?? 0) < 0x80) return;
    this.#header(length, 0x80);
  }

  #header(length: number, base: number): void {
    this.#reserve(9);
    if (length < 56) {
      this.#bytes[--this.#start] = base + length;
      return;
    }
    let count = 0;
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) {
      this.#bytes[--this.#start] = rest & 255;
      count++;
    }
    this.#bytes[--this.#start] = base + 55 + count;
  }

  #hex(hex: string): number {
    expectPrefix(hex);
    if (hex.length & 1) throw new InvalidHexError(hex);
    const length = (hex.length - 2) >> 1;
    this.#reserve(length);
    this.#start -= length;
    // A native call costs more than the loop up to about the length of a word.
    if (length > 40) {
      if (this.#buffer.write(hex.slice(2), this.#start, length, 'hex') !== length)
        throw new InvalidHexError(hex);
      return length;
    }
    const bytes = this.#bytes;
    let at = this.#start;
    for (let i = 2; i < hex.length; i += 2) {
      const high = nibbles[hex.charCodeAt(i)] ?? 255;
      const low = nibbles[hex.charCodeAt(i + 1)] ?? 255;
      if ((high | low) > 15) throw new InvalidHexError(hex);
      bytes[at++] = (high << 4) | low;
    }
    return length;
  }

  #reserve(count: number): void {
    if (this.#start >= count) return;
    const size = this.size;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, size + count + 1024));
    larger.set(this.written, larger.length - size);
    this.#start = larger.length - size;
    this.#bytes = larger;
    this.#buffer = Buffer.from(larger.buffer);
  }
}

/** Of what is given for a string: a node's answer may hold anything. */
function expectPrefix(hex: string): void {
  if (typeof hex !== 'string' || !hex.startsWith('0x')) throw new InvalidHexError(hex);
}

/** Whether `hex`, with prefix and in lower case, spells `bytes`. */
export function spells(hex: string, bytes: Uint8Array): boolean {
  if (hex.length !== bytes.length * 2 + 2 || !hex.startsWith('0x')) return false;
  for (let i = 0; i < bytes.length; i++) {
    const high = nibbles[hex.charCodeAt(i * 2 + 2)] ?? 255;
    const low = nibbles[hex.charCodeAt(i * 2 + 3)] ?? 255;
    if (((high << 4) | low) !== bytes[i]) return false;
  }
  return true;
}
