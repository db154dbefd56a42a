// SPDX-License-Identifier: Apache-2.0
import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import type { Project } from '../project.ts';
import { Random } from '../random.ts';
import type { TestChain, Watched } from '../test-chain.ts';

export interface HostileProof<C extends TestChain> {
  readonly chain: C;
  /** Addresses, once the chain has started: whom the attack is for, and who is paid beside it. */
  readonly target: (chain: C) => string;
  readonly victim: (chain: C) => string;
  /** Makes attacks by seed; each of its calls is one that waits for a block. */
  readonly createAttack: (chain: C, random: Random) => Promise<() => Promise<unknown>>;
  readonly payVictim: (chain: C) => Promise<unknown>;
  readonly mine: (chain: C) => Promise<unknown>;
}

const SEED = Number(process.env['SOAK_SEED'] ?? 1);
/** `npm run soak -- hostile` asks for more. */
const CASES = Number(process.env['HOSTILE_CASES'] ?? 40);
const BLOCK_CASES = 20;
const PATIENCE_MS = 60_000;

/** Values that are as bad as can be on a real chain, for one project, and another project that must not notice. */
export function describeHostile<C extends TestChain>(proof: HostileProof<C>): void {
  const harness = new Harness(proof.chain);
  let attacker: Project;
  let watched: Watched[];
  beforeAll(async () => {
    await harness.start();
    watched = [await harness.watch(proof.victim(harness.chain))];
    attacker = await harness.newProject();
    await harness.watch(proof.target(harness.chain), attacker);
  }, 240_000);
  afterAll(() => harness.stop());

  const countTold = (): number =>
    new Set(
      [...harness.receiver.events.values()]
        .filter(({ body }) => body['project_id'] === harness.project.id)
        .map(({ transactionHash }) => transactionHash)
        .filter((hash) => hash !== undefined),
    ).size;

  it(`tells a victim of its payments and balances beside ${CASES} hostile values`, async () => {
    const { chain } = harness;
    const attack = await proof.createAttack(chain, new Random(SEED));
    for (let done = 0; done < CASES; done += BLOCK_CASES) {
      const before = countTold();
      await proof.payVictim(chain);
      for (let left = Math.min(BLOCK_CASES, CASES - done); left > 0; left -= 1) await attack();
      await proof.mine(chain);
      await harness.until('the victim to hear of its payment', PATIENCE_MS, async () => countTold() > before);
      await harness.until('the balances of the victim', PATIENCE_MS, async () => {
        // The chain's own view of it, brought up to its head.
        await chain.expectTransactions(
          new Map(watched.map((one) => [one.address, one.fromBlock])),
          harness.startBlock,
        );
        const faults = await chain.findBalanceFaults(harness.project, watched);
        if (faults.length > 0) throw new Error(faults.join('\n'));
        return true;
      });
    }
    await harness.settle(240_000);
    expect(await findDisagreements(harness, harness.project, watched)).toEqual([]);
  }, 900_000);

  it('names what it set aside to nobody but its project, and goes on', async () => {
    const open = (project: Project): Promise<unknown[]> => project.listAll('/incidents?statuses=open');
    expect(await open(harness.project)).toEqual([]);
    for (const incident of await open(attacker))
      expect(incident).toMatchObject({ kind: expect.stringMatching(/^poison:/) });
    // A busy machine may be late for a moment; what stands still stays so.
    await harness.until('the chain to go on', PATIENCE_MS, async () => {
      const { sync } = await attacker.get<{ sync: { status: string } }>(`/blockchains/${harness.chain.gid}`);
      return ['following', 'degraded'].includes(sync.status);
    });
  });
}
