import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { LIES, LyingProxy } from './lying-proxy.ts';
import { playScript } from './play-script.ts';
import { SolanaChain } from './solana-chain.ts';

/** SOLANA_LIES=14 tries them all. */
const COUNT = Number(process.env['SOLANA_LIES'] ?? 4);

/** A node that lies: the chain stops, nothing false is ever told, and it recovers by itself. */
describe('a Solana node that misbehaves', () => {
  let proxy: LyingProxy;
  const harness = new Harness(new SolanaChain(), {
    endpointUrl: async (nodeUrl) => {
      proxy = new LyingProxy(nodeUrl);
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

  for (const [position, lie] of LIES.slice(0, COUNT).entries()) {
    it(
      `loses and invents nothing when the node does this: ${lie}`,
      async () => {
        const random = new Random(100 + position);
        const project = await harness.newProject();
        harness.project = project;
        const { actor } = harness.chain;
        const watched = [await harness.watch(actor.wallets[1]!.publicKey.toBase58(), project)];
        await actor.produce();
        await harness.waitForCursor();
        const before = proxy.lies;
        await proxy.tell(lie);
        watched.push(...(await playScript(harness, random, { steps: 4, reorgDepthMax: 3 })));
        await harness.until('the node to have lied', 60_000, async () => proxy.lies > before);
        await proxy.tell(lie, 0.3);
        await actor.produce(2);
        await proxy.tell('honest');
        await harness.settle();
        expect(await findDisagreements(harness, project, unique(watched))).toEqual([]);
        await harness.retire(project, unique(watched));
      },
    );
  }

  it('says in its status why a chain stands still, and goes on when the node is honest again', async () => {
    const { actor, gid } = harness.chain;
    await proxy.tell('omit-transaction');
    await actor.pay(actor.wallets[0]!, [actor.wallets[1]!.publicKey], 5_000_000n);
    await actor.produce();
    await harness.until('the analyzer to say that it is stalled', 60_000, async () => {
      const { rows } = await harness.db.query<{ status: string; reason: string | null }>('SELECT status, reason FROM analyzer_states WHERE chain_gid = $1', [gid]);
      return rows[0]?.status === 'stalled' && rows[0].reason !== null;
    });
    await proxy.tell('honest');
    await harness.waitForCursor();
  });
});

function unique<T extends { address: string }>(watched: readonly T[]): T[] {
  return [...new Map(watched.map((entry) => [entry.address, entry])).values()];
}
