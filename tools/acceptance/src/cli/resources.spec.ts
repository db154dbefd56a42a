// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@chainwatch/data/db';
import { createClient } from '@chainwatch/sdk';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { startApiStack, type ApiStack } from '../start-api-stack.ts';
import { linesOf, startCommand, startHook } from './run-command.ts';

/** Commands over resources of the API, as processes of their own, against the services. */
const CHAIN = 'eip155:31337';
const COIN = `${CHAIN}/slip44:60`;
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const HASH = `0x${'ab'.repeat(32)}`;
const XPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';

let stack: ApiStack;
let db: Database;
let project: Bootstrap;
let folder: string;

beforeAll(async () => {
  stack = await startApiStack({ RATE_LIMIT_API: '1000000', RATE_LIMIT_MANAGEMENT: '1000000' });
  ({ db } = stack);
  const operator = await bootstrap(db, { label: 'svc' });
  // Nothing follows it: it has no node.
  await createClient({ baseUrl: stack.apiUrl, apiKey: operator.keys.api }).blockchains.create({
    chain_gid: CHAIN,
  });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  project = await bootstrap(db, { label: 'svc' });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function runAs({ keys }: Bootstrap, args: readonly string[], input?: string) {
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  const env = {
    CHAINWATCH_API_URL: stack.apiUrl,
    CHAINWATCH_API_KEY: keys.api,
    CHAINWATCH_MANAGEMENT_KEY: keys.management,
  };
  writeFileSync(join(folder, 'body.json'), input ?? '{}');
  const done = await startCommand(folder, { args, env, input }).ended;
  rmSync(folder, { recursive: true, force: true });
  return done;
}

/** Records of a command that has to succeed. */
async function read<T>(args: readonly string[], input?: string): Promise<T[]> {
  const { code, stdout, stderr } = await runAs(project, [...args, '--json'], input);
  expect([code, stderr]).toEqual([0, '']);
  return linesOf<T>(stdout);
}
const readOne = async <T>(args: readonly string[], input?: string): Promise<T> =>
  (await read<T>(args, input))[0]!;

interface Named {
  readonly id: string;
  readonly name?: string;
  readonly status?: string;
}

describe('channels', () => {
  it('are created, changed, tried, archived, restored and deleted', async () => {
    const hook = await startHook();
    const created = await readOne<Named & { readonly webhook_secret: string }>(
      ['channels', 'create', 'webhook', '--name', 'Shop', '--types', 'transaction.confirmed', '--data', '-'],
      JSON.stringify({ url: hook.url, filters: { direction: 'in' } }),
    );
    expect(created).toMatchObject({ name: 'Shop', webhook_secret: expect.stringContaining('whsec_') });
    const { id } = created;
    await readOne(
      ['channels', 'update', id, '--name', 'Till', '--data', 'body.json'],
      '{"throttle_per_second":5}',
    );
    expect(await readOne(['channels', 'get', id])).toMatchObject({
      name: 'Till',
      config: {
        throttle_per_second: 5,
        event_types: ['transaction.confirmed'],
        filters: { direction: 'in' },
      },
    });
    await readOne(['channels', 'test', id, '--type', 'transaction.reorged']);
    expect((await read<Named>(['channels', 'list', '--kind', 'webhook'])).map((one) => one.id)).toEqual([id]);
    expect(await read(['channels', 'list', '--kind', 'slack'])).toEqual([]);
    const rotated = await runAs(project, ['channels', 'rotate-secret', id]);
    expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringMatching(/whsec_\w+\n$/)]);
    expect(rotated.stdout.trim()).not.toBe(created.webhook_secret);
    expect(await readOne(['channels', 'secrets', id])).toMatchObject({
      previous: { mask: expect.any(String) },
    });
    await readOne(['channels', 'end-rotation', id]);
    expect(await readOne(['channels', 'secrets', id])).toMatchObject({ previous: null });
    await readOne(['channels', 'archive', id]);
    expect((await read<Named>(['channels', 'list', '--archived'])).map((one) => one.id)).toEqual([id]);
    await readOne(['channels', 'restore', id, '--held', 'discard']);
    expect(await readOne(['channels', 'delete', id])).toEqual({ id, done: true });
    expect(await read(['channels', 'list'])).toEqual([]);
    await hook.close();
  });

  it('show what they would have received, and rehearse a receiver', async () => {
    const preview = await readOne(
      ['channels', 'preview', '--since', '1d', '--types', 'transaction.confirmed', '--data', '-'],
      '{"filters":{"direction":"in"}}',
    );
    expect(preview).toMatchObject({ event_count: 0, is_complete: true });
    const hook = await startHook();
    const sandbox = await readOne<Named>(
      ['channels', 'create', 'webhook', '--name', 'Sandbox', '--data', '-'],
      JSON.stringify({ url: hook.url, sandbox: true }),
    );
    expect(await readOne(['channels', 'rehearse', sandbox.id, 'duplicate'])).toMatchObject({
      scenario: 'duplicate',
    });
    await hook.close();
  });

  it('say once what the API refuses, as JSON where that is asked for', async () => {
    const { code, stderr } = await runAs(
      project,
      ['channels', 'create', 'webhook', '--name', 'x', '--data', '-', '--json'],
      '{"url":"https://example.com/hook","colour":"red"}',
    );
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { status: 400, exit_code: 1, fields: [{ name: 'colour' }], request_id: expect.any(String) },
    });
    expect(stderr.match(/colour/g)!.length).toBeLessThanOrEqual(3);
  });
});

