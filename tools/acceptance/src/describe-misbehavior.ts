// SPDX-License-Identifier: Apache-2.0
import { findDisagreements } from './compare.ts';
import { Harness, type HarnessOptions, type PlayScript } from './harness.ts';
import type { LyingServer, TransportLie } from './lying-server.ts';
import { Random } from './random.ts';
import type { PayingChain, TestChain, Watched } from './test-chain.ts';

export interface MisbehaviorProof<C extends PayingChain, L extends string> {
  /** A node of its own each time. */
  readonly createChain: () => C;
  readonly createLiar: (nodeUrl: string) => LyingServer<L>;
  readonly lies: readonly (L | TransportLie)[];
  readonly playScript: PlayScript<C>;
  /** One of `lies` that every block contradicts. */
  readonly stallingLie: L;
  /** Lies that a second, honest endpoint makes up for; none: not tried. */
  readonly failoverLies?: readonly (L | TransportLie)[];
}

const FAILOVER_BLOCKS = 12;

/** A node that lies: the chain stops or fails over, nothing false is ever told, and it recovers by itself. */
export function describeMisbehavior<C extends PayingChain, L extends string>(
  proof: MisbehaviorProof<C, L>,
): void {
  describe('a node that misbehaves', () => {
    const { harness, liar } = openHarness(proof);

    for (const [position, lie] of proof.lies.entries()) {
      it(`loses and invents nothing when the node does this: ${lie}`, () =>
        playUnder(proof, { harness, liar: liar(), lie, random: new Random(100 + position) }));
    }

    it('says in its status why a chain stands still, and goes on when the node is honest again', async () => {
      await liar().tell(proof.stallingLie);
      await harness.chain.payPayee();
      await harness.chain.mine();
      await harness.until('the analyzer to say that it is stalled', 60_000, async () => {
        const { rows } = await harness.db.query<{ status: string; reason: string | null }>(
          'SELECT status, reason FROM analyzer_states WHERE chain_gid = $1',
          [harness.chain.gid],
        );
        return rows[0]?.status === 'stalled' && rows[0].reason !== null;
      });
      await liar().tell('honest');
      await harness.waitForCursor();
    });
  });

  if (proof.failoverLies !== undefined) describeFailover(proof, proof.failoverLies);
}

/** With a second endpoint that is honest, nothing stands still while the first one lies. */
function describeFailover<C extends PayingChain, L extends string>(
  proof: MisbehaviorProof<C, L>,
  lies: readonly (L | TransportLie)[],
): void {
  describe('a node that misbehaves beside an honest one', () => {
    const { harness, liar } = openHarness(proof, { fallbackToNode: true });

    it.each(lies)('fails over when the first endpoint does this: %s', async (lie) => {
      const { chain } = harness;
      const watched = await harness.watch(chain.payee);
      await liar().tell(lie);
      for (let block = 0; block < FAILOVER_BLOCKS; block += 1) {
        await chain.payPayee();
        await chain.mine();
      }
      await harness.waitForCursor();
      await liar().tell('honest');
      await harness.settle();
      expect(await findDisagreements(harness, harness.project, [watched])).toEqual([]);
    });
  });
}

async function playUnder<C extends PayingChain, L extends string>(
  { playScript }: MisbehaviorProof<C, L>,
  {
    harness,
    liar,
    lie,
    random,
  }: {
    readonly harness: Harness<C>;
    readonly liar: LyingServer<L>;
    readonly lie: L | TransportLie;
    readonly random: Random;
  },
): Promise<void> {
  const { chain } = harness;
  // Whatever the test before came to.
  await liar.tell('honest');
  const project = await harness.newProject();
  harness.project = project;
  const watched = [await harness.watch(chain.payee, project)];
  await chain.mine();
  await harness.waitForCursor();
  const before = liar.lies;
  await liar.tell(lie);
  watched.push(...(await playScript(harness, random, { steps: 4, reorgDepthMax: 3 })));
  await chain.payPayee();
  await chain.mine();
  await harness.until('the node to have lied', 60_000, async () => liar.lies > before);
  await expectCursorKnown(harness);
  await liar.tell(lie, 0.3);
  await chain.mine(2);
  await liar.tell('honest');
  await harness.settle();
  expect(await findDisagreements(harness, project, unique(watched))).toEqual([]);
  await harness.retire(project, unique(watched));
}

/** While it lies, whatever is known must be true: no block that the chain does not have (none, where a reorg undid the first). */
async function expectCursorKnown({ db, chain }: Harness<TestChain>): Promise<void> {
  const { rows } = await db.query(
    `SELECT 1 FROM analyzer_states a WHERE a.chain_gid = $1
       AND (a.cursor_hash IS NULL OR EXISTS (SELECT FROM blocks b WHERE b.chain_gid = a.chain_gid AND b.hash = a.cursor_hash))`,
    [chain.gid],
  );
  expect(rows).toHaveLength(1);
}

/** Started before the tests of the block around, stopped after them. */
function openHarness<C extends PayingChain, L extends string>(
  { createChain, createLiar }: MisbehaviorProof<C, L>,
  options: HarnessOptions = {},
): { readonly harness: Harness<C>; readonly liar: () => LyingServer<L> } {
  let liar: LyingServer<L> | undefined;
  const endpointUrl = async (nodeUrl: string): Promise<string> => {
    liar = createLiar(nodeUrl);
    await liar.start();
    return liar.url;
  };
  const harness = new Harness(createChain(), { ...options, endpointUrl, env: { NODE_TIMEOUT: '3s' } });
  beforeAll(() => harness.start());
  afterAll(async () => {
    await harness.stop();
    await liar?.stop();
  });
  return { harness, liar: () => liar! };
}

function unique(watched: readonly Watched[]): Watched[] {
  return [...new Map(watched.map((entry) => [entry.address.toLowerCase(), entry])).values()];
}
