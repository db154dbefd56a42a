import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { startAnvil, startBcoin, startPostgres, startRedis, waitFor } from './index.ts';

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  it('makes databases with the schema that do not see each other', async () => {
    const postgres = await startPostgres({ isDurable: false });
    const other = await postgres.createDatabase();
    await query(postgres.url, `INSERT INTO workspaces (name) VALUES ('one')`);
    expect(await query(postgres.url, 'SELECT name FROM workspaces')).toEqual([{ name: 'one' }]);
    expect(await query(other, 'SELECT name FROM workspaces')).toEqual([]);
    await postgres.stop();
  });

  it('keeps what was committed over a crash', async () => {
    const postgres = await startPostgres({ isOwn: true });
    await query(postgres.url, `INSERT INTO workspaces (name) VALUES ('kept')`);
    await postgres.server?.crash();
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow();
    await postgres.server?.restart();
    expect(await query(postgres.url, 'SELECT name FROM workspaces')).toEqual([{ name: 'kept' }]);
    await postgres.stop();
  });
});

describe('startAnvil', () => {
  it('mines, reverts and answers errors', async () => {
    const anvil = await startAnvil();
    const snapshot = await anvil.snapshot();
    await anvil.mine(3);
    expect(await anvil.blockNumber()).toBe(3);
    await anvil.revert(snapshot);
    expect(await anvil.blockNumber()).toBe(0);
    await expect(anvil.rpc('eth_nothing')).rejects.toThrow('eth_nothing');
    await anvil.kill();
    await expect(anvil.blockNumber()).rejects.toThrow();
  });
});

describe('startBcoin', () => {
  it('mines, reorganises and answers errors', async () => {
    const bcoin = await startBcoin();
    await bcoin.mine(3);
    await bcoin.reorg({ depth: 2 });
    expect(await bcoin.readHeight()).toBe(4);
    await expect(bcoin.call('getnothing')).rejects.toMatchObject({ name: 'BitcoinRpcError', code: -32601 });
    if (process.env.CHAINWATCH_DEVNET_BITCOIN_URL) return;
    await bcoin.kill();
    await expect(bcoin.readHeight()).rejects.toThrow();
  });
});

describe('the servers', () => {
  it('end with a process that is killed', async () => {
    const script = `const { startRedis } = await import(${JSON.stringify(new URL('./start-redis.ts', import.meta.url).href)}); console.log((await startRedis()).port); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(chunk.toString());
    child.kill('SIGKILL');
    const redis = await waitFor(() => startRedis({ port }).catch(() => undefined), {
      message: 'the port to be free',
    });
    await redis.stop();
  });
});
