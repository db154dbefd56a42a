// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { findFreePort, startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { Services, freePort } from '../services.ts';

/** Both gateways as an orchestrator sees them: processes with probes, that NATS may leave and that are replaced one by one. */
const GATEWAYS = ['api-gateway', 'rpc-proxy'] as const;
type Gateway = (typeof GATEWAYS)[number];

let postgres: PostgresHandle;
let db: Database;
let key: string;
let services: Services;
const ports = {} as Record<Gateway, number>;

beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'acceptance', poolSize: 2 });
  key = (await bootstrap(db, { label: 'svc' })).keys.api;
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});
afterEach(() => services.stop());

async function start(natsUrl: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  services = new Services({
    ...postgres.serviceEnv,
    NATS_URL: natsUrl,
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_API: '1000000',
    RATE_LIMIT_PUBLIC: '1000000',
    ...env,
  });
  for (const name of GATEWAYS) {
    ports[name] = await freePort();
    await services.start([name], { PORT: String(ports[name]) });
  }
}

/** What needs nothing but the process and the database. */
const ask = (name: Gateway): Promise<Response> =>
  fetch(`http://127.0.0.1:${ports[name]}${name === 'api-gateway' ? '/v1/blockchains' : '/'}`, {
    headers: { 'x-api-key': key },
    signal: AbortSignal.timeout(10_000),
  });

async function expectServing(name: Gateway): Promise<void> {
  const response = await ask(name);
  await response.arrayBuffer();
  expect(response.status).toBe(200);
}

describe('without NATS', () => {
  const isDegraded = async (name: Gateway): Promise<boolean> => {
    const { status, checks } = await services.readiness(name);
    expect([status, checks['nats']!.ok]).toEqual([200, true]);
    return checks['nats']!.status === 'degraded';
  };

  it('both start, are ready and serve; with it, they are connected; and they stay ready while it hangs and while it is gone', async () => {
    const port = await findFreePort();
    await start(`nats://127.0.0.1:${port}`);
    for (const name of GATEWAYS) expect(await isDegraded(name)).toBe(true);
    for (const name of GATEWAYS) await expectServing(name);
    const nats: NatsHandle = await startNats({ port });
    try {
      const waitForAll = (degraded: boolean, when: string): Promise<unknown> =>
        Promise.all(
          GATEWAYS.map((name) =>
            waitFor(async () => (await isDegraded(name)) === degraded, { message: `${name} ${when}` }),
          ),
        );
      await waitForAll(false, 'to be connected');
      nats.pause();
      await waitForAll(true, 'to notice that NATS hangs');
      for (const name of GATEWAYS) await expectServing(name);
      nats.resume();
      await waitForAll(false, 'to be connected again');
      await nats.kill9();
      await waitForAll(true, 'to notice that NATS is gone');
      for (const name of GATEWAYS) await expectServing(name);
    } finally {
      await nats.stop();
    }
  });

  it('a key that is revoked at one gateway is forgotten by the other all the same', async () => {
    await start(`nats://127.0.0.1:${await findFreePort()}`);
    const made = await bootstrap(db, { label: 'svc' });
    const call = async (): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${ports['rpc-proxy']}/ethereum`, {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
        headers: { 'x-api-key': made.keys.rpc, 'content-type': 'application/json' },
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await call()).not.toBe(401);
    await db.query(
      `UPDATE api_keys SET revoked_at = now() WHERE project_id = $1 OR workspace_id = (SELECT workspace_id FROM projects WHERE id = $1)`,
      [made.projectId],
    );
    await waitFor(async () => (await call()) === 401, {
      timeoutMs: 30_000,
      message: 'the key to be forgotten',
    });
  });
});

describe('told to stop', () => {
  it.each(GATEWAYS)(
    '%s is not ready at once, and refuses nobody until the load balancer has learned of it',
    async (name) => {
      const nats = await startNats();
      await start(nats.url, { DRAIN_DELAY: '3s' });
      const exited = services.waitExit(name);
      let isOver = false;
      void exited.then(() => (isOver = true));
      const seen = { before: 0, during: 0, kept: 0 };
      let isTold = false;
      let isRefused = false;
      const hammer = async (): Promise<void> => {
        while (!isOver && !isRefused) {
          try {
            const response = await ask(name);
            await response.arrayBuffer();
            if (response.status !== 200) throw new Error(`expected 200, got ${response.status}`);
            seen[isTold ? 'during' : 'before'] += 1;
            if (isTold && response.headers.get('connection') !== 'close') seen.kept += 1;
          } catch (error) {
            if (!isTold) throw error;
            isRefused = true;
          }
        }
      };
      const hammers = Promise.all(Array.from({ length: 4 }, hammer));
      await waitFor(() => seen.before > 20);
      services.signal(name, 'SIGTERM');
      await waitFor(async () => (await services.readiness(name)).status === 503, {
        message: '/readyz to be 503',
      });
      isTold = true;
      const answeredWhenNotReady = seen.during;
      await hammers;
      await exited;
      // The balancer had its time, and all that it sent in it was answered, each on a connection that ended behind it.
      expect(seen.during - answeredWhenNotReady).toBeGreaterThan(20);
      expect(seen.kept).toBeLessThanOrEqual(4);
      await nats.stop();
    },
  );
});

it('an export whose gateway dies is cut off, never short; the next gateway begins anew', async () => {
  const rows = 20_000;
  const { projectId, keys } = await bootstrap(db, { label: 'svc' });
  await db.query(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, metadata)
     SELECT $1, 'evm', a, a, 'external', 'evm', jsonb_build_object('long', repeat(a, 40)) FROM (SELECT '0x' || lpad(to_hex(n), 40, '0') AS a FROM generate_series(1, $2::int) n) made`,
    [projectId, rows],
  );
  const nats = await startNats();
  await start(nats.url);
  const open = (): Promise<Response> =>
    fetch(`http://127.0.0.1:${ports['api-gateway']}/v1/addresses`, {
      headers: { 'x-api-key': keys.api, accept: 'application/x-ndjson' },
    });
  // More than the buffers of a connection hold is left in the gateway.
  const cut = await open();
  expect(cut.status).toBe(200);
  await services.kill('api-gateway');
  await expect(cut.text()).rejects.toThrow();
  await services.start(['api-gateway'], { PORT: String(ports['api-gateway']) });
  const text = await (await open()).text();
  const addresses = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { address: string }).address);
  expect([addresses.length, new Set(addresses).size]).toEqual([rows, rows]);
  await nats.stop();
}, 120_000);
