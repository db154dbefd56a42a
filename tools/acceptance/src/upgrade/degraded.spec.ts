// SPDX-License-Identifier: Apache-2.0
import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { eventIdOf } from '@chainwatch/events';
import { accountOf } from '../../../devnet/evm/settled-chain/index.ts';
import { LOCAL_LIMITS, MEMO_PROGRAM } from '../../../devnet/solana/index.ts';
import { SettledTestChain } from '../evm/settled-test-chain.ts';
import { Harness } from '../harness.ts';
import { SolanaChain } from '../solana/solana-chain.ts';
import type { TestChain } from '../test-chain.ts';

// What the release before left on chains that it did not understand since autumn 2026: incidents, and payments that it told
// and never confirmed. Its rows are written here by hand (stand-ins), as commit 4f3b15d5 writes them.

interface Told {
  readonly hash: string;
  readonly status: string;
  readonly memo: string | null;
  readonly verification: string;
}

interface Degraded<C extends TestChain> {
  readonly chain: C;
  /** The incident that the release before opened. */
  readonly kind: string;
  readonly address: string;
  readonly memo: string | null;
  /** What stands behind the payment in the end. */
  readonly evidence: 'proved' | 'attested';
  /** Pays, mines, and answers the transaction's hash. */
  readonly pay: (chain: C, address: string) => Promise<string>;
}

function describeDegraded<C extends TestChain>({
  chain,
  kind,
  address,
  memo,
  evidence,
  pay,
}: Degraded<C>): void {
  const harness = new Harness(chain);
  beforeAll(async () => {
    await harness.start();
    await harness.watch(address);
  });
  afterAll(() => harness.stop());

  /** The rows of the release before. */
  const degrade = async (): Promise<void> => {
    const { gid } = chain;
    const { db } = harness;
    const { rows } = await db.query<{ id: string }>(
      `INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, transaction_hash, expected, got)
       SELECT chain_gid, $2, min(block_number), min(block_hash), max(block_number), min(hash), 'what was known', 'what was not'
       FROM transactions WHERE chain_gid = $1 GROUP BY chain_gid RETURNING id`,
      [gid, kind],
    );
    await db.query('DELETE FROM unproved_transactions WHERE chain_gid = $1', [gid]);
    await db.query(
      `INSERT INTO unproved_transactions (chain_gid, block_hash, hash, block_number, digest, endpoint, incident_ids)
       SELECT chain_gid, block_hash, hash, block_number, '\\x00', $2, $3 FROM transactions WHERE chain_gid = $1`,
      [gid, chain.url, rows.map(({ id }) => id)],
    );
    await db.query(
      'UPDATE transactions SET verification = NULL, is_unproved = true, is_withheld = true, memo = NULL WHERE chain_gid = $1',
      [gid],
    );
    await db.query('UPDATE blocks SET verification = NULL WHERE chain_gid = $1', [gid]);
    // As the migration does.
    await db.query('UPDATE analyzer_states SET settled_number = cursor_number WHERE chain_gid = $1', [gid]);
  };
  const read = async (hash: string): Promise<Told> =>
    (await harness.project.get<{ items: Told[] }>('/transactions?limit=100')).items.find(
      (one) => one.hash === hash,
    )!;
  const statusOf = async (): Promise<string> =>
    (await harness.project.get<{ sync: { status: string } }>(`/blockchains/${chain.gid}`)).sync.status;
  const eventsOf = (hash: string): readonly [id: string, type: string][] =>
    [...harness.receiver.events.values()]
      .filter(({ transactionHash }) => transactionHash === hash)
      .map(({ eventId, type }) => [eventId, type]);

  it('confirms what was withheld once its blocks are processed again, with the events that it would have had', async () => {
    const hash = await pay(chain, address);
    await harness.waitForCursor();
    await harness.until('the payment to be told', 30_000, async () => eventsOf(hash).length === 1);
    await harness.services.kill('tx-analyzer');
    await degrade();
    const { rows } = await harness.db.query<{ block_number: number; block_hash: string }>(
      'SELECT block_number, block_hash FROM transactions WHERE hash = $1',
      [hash],
    );
    await chain.finalize();
    await harness.services.start(['tx-analyzer']);
    await harness.waitForCursor();
    await harness.until('the block to be final', 30_000, async () => {
      const state = await harness.db.query<{ confirmed_number: number }>(
        'SELECT confirmed_number FROM analyzer_states WHERE chain_gid = $1',
        [chain.gid],
      );
      return state.rows[0]!.confirmed_number >= rows[0]!.block_number;
    });
    expect(await read(hash)).toMatchObject({ status: 'detected', verification: 'unproved', memo: null });
    expect(await statusOf()).toBe('degraded');
    await harness.project.expect(202, {
      method: 'POST',
      path: `/blockchains/${chain.gid}/actions/reprocess`,
      body: { from_block: harness.startBlock, to_block: rows[0]!.block_number },
    });
    await harness.until('the payment to be confirmed', 60_000, async () => eventsOf(hash).length === 2);
    expect(await read(hash)).toMatchObject({ status: 'confirmed', verification: evidence, memo });
    const idOf = (type: 'transaction.detected' | 'transaction.confirmed'): string =>
      eventIdOf({ type, chainGid: chain.gid, hash, projectId: harness.project.id, epoch: 0 });
    expect(eventsOf(hash)).toEqual([
      [idOf('transaction.detected'), 'transaction.detected'],
      [idOf('transaction.confirmed'), 'transaction.confirmed'],
    ]);
    await harness.until('the incident to be resolved', 30_000, async () => (await statusOf()) !== 'degraded');
  });
}

describe('Solana since version 1', () =>
  describeDegraded({
    chain: new SolanaChain(),
    evidence: 'attested',
    kind: 'transaction-version:1',
    address: Keypair.generate().publicKey.toBase58(),
    memo: 'order 7',
    pay: async ({ node, actor }, address) => {
      const [payer] = actor.wallets as [Keypair];
      const signature = await node.send(
        [
          SystemProgram.transfer({
            fromPubkey: payer.publicKey,
            toPubkey: new PublicKey(address),
            lamports: 2_000_000n,
          }),
          { programId: MEMO_PROGRAM, keys: [], data: Buffer.from('order 7') },
        ],
        { payer, version: 1, config: LOCAL_LIMITS },
      );
      await node.produce();
      return signature;
    },
  }));

describe('Avalanche since Helicon', () =>
  describeDegraded({
    chain: new SettledTestChain(),
    evidence: 'proved',
    kind: 'header-field:settledHeight',
    address: accountOf(50),
    memo: null,
    pay: async (chain) => {
      const { made } = await chain.append([{ from: 3, to: accountOf(50), value: 5n }]);
      return made[0]!.json.hash;
    },
  }));
