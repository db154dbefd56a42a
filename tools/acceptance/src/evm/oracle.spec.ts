import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { EvmChain } from './evm-chain.ts';
import { playScript } from './play-script.ts';

/**
 * Random histories on a real node, compared at the end with what the chain itself says: transactions, balances, events.
 * `npm run test:soak -- --scripts 1000` plays more; SOAK_SEED=n repeats one.
 */
const SCRIPTS = Number(process.env['SOAK_SCRIPTS'] ?? 20);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

describe('the oracle', () => {
  const harness = new Harness(new EvmChain());
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
          reorgDepthMax: script % 4 === 0 ? 64 : 8,
          disturb: async () => {
            if (random.next() < 0.04) await harness.services.restart(random.pick(['block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier']));
          },
        });
        await harness.settle();
        expect(await findDisagreements(harness, project, watched)).toEqual([]);
        await harness.retire(project, watched);
      },
    );
  }

  it('survives a reorg of 220 blocks below finality while the ingestor is down', async () => {
    const random = new Random(SEED + 9_000);
    const project = await harness.newProject();
    harness.project = project;
    const watched = [await harness.watch(harness.chain.actor.accounts[1]!, project)];
    for (let round = 0; round < 12; round += 1) {
      await harness.chain.actor.sendEther(harness.chain.actor.accounts[round % 5]!, harness.chain.actor.accounts[1]!, 1_000n + BigInt(round));
      await harness.chain.actor.mine(20);
    }
    await harness.settle();
    await harness.services.kill('block-ingestor-evm');
    await harness.chain.actor.reorg(220, () => random.next() < 0.5);
    await harness.chain.actor.mine(2);
    await harness.services.restart('block-ingestor-evm');
    await harness.settle();
    expect(await findDisagreements(harness, project, watched)).toEqual([]);
  });
});
