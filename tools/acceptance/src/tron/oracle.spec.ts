import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { playScript } from './play-script.ts';
import { TronChain } from './tron-chain.ts';

/**
 * Random histories on the local TRON node, compared at the end with what the chain itself says: transactions, fees,
 * balances, events. `npm run test:soak -- --scripts 1000` plays more; SOAK_SEED=n repeats one; TRON_INTERFACES=evm gives
 * the service the Ethereum-compatible interface alone.
 */
const SCRIPTS = Number(process.env['SOAK_SCRIPTS'] ?? 4);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const KILLS = Number(process.env['CRASH_KILLS'] ?? 8);

describe('the oracle', () => {
  const harness = new Harness(new TronChain(process.env['TRON_INTERFACES'] === 'evm' ? 'evm' : 'both'));
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());

  for (let script = 0; script < SCRIPTS; script += 1) {
    it(
      `finds the chain and the service agreed after random history ${SEED + script}`,
      async () => {
        const random = new Random(SEED + script);
        const project = await harness.newProject();
        harness.project = project;
        // Solid blocks stay on a real chain; below that, the service must hold all the same.
        const watched = await playScript(harness, random, { steps: random.int(6, 12), reorgDepthMax: script % 3 === 0 ? 40 : 8 });
        await harness.settle(120_000);
        expect(await findDisagreements(harness, project, watched)).toEqual([]);
        await harness.retire(project, watched);
      },
      240_000,
    );
  }

  it(`loses nothing in ${KILLS} kills of services while blocks flow`, async () => {
    const random = new Random(SEED + 4_242);
    const project = await harness.newProject();
    harness.project = project;
    const watched = await playScript(harness, random, {
      steps: KILLS,
      reorgDepthMax: 6,
      disturb: async () => {
        const name = random.pick(harness.serviceNames);
        await harness.services.kill(name);
        await pause(random.int(0, 300));
        await harness.services.restart(name);
        // Most of the time it works again before the next blow, sometimes it is struck while it starts.
        await pause(random.int(0, 900));
      },
    });
    await Promise.all(harness.serviceNames.map((name) => harness.services.waitReady(name, 60_000)));
    await harness.settle(120_000);
    expect(await findDisagreements(harness, project, watched)).toEqual([]);
  }, 300_000);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
