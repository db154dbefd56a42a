// SPDX-License-Identifier: Apache-2.0
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { accounts, bitcoin, bodyOf } from '../../../apps/api-gateway/src/spec-support/public-keys.ts';
import { startSpecWorld } from '../../../apps/api-gateway/src/spec-support/spec-world.ts';
import type { SpecWorld } from '../../../apps/api-gateway/src/spec-support/spec-world.ts';
import type { Report } from './report.ts';

const count = 1_000;

/** 1,000 HD addresses in one call of the API, on a real PostgreSQL: the time it takes and how long anything else has to wait. */
export async function benchHd(report: Report): Promise<void> {
  const world = await startSpecWorld({ checkReplies: false });
  try {
    await world.api.post('/blockchains').send({ chain_gid: bitcoin }).expect(201);
    await world.db.query('UPDATE blockchains SET is_active = true');
    await world.db.query(
      'INSERT INTO ingestor_states (chain_gid, head_number) SELECT gid, 800000 FROM blockchains',
    );
    for (const [name, account] of [
      ['P2WPKH', accounts.bip84],
      ['P2TR', accounts.bip86],
    ] as const)
      await measure(world, { name, account, report });
  } finally {
    await world.stop();
  }
}

async function measure(
  world: SpecWorld,
  {
    name,
    account,
    report,
  }: { readonly name: string; readonly account: { key: string; path: string }; readonly report: Report },
): Promise<void> {
  const { body: publicKey } = await world.api.post('/public_keys').send(bodyOf(account)).expect(201);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const times: number[] = [];
  let blockedMs = 0;
  let cpuMs = 0;
  // Starts the thread, which the sources need a loader for and bundles do not.
  await world.api.post(`/public_keys/${publicKey.id}/addresses/next`).expect(201);
  for (let run = 0; run < 5; run += 1) {
    const from = 1 + run * count;
    loop.enable();
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    const { body } = await world.api
      .post(`/public_keys/${publicKey.id}/addresses`)
      .send({ from, to: from + count - 1 })
      .expect(201);
    times.push(performance.now() - started);
    loop.disable();
    const cpu = process.cpuUsage(cpuBefore);
    cpuMs = Math.max(cpuMs, (cpu.user + cpu.system) / 1000);
    if (body.created_count !== count)
      throw new Error(`expected ${count} new addresses, got ${body.created_count}`);
    blockedMs = Math.max(blockedMs, loop.max / 1e6);
    loop.reset();
  }
  report.add({
    name: `${count} HD addresses in one call, ${name}`,
    goal: '≤ 1.5 s, event loop blocked ≤ 50 ms',
    isMet: Math.max(...times) <= 1_500 && blockedMs <= 50,
    measured: `${(Math.max(...times) / 1000).toFixed(2)} s, ${blockedMs.toFixed(0)} ms`,
    detail: `slowest of ${times.length} calls of the API (${times.map((ms) => ms.toFixed(0)).join(', ')} ms): derived, stored, watched and returned; at most ${cpuMs.toFixed(0)} ms of CPU in the gateway's process, its thread and the client included`,
  });
}
