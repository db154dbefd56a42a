import { IncompleteBlockError } from '@chainwatch/chain-core';
import { readProof } from './read-proof.ts';
import type { Session } from './session.ts';

const ref = { number: 7, hash: 'HGGVVJkz' };
const ask = (answer: unknown) =>
  readProof({ rpc: { call: async () => answer }, versions: { max: 1 } } as unknown as Session, {
    ref,
    hash: '5gri',
  });

it('is none, with the signatures that the node tells', async () => {
  expect(await ask({ slot: 7, transaction: { signatures: ['5gri', '3Ynw'] } })).toEqual({
    type: 'none',
    reason: expect.stringContaining('covers no tree of transactions'),
    signatures: ['5gri', '3Ynw'],
  });
});

it.each([
  [null, 'got none'],
  [{ slot: 8, transaction: { signatures: ['5gri'] } }, 'got it in slot 8'],
])('is refused where the node answers %j', async (answer, message) => {
  const asked = ask(answer);
  await expect(asked).rejects.toThrow(IncompleteBlockError);
  await expect(asked).rejects.toThrow(message);
});
