import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { toBase58 } from './expect-transactions.ts';
import { LIES, LyingNode } from './lying-node.ts';
import { TronChain } from './tron-chain.ts';

/** `MISBEHAVIOUR_BLOCKS=n` makes each lie last over more blocks. */
const BLOCKS = Number(process.env['MISBEHAVIOUR_BLOCKS'] ?? 3);

/** A node that lies: the chain stops, nothing false is ever told, and it recovers by itself. */
describe('a TRON node that misbehaves', () => {
  let proxy: LyingNode;
  const harness = new Harness(new TronChain(), {
    endpointUrl: async (nodeUrl) => {
      proxy = new LyingNode(nodeUrl);
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
        const { actor } = harness.chain;
        const random = new Random(300 + position);
        const project = await harness.newProject();
        harness.project = project;
        const [from, to] = [actor.accounts[0]!, actor.accounts[1 + (position % 4)]!];
        const watched = [await harness.watch(toBase58(to.hexAddress), project)];
        await actor.mine();
        await harness.waitForCursor(60_000);
        const before = proxy.lies;
        await proxy.tell(lie);
        for (let block = 0; block < BLOCKS; block += 1) {
          await actor.sendTrx(from, to.hexAddress, BigInt(random.int(1, 1_000)));
          await actor.call(from, 'TestToken', actor.deployed.token, 'mint', [to.hexAddress, BigInt(random.int(1, 1_000))]);
          await actor.mine();
        }
        await harness.until('the node to have lied', 60_000, async () => proxy.lies > before);
        await proxy.tell(lie, 0.3);
        await actor.mine(2);
        await proxy.tell('honest');
        await harness.settle(120_000);
        expect(await findDisagreements(harness, project, watched)).toEqual([]);
        await harness.retire(project, watched);
      },
      240_000,
    );
  }
});
