import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '@chainwatch/db';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import {
  startAnvil,
  startNats,
  waitFor,
  type AnvilHandle,
  type NatsHandle,
  type PostgresHandle,
} from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/testing-stack';

const GID = 'eip155:31337';
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const SECRETS_KEYS = `k:${Buffer.alloc(32, 7).toString('base64')}`;

let postgres: PostgresHandle;
let nats: NatsHandle;
let anvil: AnvilHandle;
let db: Database;
const services: ChildProcess[] = [];

beforeAll(async () => {
  [postgres, nats, anvil] = await Promise.all([
    startPostgres(),
    startNats(),
    startAnvil({ args: ['--mixed-mining', '--block-time', '3600'] }),
  ]);
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  const sealed = createSealer(parseSecretsKeys(SECRETS_KEYS)).seal(anvil.url, `endpoint:${GID}`);
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed) VALUES ($1, 'evm', 'anvil', 'anvil', '', true, $2)`,
    [GID, sealed],
  );
});

afterAll(async () => {
  for (const service of services) service.kill('SIGKILL');
  await db.close();
  await Promise.all([postgres.stop(), nats.stop(), anvil.stop()]);
});

function startService(owner: string): ChildProcess {
  const service = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      INSTANCE_ID: owner,
      SECRETS_KEYS,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
  });
  services.push(service);
  return service;
}

const readState = async () =>
  (
    await db.query<{ owner: string; token: number; head_number: number; head_hash: string }>(
      'SELECT * FROM ingestor_states WHERE chain_gid = $1',
      [GID],
    )
  ).rows[0];

async function expectHead(owner: string, timeoutMs: number): Promise<void> {
  const { number, hash } = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  let state: Awaited<ReturnType<typeof readState>>;
  await waitFor(
    async () => {
      state = await readState();
      return state?.owner === owner && state.head_hash === hash;
    },
    { timeoutMs, message: () => `head ${Number(number)} by ${owner}, got ${JSON.stringify(state)}` },
  );
}

describe('block-ingestor-evm', () => {
  it('follows the chain in its own process, and a second one takes over within 10 s of a kill', async () => {
    const first = startService('first');
    await expectHead('first', 20_000);
    const second = startService('second');
    await anvil.mine(5);
    await expectHead('first', 5_000);
    first.kill('SIGKILL');
    await anvil.mine(5);
    await expectHead('second', 10_000);
    expect((await readState())?.token).toBe(2);

    // A stop in order frees the lease at once.
    const third = startService('third');
    await waitFor(
      async () =>
        (
          await db.query(
            `SELECT 1 FROM pg_stat_activity WHERE application_name = 'block-ingestor-evm' AND datname = current_database()`,
          )
        ).rowCount! >= 2,
      { message: 'the third process' },
    );
    second.kill('SIGTERM');
    expect(await once(second, 'exit')).toEqual([0, null]);
    await anvil.mine(1);
    await expectHead('third', 4_000);
    const { rows } = await db.query<{ seq: number }>(
      'SELECT seq FROM chain_feed WHERE chain_gid = $1 ORDER BY seq',
      [GID],
    );
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, position) => position + 1));
    third.kill('SIGKILL');
  });
});
