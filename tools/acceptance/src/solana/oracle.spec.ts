// SPDX-License-Identifier: Apache-2.0
import { describeOracle } from '../describe-oracle.ts';
import type { Harness } from '../harness.ts';
import type { Project } from '../project.ts';
import { playScript } from './play-script.ts';
import { METAPLEX_NAMES } from './solana-actor.ts';
import { SolanaChain } from './solana-chain.ts';

describeOracle({
  chain: new SolanaChain(),
  playScript,
  scripts: 2,
  reorgs: { every: 3, deep: 25, shallow: 5 },
  more: describeMore,
});

function describeMore(harness: Harness<SolanaChain>): void {
  let first: Project;
  // The one whose list has the tokens whatever the histories did to them.
  beforeAll(() => {
    first = harness.project;
  });

  it('has read what Metaplex calls a token', async () => {
    const { gid, actor } = harness.chain;
    const [named, other] = await Promise.all(
      actor.mints.map(({ mint }) => first.get<object>(`/tokens/${gid}/token:${mint.toBase58()}`)),
    );
    expect(named).toMatchObject({ ...METAPLEX_NAMES, decimals: 6, status: 'active', source: 'chain' });
    expect(other).toMatchObject({ name: '', symbol: '', decimals: 6, status: 'active' });
  });

  it('records the slots that the chain skipped, and none that has a block', async () => {
    const { rows } = await harness.db.query<{ number: number; status: string }>(
      `SELECT number, status FROM blocks WHERE chain_gid = $1 AND status <> 'reorged'
       UNION ALL SELECT number, status FROM packed_blocks($1, 0, 9007199254740991) ORDER BY number`,
      [harness.chain.gid],
    );
    const [first, last] = [rows[0]!.number, rows.at(-1)!.number];
    const made = new Set(
      await harness.chain.node.call<number[]>('getBlocks', [first, last, { commitment: 'confirmed' }]),
    );
    const expected = Array.from({ length: last - first + 1 }, (_, position) => ({
      number: first + position,
      isSkipped: !made.has(first + position),
    }));
    expect(rows.map(({ number, status }) => ({ number, isSkipped: status === 'skipped' }))).toEqual(expected);
    expect(expected.some(({ isSkipped }) => isSkipped)).toBe(true);
  });
}
