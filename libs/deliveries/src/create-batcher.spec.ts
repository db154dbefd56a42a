// SPDX-License-Identifier: Apache-2.0
import { createBatcher } from './create-batcher.ts';

describe('createBatcher', () => {
  test('writes what came meanwhile together, in order, and no more at once than allowed', async () => {
    const batches: number[][] = [];
    const batcher = createBatcher<number>(async (items) => void batches.push([...items]), 3);
    await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));
    await batcher.add(6);
    expect(batches).toEqual([[1, 2, 3], [4, 5], [6]]);
    expect(batcher.size).toBe(0);
  });

  test('rejects the items of the batch that failed and goes on', async () => {
    const batcher = createBatcher<number>(
      (items) => (items.includes(1) ? Promise.reject(new Error('broken')) : Promise.resolve()),
      1,
    );
    const [first, second] = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
    expect([first!.status, second!.status]).toEqual(['rejected', 'fulfilled']);
    await batcher.drain();
  });
});
