// SPDX-License-Identifier: Apache-2.0
import { findDisagreements } from './compare.ts';
import { Harness, type PlayScript } from './harness.ts';
import { Random } from './random.ts';
import type { TestChain } from './test-chain.ts';

export interface CrashProof<C extends TestChain> {
  readonly chain: C;
  readonly playScript: PlayScript<C>;
  /** Without CRASH_KILLS=n. */
  readonly kills: number;
}

const SEED = Number(process.env['SOAK_SEED'] ?? 4242);

/** SIGKILL anywhere, any number of times; PostgreSQL and NATS restarted; NATS's store wiped: nothing lost, no second event id. */
export function describeCrashes<C extends TestChain>({ chain, playScript, ...proof }: CrashProof<C>): void {
  const kills = Number(process.env['CRASH_KILLS'] ?? proof.kills);

  describe('crashes', () => {
    const harness = new Harness(chain, { hasOwnPostgres: true });
    beforeAll(() => harness.start());
    afterAll(() => harness.stop());

    it(`loses nothing in ${kills} kills of services while blocks flow`, async () => {
      const random = new Random(SEED);
      const { project } = harness;
      await harness.choosePolicy(project, new Random(SEED + 3));
      let killed = 0;
      const watched = await playScript(harness, random, {
        steps: kills,
        reorgDepthMax: 6,
        disturb: async (step) => {
          // Midnight: what is known of an event is now in another day's partition.
          if (step % 4 === 1) await harness.db.query('SELECT begin_event_partition(now())');
          await strike(harness, random);
          killed += 1;
          if (step === Math.floor(kills / 4)) await harness.nats.restart();
          if (step === Math.floor(kills / 2)) await harness.postgres.server!.restart();
          if (step === Math.floor((kills * 3) / 4)) await harness.nats.wipe();
        },
      });
      expect(killed).toBe(kills);
      await Promise.all(harness.serviceNames.map((name) => harness.services.waitReady(name)));
      await harness.settle();
      expect(await findDisagreements(harness, project, watched)).toEqual([]);
    }, 900_000);
  });
}

async function strike({ services, serviceNames }: Harness<TestChain>, random: Random): Promise<void> {
  const name = random.pick(serviceNames);
  await services.kill(name);
  await pause(random.int(0, 300));
  await services.restart(name);
  // Most of the time it works again before the next blow, sometimes it is struck while it starts.
  await pause(random.int(0, 900));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
