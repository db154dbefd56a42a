// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { findFreePort, openEventStream, waitFor, type EventStreamClient } from '@chainwatch/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { findDebianTool } from '../../../stack/find-debian-tool.ts';
import { BOARDS } from '../../../stack/boards.mjs';
import { ofInstallation } from '../../../stack/render-dashboards.mjs';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import { startPrometheus, type Prometheus } from './start-prometheus.ts';

/** What happens to nobody here: these count from the first time on, or are of other chains. */
const NEVER = [
  // A local chain.
  'chainwatch_chain_block_time_seconds',
  'chainwatch_finality_violations_total',
  'chainwatch_nats_reconnects_total',
  // A family without a mempool.
  'chainwatch_pending_transactions',
  'chainwatch_redis_failures_total',
  'chainwatch_rpc_cut_connections_total',
  'chainwatch_rpc_failures_total',
  'chainwatch_rpc_full_total',
];
/** For as long a panel is looked at. */
const WINDOW_SECONDS = 120;

const command = await findDebianTool('prometheus', 'prometheus');

(command === undefined ? describe.skip : describe)('the dashboards, over everything that runs', () => {
  const chain = new EvmChain({ epochBlocks: 8 });
  const harness = new Harness(chain);
  let prometheus: Prometheus | undefined;
  let stream: EventStreamClient | undefined;
  let rpc: { readonly url: string; readonly key: string };

  beforeAll(async () => {
    await harness.start();
    const port = await findFreePort();
    const { keys } = await bootstrap(harness.db, { label: 'svc' });
    rpc = { url: `http://127.0.0.1:${port}/${encodeURIComponent(chain.gid)}`, key: keys.rpc };
    stream = await openEventStream(`${harness.apiUrl}/events/stream`, { 'x-api-key': keys.api });
    await harness.services.start(['rpc-proxy'], { PORT: String(port) });
    const names = [...harness.serviceNames, 'rpc-proxy'] as const;
    prometheus = await startPrometheus({
      command: command!,
      targets: names.map((name) => ({ name, port: harness.services.healthPort(name) })),
      rules: join(repoDir, 'deploy/prometheus/rules.yaml'),
    });
  });
  afterAll(async () => {
    stream?.close();
    await prometheus?.stop();
    await harness.stop();
  });

  const queries = BOARDS.flatMap(({ title, panels }) =>
    panels.flatMap(([panel, , of]) =>
      Object.values(of).map((query) => ({
        panel: `${title}: ${panel}`,
        // The services are scraped without the label here.
        query: ofInstallation(query, 'namespace')
          .replaceAll('$installation', '')
          .replaceAll('$chain', chain.gid),
      })),
    ),
  );

  async function call(method: string, params: readonly unknown[] = []): Promise<void> {
    await fetch(rpc.url, {
      method: 'POST',
      headers: { 'x-api-key': rpc.key, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  }

  /** A payment, a reorg, requests of both gateways. */
  async function live(): Promise<void> {
    await chain.payPayee();
    await chain.mine(2);
    await chain.actor.reorg(1, () => true);
    await chain.mine(1);
    await harness.project.request('GET', '/transactions');
    for (const method of ['eth_chainId', 'eth_chainId', 'eth_blockNumber']) await call(method);
  }

  async function listEmpty(): Promise<string[]> {
    const empty = await Promise.all(
      queries.map(async ({ panel, query }) => {
        const series = await prometheus!.query(query, WINDOW_SECONDS);
        return series.flat().some(Number.isFinite) ? [] : [`${panel}: ${query}`];
      }),
    );
    return empty.flat();
  }

  const asked = new Set(
    queries.flatMap(({ query }) => query.match(/\b(chainwatch|nodejs|process)_\w+/g) ?? []),
  );
  const listUnread = async (): Promise<string[]> => {
    const read = await prometheus!.readNames();
    return [...asked].filter((name) => !read.has(name)).sort();
  };

  it('have data in each panel, of metrics that were read, and fire no alert', async () => {
    await harness.watch(chain.payee);
    await harness.watch(chain.actor.accounts[2]!);
    await waitFor(
      async () => {
        await live();
        return (await listEmpty()).length === 0 && (await listUnread()).join() === NEVER.join();
      },
      { timeoutMs: 180_000 },
    ).catch(() => undefined);
    expect(await listEmpty()).toEqual([]);
    expect(await listUnread()).toEqual(NEVER);
    expect(await prometheus!.query('ALERTS{alertstate="firing"}', WINDOW_SECONDS)).toEqual([]);
  });
});
