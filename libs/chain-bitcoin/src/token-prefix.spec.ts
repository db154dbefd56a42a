// SPDX-License-Identifier: Apache-2.0
import { encodeTokenPrefix, readTokenPrefix } from '@bitauth/libauth';
import fc from 'fast-check';
import { skipTokenPrefix } from './token-prefix.ts';

const script = Buffer.from(`76a914${'07'.repeat(20)}88ac`, 'hex');
const token = fc.record({
  category: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  amount: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  nft: fc.option(
    fc.record({
      capability: fc.constantFrom('none' as const, 'mutable' as const, 'minting' as const),
      commitment: fc.uint8Array({ maxLength: 300 }),
    }),
    { nil: undefined },
  ),
});

describe('the token prefix of an output', () => {
  it('ends where libauth says', () => {
    fc.assert(
      fc.property(token, ({ category, amount, nft }) => {
        const prefix = encodeTokenPrefix({
          category,
          amount: nft === undefined && amount === 0n ? 1n : amount,
          nft,
        });
        expect(skipTokenPrefix(Buffer.concat([prefix, script]))).toBe(prefix.length);
        expect(skipTokenPrefix(prefix)).toBe(prefix.length);
      }),
      { numRuns: 500 },
    );
  });

  it('is one where libauth reads one, whatever the bytes are', () => {
    const bytes = fc
      .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 20 }))
      .map(([category, rest]) => Buffer.concat([Buffer.of(0xef), category, rest]));
    fc.assert(
      fc.property(bytes, (output) => {
        const read = readTokenPrefix({ bin: Uint8Array.from(output), index: 0 });
        expect(skipTokenPrefix(output)).toBe(typeof read === 'string' ? 0 : read.position.index);
      }),
      { numRuns: 3_000 },
    );
  });

  const category = `ef${'aa'.repeat(32)}`;
  it.each([
    ['no prefix', '76a914', 0],
    ['nothing', '', 0],
    ['the first byte alone', 'ef', 0],
    ['neither an amount nor an NFT', `${category}00`, 0],
    ['the reserved bit', `${category}9001`, 0],
    ['an amount of 0', `${category}1000`, 0],
    ['an amount in a longer form', `${category}10fd0100`, 0],
    ['an amount over the signed maximum', `${category}10ff0000000000000080`, 0],
    ['a capability without an NFT', `${category}1101`, 0],
    ['an unknown capability', `${category}23`, 0],
    ['an empty commitment', `${category}6000`, 0],
    ['a commitment that ends too early', `${category}6002aa`, 0],
    ['an amount', `${category}10fdfd00`, 37],
    ['an NFT', `${category}20`, 34],
    ['an NFT with a commitment and an amount', `${category}7101aa05`, 37],
  ])('of %s', (_name, hex, length) => {
    expect(skipTokenPrefix(Buffer.from(hex, 'hex'))).toBe(length);
  });
});
