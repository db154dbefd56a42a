import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { orderedTrieRoot } from './ordered-trie-root.ts';
import { RlpWriter } from './rlp-writer.ts';

const writer = new RlpWriter();

async function referenceRoot(values: readonly Uint8Array[]): Promise<string> {
  const trie = await createMPT();
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
  return Buffer.from(trie.root()).toString('hex');
}

function ownRoot(values: readonly Uint8Array[]): string {
  return orderedTrieRoot(values.length, writer, (index) => writer.bytes(values[index] ?? new Uint8Array(0)));
}

describe('orderedTrieRoot', () => {
  it('agrees with the library for lists of values of any length', async () => {
    const value = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.uint8Array({ minLength: 41, maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 300, size: 'max' }), async (values) => {
        expect(ownRoot(values)).toBe(await referenceRoot(values));
      }),
      { numRuns: 60 },
    );
  });

  it.each([0, 1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 1000])(
    'agrees with the library for %d values',
    async (count) => {
      const values = Array.from({ length: count }, (_, index) =>
        Uint8Array.from([index & 255, (index >> 8) + 1]),
      );
      expect(ownRoot(values)).toBe(await referenceRoot(values));
    },
  );
});

describe('RlpWriter', () => {
  it('writes the same as the library, lists in lists included', () => {
    type Item = string | Item[];
    const { item } = fc.letrec<{ item: Item }>((tie) => ({
      item: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array({ maxLength: 70 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
        fc.array(tie('item'), { maxLength: 6 }),
      ),
    }));
    const write = (value: Item): void => {
      if (typeof value === 'string') return writer.data(value);
      const mark = writer.size;
      for (const child of value.toReversed()) write(child);
      writer.list(mark);
    };
    fc.assert(
      fc.property(item, (value) => {
        writer.reset();
        write(value);
        expect(Buffer.from(writer.written).toString('hex')).toBe(
          Buffer.from(RLP.encode(value)).toString('hex'),
        );
      }),
    );
  });

  it('writes numbers without leading zeros, however the node pads them', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(5), (value, zeros) => {
        writer.reset();
        writer.quantity(`0x${'0'.repeat(zeros)}${value.toString(16)}`);
        expect(Buffer.from(writer.written).toString('hex')).toBe(
          Buffer.from(RLP.encode(value)).toString('hex'),
        );
      }),
    );
  });

  it('grows with what is written', () => {
    const hex = `0x${'ab'.repeat(200_000)}`;
    writer.reset();
    writer.data('0x01');
    writer.data(hex);
    writer.list(0);
    expect(Buffer.from(writer.written).toString('hex')).toBe(
      Buffer.from(RLP.encode([hex, '0x01'])).toString('hex'),
    );
  });

  it.each(['0xzz', '0x123', '0x12345g'])('refuses %s as data', (hex) => {
    writer.reset();
    expect(() => writer.data(hex)).toThrow('expected hexadecimal digits');
  });
});
