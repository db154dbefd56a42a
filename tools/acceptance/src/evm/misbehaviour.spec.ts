import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { EvmChain } from './evm-chain.ts';
import { LIES, LyingProxy } from './lying-proxy.ts';
import { playScript } from './play-script.ts';

/** A node that lies: the chain stops or fails over, nothing false is ever told, and it recovers by itself. */
describe('a node that misbehaves', () => {
  let proxy: LyingProxy;
  const harness = new Harness(new EvmChain({ epochBlocks: 4 }), {
    endpointUrl: async (anvilUrl) => {
      proxy = new LyingProxy(anvilUrl);
      await proxy.start();
      return proxy.url;
    },
    env: { NODE_TIMEOUT: '1s' },
  });
  beforeAll(() => harness.start());
  afterAll(async () => {
    await harness.stop();
    await proxy?.stop();
  });

  for (const [position, lie] of LIES.entries()) {
    it(
      `loses and invents nothing when the node does this: ${lie}`,
      async () => {
        const random = new Random(100 + position);
        const project = await harness.newProject();
        harness.project = project;
        const watched = [await harness.watch(harness.chain.actor.accounts[1]!, project)];
        await harness.chain.actor.mine();
        await harness.waitForCursor();
        const before = proxy.lies;
        await proxy.tell(lie);
        watched.push(...(await playScript(harness, random, { steps: 4, reorgDepthMax: 3 })));
        await harness.until('the node to have lied', 60_000, async () => proxy.lies > before);
        // While it lies, whatever is known must be true: no transaction that the chain does not have.
        const { rows } = await harness.db.query<{ cursor_number: number; cursor_hash: string }>('SELECT cursor_number, cursor_hash FROM analyzer_states WHERE chain_gid = $1', [harness.chain.gid]);
        const { rows: known } = await harness.db.query('SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = $2', [harness.chain.gid, rows[0]!.cursor_hash]);
        expect(known).toHaveLength(1);
        await proxy.tell(lie, 0.3);
        await harness.chain.actor.mine(2);
        await proxy.tell('honest');
        await harness.settle();
        expect(await findDisagreements(harness, project, unique(watched))).toEqual([]);
        await harness.retire(project, unique(watched));
      },
    );
  }

  it('says in its status why a chain stands still, and goes on when the node is honest again', async () => {
    await proxy.tell('omit-receipt');
    await harness.chain.actor.sendEther(harness.chain.actor.accounts[0]!, harness.chain.actor.accounts[1]!, 5n);
    await harness.chain.actor.mine();
    await harness.until('the analyzer to say that it is stalled', 60_000, async () => {
      const { rows } = await harness.db.query<{ status: string; reason: string | null }>('SELECT status, reason FROM analyzer_states WHERE chain_gid = $1', [harness.chain.gid]);
      return rows[0]?.status === 'stalled' && rows[0].reason !== null;
    });
    await proxy.tell('honest');
    await harness.waitForCursor();
  });
});

/** With a second endpoint that is honest, nothing stands still while the first one lies. */
describe('a node that misbehaves beside an honest one', () => {
  let proxy: LyingProxy;
  const harness = new Harness(new EvmChain({ epochBlocks: 4 }), {
    endpointUrl: async (anvilUrl) => {
      proxy = new LyingProxy(anvilUrl);
      await proxy.start();
      return proxy.url;
    },
    fallbackToNode: true,
    env: { NODE_TIMEOUT: '1s' },
  });
  beforeAll(() => harness.start());
  afterAll(async () => {
    await harness.stop();
    await proxy?.stop();
  });

  it.each(['time-out', 'rate-limit', 'truncate-json', 'other-chain', 'omit-log', 'empty-receipts', 'change-hash', 'lag', 'trace-error'] as const)(
    'fails over when the first endpoint does this: %s',
    async (lie) => {
      const watched = await harness.watch(harness.chain.actor.accounts[1]!);
      await proxy.tell(lie);
      for (let block = 0; block < 12; block += 1) {
        await harness.chain.actor.sendEther(harness.chain.actor.accounts[0]!, harness.chain.actor.accounts[1]!, 7n);
        await harness.chain.actor.mine();
      }
      await harness.waitForCursor();
      await proxy.tell('honest');
      await harness.settle();
      expect(await findDisagreements(harness, harness.project, [watched])).toEqual([]);
    },
  );
});

function unique<T extends { address: string }>(watched: readonly T[]): T[] {
  return [...new Map(watched.map((entry) => [entry.address.toLowerCase(), entry])).values()];
}
