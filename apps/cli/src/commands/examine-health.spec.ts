// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { examineHealth } from './examine-health.ts';

describe('examineHealth', () => {
  let server: Server;
  let url: string;
  let checks: Record<string, object> = {};
  beforeAll(async () => {
    server = createServer((req, res) => res.end(req.url === '/readyz' ? JSON.stringify({ checks }) : ''));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const chain = (measured?: number, configured?: number): object => ({
    ok: true,
    status: 'following',
    block_time_ms: measured,
    configured_block_time_ms: configured,
  });

  it('says what each check says', async () => {
    checks = {
      postgres: { ok: true },
      nats: { ok: false, reason: 'not connected' },
      redis: { ok: true, status: 'degraded', reason: 'slow' },
    };
    expect(await examineHealth(url)).toEqual([
      { what: `${url} postgres`, ok: true, found: 'ok' },
      { what: `${url} nats`, ok: false, found: 'away, not connected' },
      { what: `${url} redis`, ok: false, found: 'degraded, slow' },
    ]);
  });

  it('says which upgrades the calendar does not have', async () => {
    checks = { 'chain eip155:1': { ok: true, status: 'following', unknown_upgrades: ['fork 0x1, planned'] } };
    expect((await examineHealth(url))[1]).toEqual({
      what: `${url} chain eip155:1 upgrade`,
      ok: false,
      found: 'fork 0x1, planned: not in the calendar',
      advice: 'look for a newer release',
    });
  });

  it.each([
    [200, 2_000],
    [6_000, 12_000],
    [1_000, 500],
  ])('says that a chain makes a block every %i ms where %i are expected', async (measured, configured) => {
    checks = { 'chain eip155:8453': chain(measured, configured) };
    const [followed, pace] = await examineHealth(url);
    expect(followed).toMatchObject({ ok: true, found: 'following' });
    expect(pace).toEqual({
      what: `${url} chain eip155:8453 block time`,
      ok: false,
      found: `expected a block every ${configured} ms, measured ${measured} ms`,
      advice: 'the measured time is used; a fork may have changed the chain: look for a newer release',
    });
  });

  it('says nothing of a chain that is as fast as expected, that is not measured yet, or local', async () => {
    checks = {
      'chain eip155:1': chain(12_100, 12_000),
      'chain eip155:56': chain(451, 750),
      'chain eip155:10': chain(undefined, 2_000),
      'chain eip155:31337': chain(),
    };
    expect(
      (await examineHealth(url)).map(({ what, ok }) => [what.split(' ').slice(1).join(' '), ok]),
    ).toEqual([
      ['chain eip155:1', true],
      ['chain eip155:56', true],
      ['chain eip155:10', true],
      ['chain eip155:31337', true],
    ]);
  });
});
