import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@chainwatch/db';
import { findFreePort, startNats, startPostgres, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';

const GID = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

let postgres: PostgresHandle;
let nats: NatsHandle;
let service: ChildProcess | undefined;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
}, 60_000);

afterAll(async () => {
  service?.kill('SIGKILL');
  await Promise.all([postgres.stop(), nats.stop()]);
});

describe('block-ingestor-bitcoin in a build without the family', () => {
  it('starts, is ready, tells that the family is not configured, and stops in order', async () => {
    const db = createDatabase({ url: postgres.url, applicationName: 'spec' });
    await db.query(`INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'bitcoin', 'regtest', 'regtest', '', true)`, [GID]);
    const port = await findFreePort();
    service = spawn(process.execPath, ['--import', 'tsx', MAIN], {
      stdio: 'ignore',
      env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL: postgres.url, NATS_URL: nats.url, HEALTH_PORT: String(port), SECRETS_KEYS: `k:${Buffer.alloc(32).toString('base64')}` },
    });
    const readReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json() as Promise<{ status: string; checks: Record<string, { reason?: string; note?: string }> }>;
    const reason = 'chain family bitcoin is not configured in this build';
    const ready = await waitFor(async () => {
      const answer = await readReady();
      return answer.checks[`chain ${GID}`]?.reason === undefined ? undefined : answer;
    }, { timeoutMs: 20_000, message: 'the chain in /readyz' });
    expect(ready.status).toBe('ok');
    expect(ready.checks.chains).toMatchObject({ ok: true, note: reason });
    expect(ready.checks[`chain ${GID}`]).toMatchObject({ status: 'stalled', reason });
    const { rows } = await db.query('SELECT status, reason FROM ingestor_states WHERE chain_gid = $1', [GID]);
    expect(rows).toEqual([{ status: 'stalled', reason }]);

    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    await db.close();
  }, 40_000);
});
