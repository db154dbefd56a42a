// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '@chainwatch/data/db';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrapIntoSecret } from './bootstrap.ts';
import { KubernetesSecret, readClusterAccess } from './kubernetes-secret.ts';

/** What of a cluster's API the Job asks. */
class FakeCluster {
  readonly secrets = new Map<string, Record<string, string>>();
  readonly asked: string[] = [];
  mayCreate = true;
  readonly #server: Server = createServer((req, res) => void this.#answer(req, res));

  async start(): Promise<KubernetesSecret> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return new KubernetesSecret(
      { apiUrl: `http://127.0.0.1:${port}`, namespace: 'chainwatch', token: 'token' },
      'keys',
    );
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(
    req: Parameters<Parameters<typeof createServer>[1] & object>[0],
    res: { writeHead(status: number): { end(text?: string): void } },
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    this.asked.push(`${req.method} ${req.url} ${req.headers.authorization}`);
    const name = /\/secrets\/(.+)$/.exec(req.url ?? '')?.[1];
    if (req.method === 'POST' && !this.mayCreate) return res.writeHead(403).end();
    if (req.method === 'POST') {
      const { metadata, stringData } = JSON.parse(Buffer.concat(chunks).toString()) as {
        metadata: { name: string };
        stringData: Record<string, string>;
      };
      if (this.secrets.has(metadata.name)) return res.writeHead(409).end();
      this.secrets.set(metadata.name, stringData);
      return res.writeHead(201).end('{}');
    }
    const isThere = this.secrets.has(name!);
    if (req.method === 'DELETE') this.secrets.delete(name!);
    res.writeHead(isThere ? 200 : 404).end('{}');
  }
}

describe('bootstrapIntoSecret', () => {
  let postgres: PostgresHandle;
  let db: Database;
  let cluster: FakeCluster;
  let secret: KubernetesSecret;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  beforeEach(async () => {
    db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
    cluster = new FakeCluster();
    secret = await cluster.start();
  });
  afterEach(async () => {
    cluster.stop();
    await db.close();
  });
  afterAll(() => postgres.stop());

  const countKeys = async (): Promise<number> =>
    (await db.query<{ count: number }>('SELECT count(*) FROM api_keys')).rows[0]!.count;

  it('keeps the keys in the Secret, once', async () => {
    expect(await bootstrapIntoSecret(db, secret, { label: 'acme' })).toBe(true);
    expect(cluster.secrets.get('keys')).toEqual({
      api: expect.stringMatching(/^acme_api_/),
      rpc: expect.stringMatching(/^acme_rpc_/),
      management: expect.stringMatching(/^acme_mgt_/),
      workspace_id: expect.any(String),
      project_id: expect.any(String),
    });
    expect(await bootstrapIntoSecret(db, secret, { label: 'acme' })).toBe(false);
    expect(await countKeys()).toBe(3);
    expect(cluster.asked).toEqual(
      [
        'GET /api/v1/namespaces/chainwatch/secrets/keys',
        'POST /api/v1/namespaces/chainwatch/secrets',
        'GET /api/v1/namespaces/chainwatch/secrets/keys',
      ].map((request) => `${request} Bearer token`),
    );
  });

  it('makes no second keys where the Secret was deleted', async () => {
    expect(await bootstrapIntoSecret(db, secret, { label: 'acme' })).toBe(true);
    cluster.secrets.clear();
    expect(await bootstrapIntoSecret(db, secret, { label: 'acme' })).toBe(false);
    expect([await countKeys(), cluster.secrets.size]).toEqual([3, 0]);
  });

  it('makes no keys that it cannot keep', async () => {
    cluster.mayCreate = false;
    await expect(bootstrapIntoSecret(db, secret, { label: 'acme' })).rejects.toThrow(
      "the cluster's API answered POST of the Secret keys with 403, expected 201",
    );
    expect(await countKeys()).toBe(0);
  });

  it('keeps no keys that the database did not take', async () => {
    const failing = {
      transaction: ((work: Parameters<Database['transaction']>[0]) =>
        db.transaction(async (...args) => {
          await work(...args);
          throw new Error('no commit');
        })) as Database['transaction'],
    };
    await expect(bootstrapIntoSecret(failing, secret, { label: 'acme' })).rejects.toThrow('no commit');
    expect([await countKeys(), cluster.secrets.size]).toEqual([0, 0]);
    expect(await bootstrapIntoSecret(db, secret, { label: 'acme' })).toBe(true);
  });
});

describe('readClusterAccess', () => {
  it('reads what a pod has', () => {
    const folder = mkdtempSync(join(tmpdir(), 'account-'));
    for (const name of ['namespace', 'token']) writeFileSync(join(folder, name), `${name}\n`);
    const read = (host: string) => readClusterAccess({ KUBERNETES_SERVICE_HOST: host }, folder);
    expect(read('10.0.0.1')).toEqual({
      apiUrl: 'https://10.0.0.1:443',
      namespace: 'namespace',
      token: 'token',
    });
    expect(read('fd00::1').apiUrl).toBe('https://[fd00::1]:443');
    expect(() => readClusterAccess({}, folder)).toThrow('works in a pod alone');
    rmSync(folder, { recursive: true });
  });
});
