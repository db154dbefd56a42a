// SPDX-License-Identifier: Apache-2.0
import { accountOf, type Hex } from '../../../devnet/evm/settled-chain/index.ts';
import { Harness } from '../harness.ts';
import type { Project } from '../project.ts';
import { Random } from '../random.ts';
import { SettledTestChain } from './settled-test-chain.ts';

// Avalanche since Helicon (ACP-194), by the real services: a generated chain of 200 blocks, encoded by the devnet's own
// encoder, whose headers settle the receipts of earlier blocks, some several at once, some none.

const BLOCKS = 200;
/** The block whose receipts the node lies about, settled by a header of its own. */
const LIE = 60;
const TOKEN: Hex = '0x00000000000000000000000000000000000070c3';

interface Told {
  readonly hash: string;
  readonly status: string;
  readonly verification: string;
  readonly block_number: number;
  readonly transfers: readonly { readonly amount_raw: string }[];
}

interface Payment {
  readonly hash: string;
  readonly block: number;
  readonly project: Project;
  readonly amountRaw: string;
}

describe('a chain that settles receipts by later headers', () => {
  const harness = new Harness(new SettledTestChain(), { env: { UNKNOWN_WAIT: '1s' } });
  let projects: readonly (readonly [Project, Hex])[];
  const payments: Payment[] = [];
  beforeAll(async () => {
    await harness.start();
    const other = await harness.newProject();
    const own = [harness.project, other].map((project, index) => [project, accountOf(50 + index)] as const);
    for (const [project, wallet] of own) await harness.watch(wallet, project);
    projects = own;
  });
  afterAll(() => harness.stop());

  /** A block with a payment now and then, native or of a token. */
  const append = async (random: Random, isLie: boolean, settles?: number): Promise<void> => {
    if (!isLie && random.next() > 0.25) return void (await harness.chain.append([], settles));
    const [project, to] = random.pick(projects);
    const amountRaw = BigInt(random.int(1, 1_000_000));
    const isToken = isLie || random.next() < 0.5;
    const { number, made } = await harness.chain.append(
      [
        { from: 1, value: 3n },
        isToken
          ? { from: 2, to: TOKEN, token: { contract: TOKEN, to, amountRaw } }
          : { from: 3, to, value: amountRaw },
      ],
      settles,
    );
    payments.push({ hash: made[1]!.json.hash, block: number, project, amountRaw: String(amountRaw) });
  };
  const list = async (): Promise<Map<string, Told>> => {
    const lists = await Promise.all(
      projects.map(([project]) => project.get<{ items: readonly Told[] }>('/transactions?limit=100')),
    );
    return new Map(lists.flatMap(({ items }) => items.map((one) => [one.hash, one])));
  };
  const incidents = async (): Promise<readonly { readonly kind: string; readonly status: string }[]> =>
    (
      await harness.project.get<{ items: { kind: string; status: string }[] }>(
        `/blockchains/${harness.chain.gid}/incidents`,
      )
    ).items;
  /** A tenfold amount in the token's log of the block with the lie. */
  const lie = (
    call: { readonly method: string; readonly params: readonly unknown[] },
    result: unknown,
  ): unknown => {
    const { hash, made } = harness.chain.chain.find(LIE)!;
    if (call.method !== 'eth_getBlockReceipts' || call.params[0] !== hash) return result;
    const [first, second] = result as { logs: { data: string }[] }[];
    const more = BigInt(made[1]!.receipt.logs[0]!.data) * 10n;
    const [log] = second!.logs;
    return [first, { ...second, logs: [{ ...log, data: `0x${more.toString(16).padStart(64, '0')}` }] }];
  };
  /** The node's head grows, and the analyzer is killed now and then; until all is analysed. */
  const follow = async (from: number, to: number): Promise<void> => {
    for (let head = from; head < to; head += 7) {
      harness.chain.node.head = head;
      await new Promise((resolve) => setTimeout(resolve, 40));
      if (head % 70 < 7) await harness.services.restart('tx-analyzer');
    }
    harness.chain.node.head = to;
    await harness.waitForCursor();
  };
  const eventsOf = (hash: string): string[] =>
    [...harness.receiver.events.values()]
      .filter(({ transactionHash }) => transactionHash === hash)
      .map(({ type }) => type);

  it('proves all but the lie, through kills of the analyzer, without an incident for what settles', async () => {
    const { chain } = harness;
    const random = new Random(194);
    let settled = chain.chain.last.settledHeight;
    const first = chain.chain.last.number + 1;
    for (let number = first; number < first + BLOCKS; number += 1) {
      // Several at once, or nothing; the block with the lie alone.
      const due = number - random.int(4, 9);
      if (random.next() < 0.6) settled = Math.max(settled, due);
      if (settled >= LIE && chain.chain.last.settledHeight < LIE - 1) settled = LIE - 1;
      else if (settled > LIE && chain.chain.last.settledHeight < LIE) settled = LIE;
      await append(random, number === LIE, settled);
    }
    await chain.finalize();
    expect(
      chain.chain.blocks.some(
        ({ number, settledHeight }) =>
          settledHeight === LIE && chain.chain.find(number - 1)?.settledHeight === LIE - 1,
      ),
    ).toBe(true);
    chain.node.alter = lie;
    await follow(first, LIE - 1);
    // The block with the lie is read while no header settles it, as at the head of the real chain.
    await follow(LIE, LIE + 2);
    await follow(LIE + 3, chain.chain.last.number);
    const others = payments.filter(({ block }) => block !== LIE);
    const [lied] = payments.filter(({ block }) => block === LIE);
    await harness.until('every payment but one to be confirmed', 150_000, async () => {
      const told = await list();
      return others.every(({ hash }) => told.get(hash)?.status === 'confirmed');
    });
    const told = await list();
    expect(others.map(({ hash }) => told.get(hash))).toMatchObject(
      others.map(({ hash, block, amountRaw }) => ({
        hash,
        block_number: block,
        status: 'confirmed',
        verification: 'proved',
        transfers: [{ amount_raw: amountRaw }],
      })),
    );
    await harness.until('the evidence to be overdue', 150_000, async () => {
      const { status, verification } = (await list()).get(lied!.hash)!;
      expect(status).toBe('detected');
      return verification === 'unproved';
    });
    expect(eventsOf(lied!.hash)).not.toContain('transaction.confirmed');
    expect(await incidents()).toMatchObject([{ kind: 'evidence:overdue', status: 'open' }]);
  });

  it('tells the truth when the node does: what was told is undone, and the incident resolves', async () => {
    harness.chain.node.alter = undefined;
    const [lied] = payments.filter(({ block }) => block === LIE);
    await harness.until('the lie to be undone', 150_000, async () => {
      const told = (await list()).get(lied!.hash);
      return told?.status === 'confirmed' && (await incidents()).every(({ status }) => status === 'resolved');
    });
    expect((await list()).get(lied!.hash)).toMatchObject({
      verification: 'proved',
      transfers: [{ amount_raw: lied!.amountRaw }],
    });
    await harness.until('its events to be delivered', 30_000, async () => eventsOf(lied!.hash).length >= 4);
    expect(eventsOf(lied!.hash).sort()).toEqual([
      'transaction.confirmed',
      'transaction.detected',
      'transaction.detected',
      'transaction.reorged',
    ]);
    const { rows } = await harness.db.query<{ verification: string | null }>(
      `SELECT DISTINCT b.verification FROM blocks b JOIN analyzer_states s ON s.chain_gid = b.chain_gid
       WHERE b.status = 'confirmed' AND b.number <= s.settled_number`,
    );
    expect(rows).toEqual([{ verification: 'proved' }]);
  });
});
