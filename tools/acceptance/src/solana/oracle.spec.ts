import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { playScript } from './play-script.ts';
import { SolanaChain } from './solana-chain.ts';

/**
 * Random histories on the real runtime, compared at the end with what the chain itself says: transactions, balances,
 * events. `npm run test:soak -- --scripts 1000` plays more; SOAK_SEED=n repeats one.
 */
const SCRIPTS = Number(process.env['SOAK_SCRIPTS'] ?? 4);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

describe('the oracle', () => {
  const harness = new Harness(new SolanaChain());
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
          reorgDepthMax: script % 3 === 0 ? 25 : 5,
          disturb: async () => {
            if (random.next() < 0.04) await harness.services.restart(random.pick(['block-ingestor-solana', 'tx-analyzer', 'balance-service', 'notifier']));
          },
        });
        await harness.settle();
        expect(await findDisagreements(harness, project, watched)).toEqual([]);
        await harness.retire(project, watched);
      },
    );
  }

  it('records the slots that the chain skipped, and none that has a block', async () => {
    const { rows } = await harness.db.query<{ number: number; status: string }>(`SELECT number, status FROM blocks WHERE chain_gid = $1 AND status <> 'reorged' ORDER BY number`, [harness.chain.gid]);
    const [first, last] = [rows[0]!.number, rows.at(-1)!.number];
    const made = new Set(await harness.chain.node.call<number[]>('getBlocks', [first, last, { commitment: 'confirmed' }]));
    const expected = Array.from({ length: last - first + 1 }, (_, position) => ({ number: first + position, isSkipped: !made.has(first + position) }));
    expect(rows.map(({ number, status }) => ({ number, isSkipped: status === 'skipped' }))).toEqual(expected);
    expect(expected.some(({ isSkipped }) => isSkipped)).toBe(true);
  });
});
