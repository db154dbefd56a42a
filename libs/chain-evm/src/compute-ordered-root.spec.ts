// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { computeOrderedRoot } from './compute-ordered-root.ts';
import { rootByLibrary } from './spec-root.ts';

const SEED = Number(process.env.PROVE_SEED ?? 7);
const RUNS = Number(process.env.PROVE_RUNS ?? 15);

// Another count is another trie: keys of one byte, of two, of three; values that stand in their branch, and longer ones.
describe('the root of a list', () => {
  it.each([0, 1, 2, 15, 16, 17, 127, 128, 129, 130, 255, 256, 257, 272, 500, 4_097])(
    'of %i values is that of the library',
    async (count) => {
      for (const bytes of count > 300 ? [110] : [1, 24, 31, 32, 110]) {
        const values = Array.from({ length: count }, (_, index) =>
          Uint8Array.from({ length: bytes }, (__, at) => (index * 31 + at * 7 + 1) & 0xff),
        );
        expect({ bytes, root: computeOrderedRoot(values) }).toEqual({
          bytes,
          root: await rootByLibrary(values),
        });
      }
    },
  );

  it('of random values is that of the library', async () => {
    const value = fc.uint8Array({ minLength: 1, maxLength: 70 });
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 300 }), async (values) => {
        expect(computeOrderedRoot(values)).toBe(await rootByLibrary(values));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
