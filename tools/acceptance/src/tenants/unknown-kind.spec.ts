// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import { LyingRpc, type Call, type Reply } from '../lying-rpc.ts';
import type { Json } from '../lying-server.ts';

// A network that goes on to something that this release does not know, at the production bundle.

/** Before a node whose network has a transaction of a kind to come: one of its transactions is told as such, by its hash. */
class ForkedNode extends LyingRpc<'forked'> {
  override lie = 'forked' as const;
  strange: string | undefined;

  protected override freezeHead(): Promise<void> {
    return Promise.resolve();
  }

  protected override bendReply(_: 'forked', { method }: Call, reply: Reply): Reply {
    if (/^(trace|debug)_/.test(method) || /^eth_getRawTransaction|^eth_getBlockReceiptsRaw/.test(method))
      return {
        id: reply.id,
        error: { code: -32601, message: `the method ${method} does not exist/is not available` },
      };
    return { ...reply, ...(reply.result !== undefined && { result: this.#tellAnew(reply.result) }) };
  }

  #tellAnew(result: unknown): unknown {
    if (Array.isArray(result)) return result.map((each) => this.#tellAnew(each));
    if (typeof result !== 'object' || result === null) return result;
    const { transactions } = result as { transactions?: unknown };
    if (Array.isArray(transactions))
      return { ...result, transactions: transactions.map((each) => this.#tellAnew(each)) };
    const told = result as Json;
    if (
      this.strange === undefined ||
      (told['hash'] !== this.strange && told['transactionHash'] !== this.strange)
    )
      return result;
    if (told['transactionHash'] !== undefined) return { ...told, type: '0x7d' };
    const { hash, from, gasPrice, blockHash, blockNumber, transactionIndex } = told;
    return {
      hash,
      from,
      gasPrice,
      blockHash,
      blockNumber,
      transactionIndex,
      type: '0x7d',
      tx: { chainId: '0x7a69', calls: [[{ to: from, data: '0x' }]] },
      payerSignature: '0x1234',
    };
  }
}

describe('a chain with a transaction of an unknown kind', () => {
  const chain = new EvmChain({ epochBlocks: 2 });
  let node: ForkedNode;
  const harness = new Harness(chain, {
    endpointUrl: async (url) => {
      node = new ForkedNode(url);
      await node.start();
      return node.url;
    },
    env: { UNKNOWN_WAIT: '2s' },
  });
  beforeAll(() => harness.start());
  afterAll(async () => {
    await harness.stop();
    await node?.stop();
  });

  interface Incident {
    readonly id: string;
    readonly kind: string;
    readonly status: string;
    readonly block_number: number;
    readonly last_block_number: number | null;
    readonly transaction_hash: string;
  }
  const incidents = async (): Promise<Incident[]> =>
    (await harness.project.get<{ items: Incident[] }>(`/blockchains/${chain.gid}/incidents`)).items;
  const sync = async () =>
    (
      await harness.project.get<{ sync: { status: string; incident_count: number } }>(
        `/blockchains/${chain.gid}`,
      )
    ).sync;
  const isTold = (hash: string) =>
    harness.until(`${hash} to be told`, 60_000, async () =>
      (await harness.project.listAll<{ hash: string }>('/transactions')).some(
        (transaction) => transaction.hash === hash,
      ),
    );

  it('goes on, says that it is degraded and why, and what the operator accepts is accepted', async () => {
    const [from, to] = chain.actor.accounts as [Hex, Hex];
    await harness.watch(to);
    const pay = async (): Promise<Hex> => chain.actor.sendEther(from, to, 7n);
    const before = await pay();
    await chain.mine();
    await isTold(before);
    expect([await incidents(), (await sync()).status]).toEqual([[], 'following']);

    // A token of the unknown transaction is understood all the same, by its log.
    const strange = await chain.actor.call(from, { contract: 'TestToken', name: 'mint', args: [to, 9n] });
    const beside = await pay();
    node.strange = strange;
    await chain.mine();
    const { number } = await chain.readHead();
    const after = await pay();
    await chain.mine();
    for (const hash of [strange, beside, after]) await isTold(hash);
    await harness.waitForCursor();
    const open = await incidents();
    // Of such a kind neither the body nor the receipt is known.
    expect(open.map(({ kind }) => kind).sort()).toEqual(['receipt-encoding:0x7d', 'transaction-type:0x7d']);
    for (const incident of open)
      expect(incident).toMatchObject({
        status: 'open',
        block_number: number,
        last_block_number: number,
        transaction_hash: strange,
      });
    expect(await sync()).toMatchObject({ status: 'degraded', incident_count: 2 });
    const later = await pay();
    await chain.mine();
    await isTold(later);

    for (const { id } of open)
      await harness.project.expect(200, {
        method: 'POST',
        path: `/blockchains/${chain.gid}/incidents/${id}/actions/accept`,
      });
    expect((await incidents()).map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    await harness.until('the chain to follow', 60_000, async () => (await sync()).status === 'following');
    // What was not proved is confirmed now, as everything else.
    await harness.settle();
    const statuses = async () =>
      new Map(
        (await harness.project.listAll<{ hash: string; status: string }>('/transactions')).map(
          ({ hash, status }) => [hash, status] as const,
        ),
      );
    // The analyzer looks for what was accepted beside its steps, so finality may come first.
    await harness.until('what was withheld to be confirmed', 60_000, async () =>
      [...(await statuses()).values()].every((status) => status === 'confirmed'),
    );
    expect(await statuses()).toEqual(
      new Map([before, strange, beside, after, later].map((hash) => [hash, 'confirmed'])),
    );
  });
});
