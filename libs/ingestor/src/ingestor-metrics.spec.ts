// SPDX-License-Identifier: Apache-2.0
import type { Upgrade } from '@chainwatch/chain-core';
import {
  startHealthServer,
  startTelemetry,
  type HealthServer,
  type Telemetry,
} from '@chainwatch/platform/telemetry';
import { createChainReport, type ChainReport } from './chain-report.ts';
import { recordReports } from './ingestor-metrics.ts';
import { recordUpgrades } from './start-ingestor.ts';

const NOW = 1_800_000_000_000;
const report = (chainGid: string, more: Partial<ChainReport>): ChainReport => ({
  ...createChainReport(chainGid),
  status: 'following',
  ...more,
});

describe('recordReports', () => {
  let telemetry: Telemetry;
  let server: HealthServer;
  beforeAll(async () => {
    telemetry = await startTelemetry({ serviceName: 'spec' });
    server = await startHealthServer({
      port: 0,
      host: '127.0.0.1',
      checks: () => ({}),
      metrics: telemetry.handleMetrics,
    });
  });
  afterAll(async () => {
    await server.stop();
    await telemetry.stop();
  });
  const readChains = async (): Promise<string[]> => {
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    return text
      .split('\n')
      .filter((line) => /^chainwatch_(chain|ingestor)_/.test(line))
      .map((line) => line.replace('chainwatch_', ''))
      .sort();
  };

  it('tells of the chains that this replica owns now, and of no others', async () => {
    const ethereum = report('eip155:1', {
      head: { number: 7, hash: '0x7' },
      finalized: { number: 5, hash: '0x5' },
      newestHead: { hash: '0x8', timestampMs: NOW - 20_000, seenAtMs: NOW - 3_000 },
      blockTime: { ms: 6_000, measuredMs: 6_000, configuredMs: 12_000 },
    });
    // A local chain has no block time; a block's own time may be ahead of ours.
    const local = report('eip155:31337', {
      head: { number: 1, hash: '0x1' },
      newestHead: { hash: '0x1', timestampMs: NOW + 5_000, seenAtMs: NOW },
    });
    const other = report('eip155:56', { status: 'standby', head: { number: 9, hash: '0x9' } });
    recordReports([ethereum, local, other], NOW);
    expect(await readChains()).toEqual([
      'chain_block_time_configured_seconds{chain_gid="eip155:1"} 12',
      'chain_block_time_seconds{chain_gid="eip155:1"} 6',
      'chain_head_age_seconds{chain_gid="eip155:1"} 20',
      'chain_head_age_seconds{chain_gid="eip155:31337"} 0',
      'chain_head_pause_seconds{chain_gid="eip155:1"} 3',
      'chain_head_pause_seconds{chain_gid="eip155:31337"} 0',
      'chain_stalled_status{chain_gid="eip155:1"} 0',
      'chain_stalled_status{chain_gid="eip155:31337"} 0',
      'chain_stalled_status{chain_gid="eip155:56"} 0',
      'ingestor_finalized_number{chain_gid="eip155:1"} 5',
      'ingestor_head_number{chain_gid="eip155:1"} 7',
      'ingestor_head_number{chain_gid="eip155:31337"} 1',
    ]);
    // One moves to another replica, one is deactivated, one comes here.
    recordReports(
      [
        { ...ethereum, status: 'standby' },
        { ...other, status: 'stalled' },
      ],
      NOW,
    );
    expect(await readChains()).toEqual([
      'chain_stalled_status{chain_gid="eip155:1"} 0',
      'chain_stalled_status{chain_gid="eip155:56"} 1',
      'ingestor_head_number{chain_gid="eip155:56"} 9',
    ]);
    recordReports([], NOW);
    expect(await readChains()).toEqual([]);
    recordReports([ethereum], NOW + 1_000);
    expect(await readChains()).toContain('chain_head_pause_seconds{chain_gid="eip155:1"} 4');
  });

  it('tells of upgrades that come within 90 days, and of past ones that are not supported', async () => {
    const day = 86_400_000;
    const row = (name: string, days: number | null, state: 'generated' | 'not'): Upgrade =>
      ({
        ...{ network: 'base', name, state, height: null, certainty: 'verified', changes: '' },
        date: days === null ? null : new Date(NOW + days * day).toISOString(),
      }) as Upgrade;
    const told = async (): Promise<string[]> => {
      const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      return text.split('\n').filter((line) => line.startsWith('chainwatch_upgrade_seconds{'));
    };
    recordUpgrades(
      [
        row('next', 10, 'generated'),
        row('far', 91, 'not'),
        row('past', -1, 'not'),
        row('done', -1, 'generated'),
        row('open', null, 'not'),
      ],
      NOW,
    );
    expect(await told()).toEqual([
      'chainwatch_upgrade_seconds{network="base",name="next",state="generated"} -864000',
      'chainwatch_upgrade_seconds{network="base",name="past",state="not"} 86400',
    ]);
    recordUpgrades([row('next', 10, 'generated')], NOW + 10 * day);
    expect(await told()).toEqual([]);
  });
});
