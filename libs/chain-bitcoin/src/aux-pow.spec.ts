// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { decodeBlock } from './read-block.ts';
import { parseHeader } from './parse-header.ts';
import { hash256, scryptHash } from './hash.ts';
import { dogecoin, dogecoinBlock, traitsOf } from './spec-coin-blocks.ts';
import headers from './vectors/dogecoin-headers.json' with { type: 'json' };

const traits = traitsOf('dogecoin');
const ref = { number: dogecoin.height, hash: dogecoin.hash };

/** A copy of the recorded block with one bit changed. */
function flip(at: number): Buffer {
  const bytes = Buffer.from(dogecoinBlock);
  bytes[at]! ^= 1;
  return bytes;
}

const EASY_BITS = 0x207fffff;
const MAGIC = Buffer.from('fabe6d6d', 'hex');

interface Other {
  /** In front of the root of the merged chains. */
  readonly before: Buffer;
  /** Behind the root, the number of chains, and their number. */
  readonly after?: Buffer;
  readonly inputs?: number;
}

/** A merged header whose work is that of a made-up chain with one block of one transaction. */
function mergeHeader({ before, after = Buffer.alloc(0), inputs = 1 }: Other): Buffer {
  const own = Buffer.alloc(80);
  own.writeUInt32LE((98 << 16) | 0x103, 0);
  own.writeUInt32LE(EASY_BITS, 72);
  const numbers = Buffer.from('0100000000000000', 'hex');
  const script = Buffer.concat([before, hash256(own).reverse(), numbers, after]);
  const rest = Buffer.concat([Buffer.alloc(36, 7), countOf(0), Buffer.alloc(4)]);
  const transaction = Buffer.concat([
    ...[Buffer.of(1, 0, 0, 0), countOf(inputs), Buffer.alloc(36, 9), countOf(script.length), script],
    ...[Buffer.alloc(4), ...Array.from({ length: inputs - 1 }, () => rest)],
    ...[countOf(1), Buffer.alloc(8), countOf(0), Buffer.alloc(4)],
  ]);
  const parent = Buffer.alloc(80);
  parent.set(hash256(transaction), 36);
  for (let nonce = 0; scryptHash(parent)[31]! > 0x7f; nonce++) parent.writeUInt32LE(nonce, 76);
  // The other block's hash, no branch, index 0; no merged chains beside it, index 0.
  return Buffer.concat([
    own,
    transaction,
    Buffer.alloc(32),
    countOf(0),
    Buffer.alloc(4),
    countOf(0),
    Buffer.alloc(4),
    parent,
  ]);
}

/** CompactSize below 2^16. */
function countOf(count: number): Buffer {
  if (count < 0xfd) return Buffer.of(count);
  return Buffer.of(0xfd, count & 0xff, count >> 8);
}

describe('what Dogecoin Core asks of the other chain', () => {
  const fixed = MAGIC.length + 40;

  it.each([
    ['a script of 100 bytes', { before: MAGIC, after: Buffer.alloc(100 - fixed) }],
    ['a script of 101 bytes', { before: MAGIC, after: Buffer.alloc(101 - fixed) }],
    ['a script of 252 bytes', { before: MAGIC, after: Buffer.alloc(252 - fixed) }],
    ['a script of 300 bytes', { before: MAGIC, after: Buffer.alloc(300 - fixed) }],
    ['the root behind 300 bytes', { before: Buffer.concat([Buffer.alloc(300), MAGIC]) }],
    ['two inputs', { before: MAGIC, inputs: 2 }],
    ['253 inputs', { before: MAGIC, inputs: 253 }],
    ['253 inputs and a script of 300 bytes', { before: MAGIC, after: Buffer.alloc(256), inputs: 253 }],
    ['no magic, and the root at byte 20', { before: Buffer.alloc(20) }],
  ])('is met by %s', (_name, other) => {
    const bytes = mergeHeader(other);
    expect(parseHeader(bytes, traits).length).toBe(bytes.length);
  });

  it.each<[string, RegExp, Other]>([
    ['the magic twice', /perhaps several/, { before: MAGIC, after: MAGIC }],
    [
      'the magic twice, far apart',
      /perhaps several/,
      { before: MAGIC, after: Buffer.concat([Buffer.alloc(300), MAGIC]) },
    ],
    ['the magic elsewhere', /perhaps several/, { before: Buffer.concat([MAGIC, Buffer.of(1)]) }],
    ['no magic, and the root at byte 21', /perhaps several/, { before: Buffer.alloc(21) }],
  ])('is not met by %s', (_name, message, other) => {
    expect(() => parseHeader(mergeHeader(other), traits)).toThrow(message);
  });
});

describe('a header with merged mining', () => {
  it.each(headers.headers)('$name: is read to its end, and has its hash', ({ hash, bytes }) => {
    const whole = Buffer.from(bytes, 'hex');
    const header = parseHeader(whole, traits);
    expect(header.length).toBe(whole.length);
    if (hash !== null) expect(header.hash).toBe(hash);
    // As the beginning of a block.
    expect(parseHeader(Buffer.concat([whole, Buffer.alloc(9)]), traits)).toEqual(header);
  });

  it.each(headers.headers.slice(2))('$name: is not known where nobody mines so', ({ bytes }) => {
    const { mergedMining: _none, ...alone } = traits;
    expect(() => parseHeader(Buffer.from(bytes, 'hex'), alone)).toThrow(/at or below the target/);
  });

  it.each(headers.headers.slice(2))('$name: is refused when it ends too early', ({ bytes }) => {
    const whole = Buffer.from(bytes, 'hex');
    for (let length = 80; length < whole.length; length++)
      expect(() => parseHeader(whole.subarray(0, length), traits)).toThrow(IncompleteBlockError);
  });

  const { length } = parseHeader(dogecoinBlock, traits);

  it('is refused with any bit of its proof changed that says something', () => {
    const coinbaseEnd = dogecoinBlock.indexOf(Buffer.from('b3e64e02fff59620', 'hex'));
    // The other block's hash, which its header tells, is said a second time.
    const said = Array.from({ length: length - 80 }, (_, at) => 80 + at).filter(
      (at) => at < coinbaseEnd || at >= coinbaseEnd + 32,
    );
    const taken = said.filter((at) => {
      try {
        parseHeader(flip(at), traits);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(IncompleteBlockError);
        return false;
      }
    });
    expect(taken).toEqual([]);
  });

  it.each<[string, RegExp, (bytes: Buffer) => void]>([
    ['another chain', /expected the chain 98, got 99/, (bytes) => bytes.writeUInt16LE(99, 2)],
    [
      'this chain as the other one',
      /expected another chain than 98/,
      (bytes) => bytes.writeUInt16LE(98, length - 78),
    ],
    [
      'a root that is not in the coinbase',
      /root of the merged chains/,
      (bytes) => bytes.writeUInt32LE(7, 76),
    ],
  ])('is refused with %s', (_name, message, change) => {
    const bytes = Buffer.from(dogecoinBlock);
    change(bytes);
    expect(() => parseHeader(bytes, traits)).toThrow(message);
  });

  it('proves its block as any other header does', () => {
    expect(decodeBlock(ref, dogecoinBlock, traits).transactions).toHaveLength(6);
    expect(() => decodeBlock(ref, flip(dogecoinBlock.length - 10), traits)).toThrow(/merkle root/);
    expect(() => decodeBlock(ref, flip(40), traits)).toThrow(IncompleteBlockError);
  });
});
