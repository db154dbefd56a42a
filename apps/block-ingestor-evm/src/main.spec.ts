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

function startService(): ChildProcess {
  const service = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
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
      `SELECT o.owner, o.token, s.head_number, s.head_hash FROM ingestor_states s
       JOIN owners o ON o.kind = 'ingestor.evm' AND o.share = s.chain_gid WHERE s.chain_gid = $1`,
      [GID],
    )
  ).rows[0];

/** @param others owners before @returns whose it is now */
async function expectHead(others: readonly string[], timeoutMs: number): Promise<string> {
  const { number, hash } = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  let state: Awaited<ReturnType<typeof readState>>;
  await waitFor(
    async () => {
      state = await readState();
      return state !== undefined && !others.includes(state.owner) && state.head_hash === hash;
    },
    {
      timeoutMs,
      message: () =>
        `head ${Number(number)} by none of ${others.join(', ') || 'before'}, got ${JSON.stringify(state)}`,
    },
  );
  return state!.owner;
}

/** Distinct ones: each has connections of its own. */
const expectProcesses = (count: number): Promise<unknown> =>
  waitFor(
    async () =>
      Number(
        (
          await db.query<{ count: string }>(
            `SELECT count(DISTINCT owner) FROM owner_beats WHERE kind = 'ingestor.evm' AND beat_until > clock_timestamp()`,
          )
        ).rows[0]!.count,
      ) >= count,
    { message: `${count} processes` },
  );

describe('block-ingestor-evm', () => {
  it('follows the chain in its own process, and a second one takes over within 10 s of a kill', async () => {
    const first = startService();
    const firstOwner = await expectHead([], 20_000);
    const second = startService();
    await expectProcesses(2);
    await anvil.mine(5);
    expect(await expectHead([], 5_000)).toBe(firstOwner);
    first.kill('SIGKILL');
    await anvil.mine(5);
    await waitFor(async () => (await readState())?.owner !== firstOwner, {
      timeoutMs: 10_000,
      message: 'the second one to own the chain',
    });
    const secondOwner = await expectHead([firstOwner], 5_000);
    expect(Number((await readState())?.token)).toBe(2);

    // A stop in order ends the lease at once.
    const third = startService();
    await expectProcesses(2);
    second.kill('SIGTERM');
    expect(await once(second, 'exit')).toEqual([0, null]);
    await anvil.mine(1);
    await expectHead([firstOwner, secondOwner], 4_000);
    const { rows } = await db.query<{ seq: number }>(
      'SELECT seq FROM chain_feed WHERE chain_gid = $1 ORDER BY seq',
      [GID],
    );
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, position) => position + 1));
    third.kill('SIGKILL');
  });
});
