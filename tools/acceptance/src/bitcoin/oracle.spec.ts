import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { BitcoinChain } from './bitcoin-chain.ts';
import { playScript } from './play-script.ts';

/**
 * Random histories on a real node, compared at the end with what the chain itself says: transactions, the set of unspent
 * outputs, events. `npm run test:soak -- --scripts 1000` plays more; SOAK_SEED=n repeats one.
 */
const SCRIPTS = Number(process.env['SOAK_SCRIPTS'] ?? 10);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

describe('the oracle', () => {
  const harness = new Harness(new BitcoinChain());
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());

  for (let script = 0; script < SCRIPTS; script += 1) {
    it(
      `finds the chain and the service agreed after random history ${SEED + script}`,
      async () => {
        const random = new Random(SEED + script);
        const project = await harness.newProject();
        harness.project = project;
        const watched = await playScript(harness, random, {
          steps: random.int(6, 12),
          reorgDepthMax: script % 3 === 0 ? 20 : 5,
          disturb: async () => {
            if (random.next() < 0.04) await harness.services.restart(random.pick(['block-ingestor-bitcoin', 'tx-analyzer', 'balance-service', 'notifier']));
          },
        });
        await harness.settle();
        expect(await findDisagreements(harness, project, watched)).toEqual([]);
        await harness.retire(project, watched);
      },
    );
  }
});
