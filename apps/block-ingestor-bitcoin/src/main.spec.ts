import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '@chainwatch/db';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { findFreePort, startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/testing-stack';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';

const GID = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const SECRETS_KEYS = `k:${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_CHAIN = 'bip122:00000000da84f2bafbbc53dee25a72ae';

let postgres: PostgresHandle;
let nats: NatsHandle;
let node: BcoinHandle;
let db: Database;
let port: number;
let service: ChildProcess;

beforeAll(async () => {
  [postgres, nats, node, port] = await Promise.all([
    startPostgres(),
    startNats(),
    startBcoin(),
    findFreePort(),
  ]);
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  for (const gid of [GID, OTHER_CHAIN]) {
    const sealed = createSealer(parseSecretsKeys(SECRETS_KEYS)).seal(node.url, `endpoint:${gid}`);
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed) VALUES ($1, 'bitcoin', $1, $1, '', true, $2)`,
      [gid, sealed],
    );
  }
  service = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      HEALTH_PORT: String(port),
      SECRETS_KEYS,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
  });
});

afterAll(async () => {
  service.kill('SIGKILL');
  await db.close();
  await Promise.all([postgres.stop(), nats.stop(), node.stop()]);
});

const readState = async (gid = GID) =>
  (
    await db.query<{ head_hash: string; status: string; reason: string | null }>(
      'SELECT * FROM ingestor_states WHERE chain_gid = $1',
      [gid],
    )
  ).rows[0];

async function expectHead(): Promise<void> {
  const hash = await node.call<string>('getbestblockhash');
  let state: Awaited<ReturnType<typeof readState>>;
  await waitFor(
    async () => {
      state = await readState();
      return state?.head_hash === hash;
    },
    { message: () => `head ${hash}, got ${JSON.stringify(state)}` },
  );
}

const readFeed = async () =>
  (
    await db.query<{ type: string; number: number; hash: string }>(
      'SELECT * FROM chain_feed WHERE chain_gid = $1 ORDER BY seq',
      [GID],
    )
  ).rows;

describe('block-ingestor-bitcoin', () => {
  it('follows a regtest node through new blocks, confirmations by depth and a reorg', async () => {
    await expectHead();
    const from = await node.readHeight();
    const mined = await node.mine(6);
    await expectHead();
    await waitFor(
      async () => (await readFeed()).some(({ type, number }) => type === 'finalize' && number >= from + 3),
      { message: 'finality by depth' },
    );
    const finalized = (await readFeed())
      .filter(({ type }) => type === 'finalize')
      .map(({ number }) => number);
    // Depth 3, the block's own included: of 6 blocks the fourth is the last one final.
    expect(Math.max(...finalized)).toBe(from + 4);

    const replacing = await node.reorg({ depth: 2 });
    await expectHead();
    const feed = await readFeed();
    expect(feed.filter(({ type }) => type === 'reorg').map(({ hash }) => hash)).toEqual([mined[5], mined[4]]);
    expect(
      feed
        .filter(({ type }) => type === 'block')
        .slice(-3)
        .map(({ hash }) => hash),
    ).toEqual(replacing);
  });

  it('does not follow a node of another network', async () => {
    await waitFor(async () => /another chain/.test((await readState(OTHER_CHAIN))?.reason ?? ''), {
      message: 'the reason',
    });
    const { rowCount } = await db.query('SELECT 1 FROM chain_feed WHERE chain_gid = $1', [OTHER_CHAIN]);
    expect(rowCount).toBe(0);
  });

  it('stops in order', async () => {
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });
});