describe('transactions', () => {
  async function insertTransaction(): Promise<string> {
    const id = randomUUID();
    await db.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, block_timestamp, tx_index, required_confirmations)
       VALUES ($1, $2, $3, $4, 'confirmed', 'in', 7, $4, now(), 0, 1)`,
      [id, project.projectId, CHAIN, HASH],
    );
    return id;
  }

  it('are listed with filters, and shown by ID and by hash', async () => {
    const id = await insertTransaction();
    const found = async (...filters: string[]): Promise<string[]> =>
      (await read<Named>(['transactions', 'list', ...filters])).map((one) => one.id);
    expect(await found()).toEqual([id]);
    expect(
      await found('--chains', CHAIN, '--statuses', 'confirmed', '--direction', 'in', '--from-block', '7'),
    ).toEqual([id]);
    expect(await found('--hash', HASH, '--since', '1h', '--to-block', '7')).toEqual([id]);
    for (const filter of [
      ['--statuses', 'reorged'],
      ['--direction', 'out'],
      ['--from-block', '8'],
      ['--addresses', ADDRESS],
      ['--assets', COIN],
      ['--min-amount', '1'],
      ['--memo-prefix', 'order'],
      ['--until', '1d'],
    ])
      expect(await found(...filter)).toEqual([]);
    expect(await readOne(['transactions', 'get', id])).toMatchObject({ id, hash: HASH });
    expect(await readOne(['transactions', 'get', HASH, '--chain', CHAIN])).toMatchObject({ id });
    // No node is there to prove it.
    expect((await runAs(project, ['transactions', 'proof', id])).code).toBe(1);
    expect((await runAs(project, ['transactions', 'get', randomUUID()])).code).toBe(1);
  });
});

describe('public keys, tokens and policies', () => {
  it('public keys are added, derived from, renamed and deleted', async () => {
    const { id } = await readOne<Named>([
      ...['public-keys', 'create', XPUB, '--path', "m/84'/0'/0'", '--label', 'Deposits'],
      ...['--gap-limit', '5'],
    ]);
    expect(await readOne(['public-keys', 'get', id])).toMatchObject({ label: 'Deposits', gap_limit: 5 });
    await readOne(['public-keys', 'derive', id, '--from', '0', '--to', '2']);
    await readOne(['public-keys', 'derive', id, '--indexes', '7', '--change', '0']);
    expect(await readOne(['public-keys', 'next', id])).toMatchObject({ index: 8 });
    const derived = await read<{ index: number }>(['public-keys', 'addresses', id, '--change', '0']);
    expect(derived.map(({ index }) => index)).toEqual([0, 1, 2, 7, 8]);
    expect(await read(['public-keys', 'addresses', id, '--used'])).toEqual([]);
    await readOne(['public-keys', 'update', id, '--label', 'Shop']);
    expect(await read(['public-keys', 'list', '--search', 'Shop'])).toMatchObject([{ id, label: 'Shop' }]);
    expect((await runAs(project, ['public-keys', 'delete', id])).code).toBe(1);
    await readOne(['public-keys', 'delete', id, '--cascade']);
    expect(await read(['public-keys', 'list'])).toEqual([]);
  });

  it('tokens and assets are listed, archived and restored', async () => {
    const gids = async (...args: string[]): Promise<string[]> =>
      (await read<{ gid: string }>(args)).map(({ gid }) => gid);
    expect(await gids('tokens', 'list', '--chains', CHAIN, '--type', 'native')).toEqual([COIN]);
    expect(await readOne(['tokens', 'get', COIN])).toMatchObject({ symbol: 'ETH' });
    await readOne(['assets', 'archive', COIN]);
    expect(await gids('assets', 'list', '--chains', CHAIN)).toEqual([]);
    expect(await gids('assets', 'list', '--chains', CHAIN, '--archived')).toEqual([COIN]);
    await readOne(['assets', 'restore', COIN]);
    expect(await gids('assets', 'list', '--chains', CHAIN, '--statuses', 'active')).toEqual([COIN]);
    // No node is there to read it.
    const token = `${CHAIN}/erc20:0x${'1'.repeat(40)}`;
    for (const action of ['create', 'refresh', 'get'])
      expect((await runAs(project, ['tokens', action, token])).code).toBe(1);
  });

  it('policies are set, listed and deleted', async () => {
    expect(await readOne(['policies', 'set', CHAIN, '--depth', '5', '--unsafe'])).toMatchObject({ depth: 5 });
    expect(await readOne(['policies', 'get', CHAIN])).toMatchObject({ type: 'depth', depth: 5 });
    expect(await read(['policies', 'list', '--chains', CHAIN])).toMatchObject([{ chain_gid: CHAIN }]);
    await readOne(['policies', 'delete', CHAIN]);
    expect(await read(['policies', 'list'])).toEqual([]);
  });
});

describe('the workspace', () => {
  it('projects are created, renamed and deleted, and the audit log has it', async () => {
    const { id } = await readOne<Named>(['projects', 'create', 'Shop']);
    expect(await readOne(['projects', 'rename', id, 'Till'])).toMatchObject({ name: 'Till' });
    expect(await readOne(['projects', 'get', id])).toMatchObject({ name: 'Till' });
    expect((await read<Named>(['projects', 'list', '--search', 'Till'])).map((one) => one.id)).toEqual([id]);
    await readOne(['projects', 'delete', id, '--cascade']);
    const actions = async (...filters: string[]): Promise<string[]> =>
      (await read<{ action: string }>(['audit', 'list', ...filters])).map(({ action }) => action);
    expect(await actions('--targets', id)).toEqual(['project.deleted', 'project.updated', 'project.created']);
    expect(await actions('--actions', 'project.deleted', '--since', '1h')).toEqual(['project.deleted']);
    expect(await actions('--until', '1h')).toEqual([]);
    expect(await read(['audit', 'list', '--limit', '1'])).toHaveLength(1);
  });

  it('members are added, changed and removed', async () => {
    await readOne(['members', 'create', 'owner@example.com', '--role', 'owner']);
    const { id } = await readOne<Named>(['members', 'create', 'ada@example.com', '--role', 'viewer']);
    expect(await readOne(['members', 'update', id, '--role', 'admin'])).toMatchObject({ role: 'admin' });
    expect(await read(['members', 'list', '--roles', 'admin'])).toMatchObject([{ email: 'ada@example.com' }]);
    const deleted = await runAs(project, ['members', 'delete', id]);
    expect([deleted.code, deleted.stdout]).toEqual([0, `Removed ${id}\n`]);
    expect(await read(['members', 'list', '--search', 'ada'])).toEqual([]);
  });

  it('is for management keys: without one nothing is sent', async () => {
    const { code, stderr } = await startCommand(mkdtempSync(join(tmpdir(), 'cli-')), {
      args: ['projects', 'list'],
      env: { CHAINWATCH_API_URL: stack.apiUrl, CHAINWATCH_API_KEY: project.keys.api },
    }).ended;
    expect([code, stderr]).toEqual([3, expect.stringContaining('management key')]);
  });
});
