import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '@chainwatch/db';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { startNats, waitFor, type NatsHandle, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/testing-stack';
import { startTron, type TronHandle } from '@chainwatch/tool-devnet/start-tron';

const GID = 'tron:0x7a69';
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const SECRETS_KEYS = `k:${Buffer.alloc(32, 7).toString('base64')}`;

let postgres: PostgresHandle;
let nats: NatsHandle;
let tron: TronHandle;
let db: Database;
let service: ChildProcess;

beforeAll(async () => {
  [postgres, nats, tron] = await Promise.all([startPostgres(), startNats(), startTron({ solidifiedLag: 2 })]);
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  const sealer = createSealer(parseSecretsKeys(SECRETS_KEYS));
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed, other_endpoints_sealed) VALUES ($1, 'tron', $1, $1, '', true, $2, jsonb_build_object('evm', $3::text))`,
    [GID, sealer.seal(tron.url, `endpoint:${GID}`), sealer.seal(tron.evmUrl, `evm_endpoint:${GID}`)],
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
  await Promise.all([postgres.stop(), nats.stop(), tron.stop()]);
});

async function expectHead(): Promise<void> {
  let head: string | undefined;
  await waitFor(
    async () => {
      head = (
        await db.query<{ head_hash: string }>('SELECT head_hash FROM ingestor_states WHERE chain_gid = $1', [
          GID,
        ])
      ).rows[0]?.head_hash;
      return head === tron.node.head.id;
    },
    { message: () => `head ${tron.node.head.id}, got ${head}` },
  );
}

const readFeed = async () =>
  (
    await db.query<{ type: string; number: number; hash: string }>(
      'SELECT * FROM chain_feed WHERE chain_gid = $1 ORDER BY seq',
      [GID],
    )
  ).rows;

describe('block-ingestor-tron', () => {
  it('follows blocks, the solidified one and a reorg, and stops in order', async () => {
    await expectHead();
    await tron.node.mine(6);
    await expectHead();
    await waitFor(
      async () =>
        (await readFeed()).some(
          ({ type, number }) => type === 'finalize' && number === tron.node.solidified.number,
        ),
      { message: 'the solidified block' },
    );
    const orphans = [0, 1].map((back) => tron.node.findBlock(tron.node.head.number - back)!.id);
    await tron.node.reorg(2);
    await tron.node.mine(3);
    await expectHead();
    const feed = await readFeed();
    expect(feed.filter(({ type }) => type === 'reorg').map(({ hash }) => hash)).toEqual(orphans);
    expect(feed.filter(({ type }) => type === 'block').at(-1)?.hash).toBe(tron.node.head.id);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });
});
