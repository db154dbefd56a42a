// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { getAddress, type Hex } from 'viem';
import { Harness } from '../harness.ts';
import { LyingRpc, type Call, type Reply } from '../lying-rpc.ts';
import { askStatement } from '../statements/ask-statement.ts';
import { EvmChain } from './evm-chain.ts';

/** A node that has the headers of some blocks and lost their bodies. */
class NodeWithHole extends LyingRpc<'hole'> {
  override lie = 'hole' as const;
  /** Hashes. */
  readonly lost = new Set<unknown>();

  protected override freezeHead(): Promise<void> {
    return Promise.resolve();
  }

  protected override bendReply(_: 'hole', { method, params = [] }: Call, reply: Reply): Reply {
    const isBody =
      method === 'eth_getBlockReceipts' || (/^eth_getBlockBy/.test(method) && params[1] === true);
    const isLost =
      this.lost.has(params[0]) || this.lost.has((reply.result as { hash?: string } | null)?.hash);
    return isBody && isLost ? { id: reply.id, result: null } : reply;
  }
}

interface Sync {
  readonly sync: { readonly status: string; readonly reason: string | null };
}

interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly block_number: number;
  readonly last_block_number: number | null;
}

interface BalanceChanged {
  readonly changes?: readonly { readonly reason: string; readonly amount_raw: string }[];
}

/** Payments that nothing tells, in blocks that no node has, and one that is told. */
const LOST_WEI = [3_000_000_000_000_007n, 5_000_000_000_000_011n] as const;
const TOLD_WEI = 9_000_000_000_000_013n;
const DAY_MS = 86_400_000;

describe('blocks that no node has, skipped by the operator', () => {
  let node: NodeWithHole;
  const hole: number[] = [];
  const chain = new EvmChain({ epochBlocks: 4, behindMs: DAY_MS });
  const harness = new Harness(chain, {
    env: { STATEMENT_KEY: randomBytes(32).toString('base64') },
    endpointUrl: async (url) => {
      node = new NodeWithHole(url);
      await node.start();
      return node.url;
    },
  });
  beforeAll(() => harness.start());
  afterAll(async () => {
    await harness.stop();
    await node.stop();
  });

  const readSync = async () => (await harness.project.get<Sync>(`/blockchains/${chain.gid}`)).sync;
  const readBlocks = async (from: number, to: number) =>
    (
      await harness.db.query<{ number: number; status: string; hash: string; parent_hash: string }>(
        `SELECT number::int, status, hash, parent_hash FROM blocks WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND status <> 'reorged' ORDER BY number`,
        [chain.gid, from, to],
      )
    ).rows;
  const eventsOf = (type: string) =>
    [...harness.receiver.events.values()].filter((event) => event.type === type);
  const changesOf = () =>
    eventsOf('balance.changed').flatMap(({ body }) => (body['data'] as BalanceChanged).changes ?? []);

  it('are passed; balances are read again and differences told, nothing else is, and every header is there', async () => {
    const [from, to, bystander] = chain.actor.accounts as [Hex, Hex, Hex];
    await harness.watch(to);
    await harness.watch(bystander);
    await harness.settle();
    harness.receiver.events.clear();
    const lost: Hex[] = [];
    // No body has been asked for when the node loses it.
    await harness.services.kill('tx-analyzer');
    for (const wei of LOST_WEI) {
      lost.push(await chain.actor.sendEther(from, to, wei));
      await chain.mine();
      const head = await chain.readHead();
      node.lost.add(head.hash);
      hole.push(head.number);
    }
    const told = await chain.actor.sendEther(from, to, TOLD_WEI);
    await chain.mine(2);
    await harness.services.start(['tx-analyzer']);
    await harness.until('the chain to stand before the hole', 60_000, async () =>
      new RegExp(`block ${hole[0]} .*cannot be read`).test((await readSync()).reason ?? ''),
    );
    expect((await readSync()).status).toBe('stalled');
    expect(eventsOf('transaction.detected')).toEqual([]);

    await harness.project.expect(202, {
      method: 'POST',
      path: `/blockchains/${chain.gid}/actions/skip`,
      body: { from_block: hole[0], to_block: hole[1], confirm: chain.gid },
    });
    await harness.settle();

    // Nothing of the hole is told, and what comes after it is.
    for (const type of ['transaction.detected', 'transaction.confirmed'])
      expect([type, eventsOf(type).map((event) => event.transactionHash)]).toEqual([type, [told]]);
    const { items } = await harness.project.get<{ items: { hash: string }[] }>('/transactions?limit=100');
    expect(items.map(({ hash }) => hash).filter((hash) => lost.includes(hash as Hex))).toEqual([]);

    // What the hole did to balances is a difference that nothing explains.
    expect(await chain.findBalanceFaults(harness.project, [{ address: to, fromBlock: hole[0]! }])).toEqual(
      [],
    );
    const adjusted = changesOf().filter(({ reason }) => reason === 'adjustment');
    expect(adjusted.reduce((sum, { amount_raw: amount }) => sum + BigInt(amount), 0n)).toBe(
      LOST_WEI[0] + LOST_WEI[1],
    );

    const blocks = await readBlocks(hole[0]! - 1, hole[1]! + 2);
    expect(blocks.map(({ status }) => status)).toEqual([
      ...['confirmed', 'new', 'new'],
      ...['confirmed', 'confirmed'],
    ]);
    for (const [index, block] of blocks.slice(1).entries())
      expect(block.parent_hash).toBe(blocks[index]!.hash);

    // The status says so until the operator accepts it.
    const { status, reason } = await readSync();
    expect([status, reason]).toEqual(['degraded', 'open incidents: 1']);
    const incidents = await harness.project.get<{ items: Incident[] }>(`/blockchains/${chain.gid}/incidents`);
    expect(incidents.items).toMatchObject([
      { kind: `skipped:${hole[0]}-${hole[1]}`, block_number: hole[0], last_block_number: hole[1] },
    ]);
    expect(harness.receiver.faults).toEqual([]);
  });

  it('are gaps of a statement, which says what they did to the balance', async () => {
    const [first, last] = hole as [number, number];
    const address = getAddress(chain.actor.accounts[1]!);
    const { number: head } = await chain.readHead();
    const { balances, gaps } = await askStatement(harness, {
      addresses: [address],
      from: await chain.timeOf(first),
      to: new Date((await chain.timeOf(head)).getTime() + 1_000),
    });
    const range = { from_block: first, to_block: last };
    expect(gaps).toContainEqual(expect.objectContaining({ kind: 'skipped_blocks', ...range }));
    expect(gaps).toContainEqual(expect.objectContaining({ kind: 'incident', ...range }));
    const native = balances.find((line) => line.asset_gid === `${chain.gid}/slip44:60`)!;
    expect(native).toMatchObject({
      explained_raw: String(TOLD_WEI),
      unexplained_raw: String(LOST_WEI[0] + LOST_WEI[1]),
    });
    const [gap, ...others] = gaps.filter((each) => each.kind === 'unexplained');
    expect(others).toEqual([]);
    expect(gap!.from_block).toBeLessThanOrEqual(first);
    expect(gap!.to_block).toBeGreaterThanOrEqual(last);
  });
});
