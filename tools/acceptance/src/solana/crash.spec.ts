import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { playScript } from './play-script.ts';
import { SolanaChain } from './solana-chain.ts';

const KILLS = Number(process.env['CRASH_KILLS'] ?? 8);
const SEED = Number(process.env['SOAK_SEED'] ?? 4242);

/** SIGKILL anywhere, any number of times; PostgreSQL and NATS restarted; NATS's store wiped: nothing lost, no second event id. */
describe('crashes', () => {
  const harness = new Harness(new SolanaChain(), { hasOwnPostgres: true });
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());

  it(`loses nothing in ${KILLS} kills of services while blocks flow`, async () => {
    const random = new Random(SEED);
    const { project } = harness;
    const victims = harness.serviceNames.filter((name) => name !== 'api-gateway');
    const watched = await playScript(harness, random, {
      steps: KILLS,
      reorgDepthMax: 6,
      disturb: async (step) => {
        const name = random.pick(victims);
        await harness.services.kill(name);
        await pause(random.int(0, 300));
        await harness.services.restart(name);
        // Most of the time it works again before the next blow, sometimes it is struck while it starts.
        await pause(random.int(0, 900));
        if (step === Math.floor(KILLS / 4)) await harness.nats.restart();
        if (step === Math.floor(KILLS / 2)) await harness.postgres.server!.restart();
        if (step === Math.floor((KILLS * 3) / 4)) await harness.nats.wipe();
      },
    });
    await Promise.all(harness.serviceNames.map((name) => harness.services.waitReady(name)));
    await harness.settle();
    expect(await findDisagreements(harness, project, watched)).toEqual([]);
  }, 900_000);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
