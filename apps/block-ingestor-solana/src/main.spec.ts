import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '@chainwatch/db';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/testing-stack';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';

const GID = 'solana:localnet';
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const SECRETS_KEYS = `k:${Buffer.alloc(32, 7).toString('base64')}`;

let postgres: PostgresHandle;
let nats: NatsHandle;
let node: SolanaHandle;
let db: Database;
let service: ChildProcess;

beforeAll(async () => {
  [postgres, nats, node] = await Promise.all([startPostgres(), startNats(), startSolana()]);
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  const sealed = createSealer(parseSecretsKeys(SECRETS_KEYS)).seal(node.url, `endpoint:${GID}`);
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed) VALUES ($1, 'solana', $1, $1, '', true, $2)`,
    [GID, sealed],
  );
  service = spawn(process.execPath, ['--import', 'tsx', MAIN], {
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
});

afterAll(async () => {
  service.kill('SIGKILL');
  await db.close();
  await Promise.all([postgres.stop(), nats.stop(), node.stop()]);
});

interface Entry {
  readonly type: string;
  readonly number: number;
  readonly hash: string;
}

const readFeed = async (): Promise<Entry[]> =>
  (await db.query<Entry>('SELECT * FROM chain_feed WHERE chain_gid = $1 ORDER BY seq', [GID])).rows;

async function expectHead(hash: string): Promise<void> {
  let head: string | undefined;
  await waitFor(
    async () => {
      const { rows } = await db.query<{ head_hash: string }>(
        'SELECT head_hash FROM ingestor_states WHERE chain_gid = $1',
        [GID],
      );
      head = rows[0]?.head_hash;
      return head === hash;
    },
    { message: () => `head ${hash}, got ${head}` },
  );
}

describe('block-ingestor-solana', () => {
  it('follows slots, those that nobody used, finality and a fork, and stops in order', async () => {
    await expectHead((await node.produce(2)).blockhash);
    await node.skip(3);
    const first = await node.produce();
    await expectHead(first.blockhash);
    const orphans = [await node.produce(), await node.produce()];
    await expectHead(orphans[1]!.blockhash);
    await node.fork(2);
    const head = await node.produce(40);
    await expectHead(head.blockhash);
    await waitFor(
      async () => (await readFeed()).some(({ type, number }) => type === 'finalize' && number >= first.slot),
      { message: 'finality' },
    );
    const feed = await readFeed();
    expect(feed.filter(({ type }) => type === 'reorg').map(({ hash }) => hash)).toEqual([
      orphans[1]!.blockhash,
      orphans[0]!.blockhash,
    ]);
    const followed = feed.filter(({ type }) => type === 'block');
    expect(followed.at(-1)).toMatchObject({ number: head.slot, hash: head.blockhash });
    // A slot without a block is no entry.
    const before = followed.findIndex(({ hash }) => hash === first.blockhash) - 1;
    expect(first.slot - followed[before]!.number).toBe(4);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });
});
