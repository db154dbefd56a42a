// SPDX-License-Identifier: Apache-2.0
import { UnknownContentError, type Block } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { network } from '@chainwatch/data/testing';
import type { SpecEndpoint } from './spec-world/spec-chain.ts';
import { ALICE, pay, SettlingChain } from './spec-world/spec-settling.ts';
import { accept, incidents, partOf, reprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const CAROL = '0xcccccccccccccccccccccccccccccccccccccccc';
/** Ten times as much is overdue. */
const EVIDENCE_MS = 40;

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
let chain: SettlingChain;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, {
    pollMs: 100,
    of: { network: { ...network, evidenceDelayMs: EVIDENCE_MS } },
  });
  project = await world.addProject();
  await world.watch(project, ALICE);
  chain = new SettlingChain(world);
});
afterEach(() => world.stop());

/** Without evidence for the first of 12 blocks, until it is given up. */
async function giveUpFirst(at: Parameters<SettlingChain['make']>[1]): Promise<Block[]> {
  const blocks = chain.make(12, at);
  chain.prove(blocks.slice(1, 11), blocks[11]!);
  world.startAnalyzer();
  await world.feedBlocks(...blocks);
  await world.feedFinalize(blocks[10]!);
  await chain.reach(11);
  return blocks;
}
const proveFirst = async (blocks: readonly Block[]): Promise<void> => {
  chain.prove(blocks.slice(0, 1), blocks[11]!);
  await waitFor(async () => (await chain.records())[0]?.verification === 'proved', {
    message: 'the evidence',
  });
};

describe('a block whose evidence was given up', () => {
  it('is asked for again after it was processed again', async () => {
    const blocks = await giveUpFirst({ 1: pay('one') });
    await reprocess(world, 1, 3);
    expect((await chain.verifications())[0]).toBe('unproved');
    await proveFirst(blocks);
    await waitFor(async () => (await incidents(world))[0]?.status === 'resolved');
    expect((await chain.verifications())[0]).toBe('proved');
  });

  it('has what is found in it later vouched for, too', async () => {
    await giveUpFirst({ 1: pay('one', 5n, CAROL) });
    // Registered while the block passed.
    await world.db.transaction(async (sql) => {
      const { id } = await world.watch(project, CAROL, sql);
      await sql.query('UPDATE address_watches SET from_block = 1 WHERE address_id = $1', [id]);
    });
    await waitFor(async () => (await chain.records())[0]?.verification === 'unproved', {
      message: 'what was found later to be given up, too',
    });
    await accept(world);
    await waitFor(async () => (await chain.records())[0]?.status === 'confirmed', {
      message: 'the acceptance',
    });
    expect(await chain.records()).toMatchObject([{ verification: 'trusted' }]);
  });

  it('has no incident any more when a reorg took it away', async () => {
    const blocks = chain.make(12, { 1: pay('one') });
    world.startAnalyzer();
    await world.feedBlocks(...blocks);
    await chain.reach(1);
    await world.feedReorg(blocks.toReversed());
    await world.settle();
    await waitFor(async () => (await incidents(world)).every(({ status }) => status === 'resolved'), {
      message: 'the incident to be resolved',
    });
  });
});

describe('a block whose evidence shows something unknown', () => {
  it('is unproved, with an incident that the operator may accept', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    let isStrange = false;
    const strange: SpecEndpoint = {
      label: 'strange',
      tell: (block, options) => {
        if (!isStrange || block.number > 2) return chain.settler('strange').tell(block);
        const unknowns = [partOf('receipt-field:strange', block.transactions[0]?.hash)];
        if (options?.takeUnknown !== true) throw new UnknownContentError('strange', unknowns);
        return {
          ...block,
          verification: 'unproved',
          unknowns,
          transactions: block.transactions.map((one) => ({ ...one, verification: 'unproved' })),
        };
      },
    };
    world.chain.endpoints = [strange];
    world.startAnalyzer();
    await world.feedBlocks(...blocks);
    await world.settle();
    isStrange = true;
    // The kind has waited already.
    await world.db.query(
      `INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, expected, got, created_at)
       VALUES ($1, 'receipt-field:strange', 0, 'before', 0, '', '', now() - interval '1 day')`,
      [world.gid],
    );
    await world.feedFinalize(blocks[1]!);
    await chain.reach(2);
    expect(await chain.records()).toEqual([
      { status: 'detected', verification: 'unproved', is_withheld: true },
    ]);
    expect(await incidents(world)).toMatchObject([{ kind: 'receipt-field:strange', last_block_number: 2 }]);
    await accept(world);
    await waitFor(async () => (await chain.records())[0]?.status === 'confirmed', {
      message: 'the acceptance',
    });
    expect((await chain.records())[0]).toMatchObject({ verification: 'trusted' });
  });
});
