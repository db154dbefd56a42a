// SPDX-License-Identifier: Apache-2.0
import { at, measureLatency, openAnvil, ratio, Receiver } from './bench-latency.ts';
import { hitAddresses, watchedAddresses } from './recordings.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil, type Rig } from './rig.ts';

const ADDRESSES = 100_000;
const CHAIN = 'eip155:31337';
/** Rounds without a pause, with a budget that the local node bears. */
const RAISED = { BALANCE_ROUND_CALLS_PER_SECOND: '200', BALANCE_ROUND_INTERVAL: '0s' };
const NONE = { BALANCE_ROUND_CALLS_PER_SECOND: '0' };

/** How long a round of many addresses with two assets takes, and what it does to the latency at the head. */
export async function benchRound(report: Report): Promise<void> {
  const source = await openAnvil(1);
  const receiver = new Receiver();
  const hookUrl = await receiver.listen();
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer', 'notifier']);
  try {
    await fill(rig, source);
    await rig.call('POST', '/notification_channels/webhook', {
      ...{ name: 'bench', url: hookUrl, event_types: ['transaction.detected'] },
    });
    await rig.services.start(['balance-service'], NONE);
    const without = await measureLatency(source, receiver, () => Promise.resolve());
    await rig.services.kill('balance-service');
    await rig.services.start(['balance-service'], RAISED);
    const took = async (): Promise<number | undefined> =>
      (
        await rig.db.query<{ took_s: number }>(
          `SELECT extract(epoch FROM started_at - previous_at)::float AS took_s FROM balance_rounds WHERE previous_at IS NOT NULL`,
        )
      ).rows[0]?.took_s;
    await waitUntil('a round', {
      timeoutMs: 3_600_000,
      done: async () => (await took()) !== undefined,
      everyMs: 1_000,
    });
    const roundSeconds = (await took())!;
    const beside = await measureLatency(source, receiver, () => Promise.resolve());
    report.add({
      name: `balance round, ${ADDRESSES.toLocaleString('en')} addresses with two assets, anvil`,
      goal: 'within an hour',
      isMet: roundSeconds <= 3_600,
      measured: `${roundSeconds.toFixed(0)} s`,
      detail: `${RAISED.BALANCE_ROUND_CALLS_PER_SECOND} requests a second at most, of 500 balances at most`,
    });
    const p99 = Number(ratio(beside, without, 0.99));
    report.add({
      name: 'latency at head beside a balance round that never rests, block → webhook',
      goal: 'p99 ≤ 1.1 × without',
      isMet: p99 <= 1.1,
      measured: `p99 ${at(beside, 0.99)} ms, ${p99} × without (${at(without, 0.99)} ms)`,
      detail: `${beside.length} blocks each; p50 ${at(beside, 0.5)} ms, without ${at(without, 0.5)} ms`,
    });
  } finally {
    await rig.stop();
    receiver.close();
    await source.stop();
  }
}

/** The watched addresses, and what is known of their balances. */
async function fill(rig: Rig, source: { readonly url: string; readonly token: string }): Promise<void> {
  const others = watchedAddresses.slice(hitAddresses.length, ADDRESSES);
  await insertAddresses(rig, [...hitAddresses, ...others]);
  await rig.activate(source.url);
  await waitUntil('the start', {
    timeoutMs: 60_000,
    done: async () => (await rig.cursorNumber()) >= 0,
  }).catch(rig.explain);
  await rig.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', $3, 'fungible', 'active', 18) ON CONFLICT DO NOTHING`,
    [`${CHAIN}/erc20:${source.token}`, CHAIN, source.token],
  );
  await rig.db.query(
    `INSERT INTO balances (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash)
     SELECT a.id, g, $1, 0, 0, 'x' FROM addresses a CROSS JOIN unnest($2::text[]) g ON CONFLICT DO NOTHING`,
    [CHAIN, [`${CHAIN}/slip44:60`, `${CHAIN}/erc20:${source.token}`]],
  );
}
