// SPDX-License-Identifier: Apache-2.0
import { createChainReport } from './chain-report.ts';
import { checkIngestor } from './run-ingestor.ts';

it('tells of each chain how fast it is, and how fast it is expected to be', async () => {
  const report = (
    chainGid: string,
    blockTime?: { ms: number; measuredMs?: number; configuredMs: number },
  ) => ({
    ...createChainReport(chainGid),
    status: 'following' as const,
    reason: undefined,
    blockTime: blockTime && { measuredMs: undefined, ...blockTime },
  });
  const checks = await checkIngestor({
    db: { query: () => Promise.resolve({ rows: [], rowCount: 0 }) as never },
    bus: { isConnected: true },
    ingestor: {
      readiness: () => ({
        chains: [
          report('eip155:8453', { ms: 199.6, measuredMs: 199.6, configuredMs: 2_000 }),
          report('eip155:1', { ms: 12_000, configuredMs: 12_000 }),
          {
            ...report('eip155:31337'),
            newUpgrades: [
              { name: 'fork 0x1', isActive: false, at: '2027-01-01T00:00:00.000Z' },
              { name: 'Osaka', isActive: true },
            ],
          },
        ],
      }),
    },
  });
  expect(JSON.parse(JSON.stringify(checks))).toEqual({
    postgres: { ok: true },
    nats: { ok: true },
    chains: { ok: true },
    'chain eip155:8453': {
      ok: true,
      status: 'following',
      block_time_ms: 200,
      configured_block_time_ms: 2_000,
    },
    'chain eip155:1': { ok: true, status: 'following', configured_block_time_ms: 12_000 },
    'chain eip155:31337': {
      ok: true,
      status: 'following',
      unknown_upgrades: ['fork 0x1, planned, 2027-01-01T00:00:00.000Z', 'Osaka, active'],
    },
  });
});
