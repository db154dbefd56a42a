// SPDX-License-Identifier: Apache-2.0
import { readProofs } from './solana-client.ts';
import type { Session } from './session.ts';

const ref = { number: 7, hash: 'HGGVVJkz' };
const ask = (answers: Readonly<Record<string, unknown>>) => {
  const rpc = { call: async (_method: string, [hash]: [string]) => answers[hash] };
  const session = { rpc, versions: { max: 1 } } as unknown as Session;
  return readProofs(session, { ref, hashes: Object.keys(answers) });
};

it('is none, with the signatures that the node tells', async () => {
  const proofs = await ask({ '5gri': { slot: 7, transaction: { signatures: ['5gri', '3Ynw'] } } });
  expect([...proofs]).toEqual([
    [
      '5gri',
      {
        type: 'none',
        reason: expect.stringContaining('covers no tree of transactions'),
        signatures: ['5gri', '3Ynw'],
      },
    ],
  ]);
});

it('leaves out what the node does not have, or has in another slot', async () => {
  const proofs = await ask({
    '5gri': null,
    '3Ynw': { slot: 8, transaction: { signatures: ['3Ynw'] } },
    '2Kfr': { slot: 7, transaction: { signatures: ['2Kfr'] } },
  });
  expect([...proofs.keys()]).toEqual(['2Kfr']);
});
