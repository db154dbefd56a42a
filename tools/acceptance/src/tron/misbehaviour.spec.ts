import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import type { Watched } from '../test-chain.ts';
import { toBase58 } from './expect-transactions.ts';
import { LIES, LyingNode } from './lying-node.ts';
import { TronChain } from './tron-chain.ts';

/** `MISBEHAVIOUR_BLOCKS=n` makes each lie last over more blocks. */
const BLOCKS = Number(process.env['MISBEHAVIOUR_BLOCKS'] ?? 2);

/** A node that lies: the chain stops, nothing false is ever told, and it recovers by itself. One lie comes after the other. */
describe('a TRON node that misbehaves', () => {
  let proxy: LyingNode;
  const watched: Watched[] = [];
  const random = new Random(300);
  const harness = new Harness(new TronChain(), {
    endpointUrl: async (nodeUrl) => {
      proxy = new LyingNode(nodeUrl);
      await proxy.start();
      return proxy.url;
    },
    env: { NODE_TIMEOUT: '1s' },
  });
  beforeAll(async () => {
    await harness.start();
    for (const { hexAddress } of harness.chain.actor.accounts.slice(1, 5)) watched.push(await harness.watch(toBase58(hexAddress)));
  });
  afterAll(async () => {
    await harness.stop();
    await proxy?.stop();
  });

  it.each(LIES)('goes on where it was when the node does this, and is honest again: %s', async (lie) => {
    const { actor } = harness.chain;
    const before = proxy.lies;
    await proxy.tell(lie);
    for (let block = 0; block < BLOCKS; block += 1) {
      const to = random.pick(actor.accounts.slice(1, 5)).hexAddress;
      await actor.sendTrx(actor.accounts[0]!, to, BigInt(random.int(1, 1_000)));
      await actor.call(actor.accounts[0]!, 'TestToken', actor.deployed.token, 'mint', [to, BigInt(random.int(1, 1_000))]);
      await actor.mine();
    }
    await harness.until('the node to have lied', 60_000, async () => proxy.lies > before);
    await proxy.tell(lie, 0.3);
    await actor.mine(2);
    await proxy.tell('honest');
    await harness.waitForCursor(60_000);
  });

  it('has lost and invented nothing in the end', async () => {
    await harness.settle(120_000);
    expect(await findDisagreements(harness, harness.project, watched)).toEqual([]);
  });
});
