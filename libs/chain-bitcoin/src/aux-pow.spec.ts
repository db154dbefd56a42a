import { IncompleteBlockError } from '@chainwatch/chain-core';
import { decodeBlock } from './decode-block.ts';
import { parseHeader } from './parse-header.ts';
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
