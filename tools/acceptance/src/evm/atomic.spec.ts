// SPDX-License-Identifier: Apache-2.0
import {
  accountOf,
  encodeAtomic,
  type AtomicPlan,
  type Hex,
} from '../../../devnet/evm/settled-chain/index.ts';
import { Harness } from '../harness.ts';
import { Receiver } from '../receiver.ts';
import { SettledTestChain } from './settled-test-chain.ts';

// Avalanche's imports and exports, which no transaction carries, by the real services: a generated chain, encoded by the
// devnet's own encoder. A receiver that credits by transactions takes them from balance.changed.

const WALLET: Hex = accountOf(50);
const AVAX = 'eip155:43113/slip44:1';

interface Told {
  readonly type: string;
  readonly data: {
    readonly delta: string | null;
    readonly current: string;
    readonly changes?: readonly { readonly reason: string; readonly amount_raw: string }[];
  };
}

describe('imports and exports on Avalanche', () => {
  const harness = new Harness(new SettledTestChain(), {
    env: { UNKNOWN_WAIT: '1s', BALANCE_ROUND_INTERVAL: '1s' },
  });
  const untold = new Receiver();
  beforeAll(async () => {
    await Promise.all([harness.start(), untold.start()]);
    const { body } = await harness.project.request('POST', '/notification_channels/webhook', {
      name: 'what no transaction tells',
      url: untold.url,
      event_types: ['transaction.confirmed', 'balance.changed'],
      filters: { reasons: (await chain()).untold_reasons },
    });
    untold.secrets.set(harness.project.id, (body as { webhook_secret: string }).webhook_secret);
    await harness.watch(WALLET);
    await harness.until('the wallet to be read', 60_000, async () => AVAX in (await balances()));
  });
  afterAll(async () => {
    await Promise.all([harness.stop(), untold.stop()]);
  });

  const chain = () =>
    harness.project.get<{ untold_reasons: readonly string[]; sync: { status: string } }>(
      `/blockchains/${harness.chain.gid}`,
    );
  const balances = () =>
    harness.project.get<Readonly<Record<string, string>>>(`/addresses/${WALLET}/balances`);
  const incidents = async () =>
    (
      await harness.project.get<{ items: readonly { readonly kind: string; readonly status: string }[] }>(
        `/blockchains/${harness.chain.gid}/incidents`,
      )
    ).items;
  const until = (balance: string): Promise<void> =>
    harness.until(`a balance of ${balance}`, 60_000, async () => (await balances())[AVAX] === balance);
  const append = async (atomic: readonly AtomicPlan[], value = 0n): Promise<void> => {
    await harness.chain.append(value === 0n ? [] : [{ from: 1, to: WALLET, value }], undefined, atomic);
    await harness.chain.finalize();
  };
  const told = ({ events }: Receiver) =>
    [...events.values()]
      .map(({ body }) => body as unknown as Told)
      .filter(({ type }) => type === 'balance.changed')
      .map(({ data }) => [
        data.delta,
        data.changes?.map(({ reason, amount_raw: amount }) => [reason, amount]),
      ]);

  it('are credited and debited in blocks without a transaction, and told with their reason', async () => {
    expect((await chain()).untold_reasons).toEqual(['atomic']);
    await append([{ type: 'import', address: WALLET, amount: 12_500_000_000n }]);
    await until('12.5');
    await append([{ type: 'export', address: WALLET, amount: 2_000_000_000n }], 10n ** 18n);
    await until('11.5');
    await append([], 10n ** 18n);
    await until('12.5');
    const imported = ['12.5', [['atomic', '12500000000000000000']]];
    const mixed = [
      '-1',
      [
        ['transfer', '1000000000000000000'],
        ['atomic', '-2000000000000000000'],
      ],
    ];
    await harness.until('the events', 60_000, async () => told(harness.receiver).length === 3);
    expect(told(harness.receiver)).toEqual([imported, mixed, ['1', [['transfer', '1000000000000000000']]]]);
    // The payment alone is told by its transaction.
    await harness.until('the confirmations', 60_000, async () => untold.events.size === 4);
    expect(told(untold)).toEqual([imported, mixed]);
    expect([...harness.receiver.faults, ...untold.faults]).toEqual([]);
  });

  it('that the node makes up are refused, and the chain goes on with the truth', async () => {
    const { number } = harness.chain.chain.last;
    harness.chain.node.alter = (call, result) =>
      call.method === 'eth_getBlockByHash' && result !== null
        ? {
            ...(result as object),
            blockExtraData: encodeAtomic([{ type: 'import', address: WALLET, amount: 99n }], 43_113),
          }
        : result;
    await append([{ type: 'import', address: WALLET, amount: 1_000_000_000n }]);
    await harness.until('the lie to be named', 60_000, async () => {
      const { rows } = await harness.db.query<{ cursor_number: number; reason: string | null }>(
        'SELECT cursor_number, reason FROM analyzer_states',
      );
      return rows[0]!.cursor_number === number && (rows[0]!.reason ?? '').includes('extDataHash');
    });
    harness.chain.node.alter = undefined;
    await until('13.5');
    expect(await incidents()).toEqual([]);
  });

  it('of a kind that is not known are an incident; everything else goes on, and the balance round finds what they moved', async () => {
    harness.receiver.events.clear();
    const atomic: readonly AtomicPlan[] = [{ type: 'import', address: WALLET, amount: 1_000_000_000n }];
    const known = encodeAtomic(atomic, 43_113);
    await harness.chain.chain.append({
      transactions: [{ from: 1, to: WALLET, value: 10n ** 18n }],
      atomic,
      extraData: `${known.slice(0, 14)}00000007${known.slice(22)}` as Hex,
    });
    await harness.chain.finalize();
    await harness.until('what is known', 60_000, async () => (await chain()).sync.status === 'degraded');
    expect(await incidents()).toMatchObject([{ kind: 'atomic-transaction:7', status: 'open' }]);
    // A difference is told when a later block gives it, too.
    await harness.until('the difference', 60_000, async () => {
      await append([]);
      return (await balances())[AVAX] === '15.5';
    });
    await harness.until('the event', 60_000, async () => told(harness.receiver).length > 0);
    const reasons = told(harness.receiver).flatMap(([, changes]) => changes as readonly string[][]);
    expect(reasons).toContainEqual(['adjustment', '1000000000000000000']);
    expect(reasons).toContainEqual(['transfer', '1000000000000000000']);
    expect(reasons).toHaveLength(2);
  });
});
