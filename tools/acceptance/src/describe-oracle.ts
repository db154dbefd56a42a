// SPDX-License-Identifier: Apache-2.0
import { findDisagreements, past } from './compare.ts';
import { Harness, type PlayScript } from './harness.ts';
import { Random } from './random.ts';
import type { TestChain } from './test-chain.ts';

export interface OracleProof<C extends TestChain> {
  readonly chain: C;
  readonly playScript: PlayScript<C>;
  /** Without SOAK_SCRIPTS=n. */
  readonly scripts: number;
  /** One script in `every` has reorgs of up to `deep` blocks, the others of up to `shallow`. */
  readonly reorgs: { readonly every: number; readonly deep: number; readonly shallow: number };
  /** More tests, on what the scripts left behind. */
  readonly more?: (harness: Harness<C>, seed: number) => void;
}

const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const RESTART_CHANCE = 0.04;

/**
 * Random histories on a real node, compared at the end with what the chain itself says: transactions, balances (on
 * Bitcoin the set of unspent outputs), events. `npm run soak -- --scripts 1000` plays more; SOAK_SEED=n repeats one.
 */
export function describeOracle<C extends TestChain>({
  chain,
  playScript,
  reorgs,
  more,
  ...proof
}: OracleProof<C>): void {
  const scripts = Number(process.env['SOAK_SCRIPTS'] ?? proof.scripts);

  describe('the oracle', () => {
    const harness = new Harness(chain);
    beforeAll(() => harness.start());
    afterAll(() => harness.stop());

    for (let script = 0; script < scripts; script += 1) {
      it(`finds the chain and the service agreed after random history ${SEED + script}`, async () => {
        const random = new Random(SEED + script);
        const project = await harness.newProject();
        harness.project = project;
        await harness.choosePolicy(project, new Random(SEED + script + 770_000));
        const watched = await playScript(harness, random, {
          steps: random.int(6, 12),
          reorgDepthMax: script % reorgs.every === 0 ? reorgs.deep : reorgs.shallow,
          disturb: async () => {
            if (random.next() < RESTART_CHANCE)
              await harness.services.restart(
                random.pick([chain.ingestor, 'tx-analyzer', 'balance-service', 'notifier']),
              );
          },
        });
        await harness.settle();
        expect(await findDisagreements(harness, project, watched)).toEqual([]);
        await harness.retire(project, watched);
      });
    }

    it('compared balances of the past, which may be refused one by one', () =>
      expect(past.compared).toBeGreaterThan(0));

    more?.(harness, SEED);
  });
}
