// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@chainwatch/sdk';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { startApiStack, type ApiStack } from '../start-api-stack.ts';
import { startCommand, type Run } from './run-command.ts';

const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const PERIOD = ['--from', '2026-10-01', '--to', '2026-11-01'];

let stack: ApiStack;
let project: Bootstrap;
let folder: string;
beforeAll(async () => {
  stack = await startApiStack({ STATEMENT_KEY: randomBytes(32).toString('base64') });
  project = await bootstrap(stack.db, { label: 'svc' });
  folder = mkdtempSync(join(tmpdir(), 'cli-statement-'));
  const client = createClient({ baseUrl: stack.apiUrl, apiKey: project.keys.api });
  await client.blockchains.create({ chain_gid: 'eip155:1' });
  await client.addresses.createExternal({ value: ADDRESS, chain_family: 'evm', groups: ['customers'] });
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack.stop();
});

const run = (args: readonly string[]): Run['ended'] =>
  startCommand(folder, {
    ...{ args: ['statement', ...args], input: '' },
    env: { CHAINWATCH_API_URL: stack.apiUrl, CHAINWATCH_API_KEY: project.keys.api },
  }).ended;
const keysUrl = (): string => new URL('/.well-known/chainwatch-keys', stack.apiUrl).href;

it('has a statement written, downloads it, and verifies it, with the keys of the service and with a copy', async () => {
  const created = await run(['create', '--group', 'customers', ...PERIOD, '--wait', '--json']);
  expect([created.code, created.stderr]).toEqual([0, '']);
  const { id, status } = JSON.parse(created.stdout) as { id: string; status: string };
  expect(status).toBe('completed');
  const file = join(folder, 'october.ndjson');
  expect((await run(['download', id, '--output', file])).code).toBe(0);
  expect((await run(['download', id])).stdout).toBe(readFileSync(file, 'utf8'));
  const verified = await run(['verify', file, '--keys', keysUrl()]);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('signed with')]);
  const copy = join(folder, 'keys.json');
  writeFileSync(copy, await (await fetch(keysUrl())).text());
  writeFileSync(file, readFileSync(file, 'utf8').replace(ADDRESS, ADDRESS.toLowerCase()));
  const refused = await run(['verify', file, '--keys', copy, '--json']);
  expect(refused.code).toBe(4);
  expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, isValid: false });
}, 120_000);

it('verifies a table with the signature beside it', async () => {
  const created = await run([
    'create',
    '--addresses',
    ADDRESS,
    ...PERIOD,
    '--format',
    'csv',
    '--wait',
    '--json',
  ]);
  const { id } = JSON.parse(created.stdout) as { id: string };
  const [file, signature] = [join(folder, 'october.csv'), join(folder, 'signature.json')];
  expect((await run(['download', id, '--output', file])).code).toBe(0);
  writeFileSync(signature, (await run(['get', id, '--json'])).stdout);
  const verify = (...more: string[]) => run(['verify', file, '--keys', keysUrl(), ...more]);
  expect((await verify('--signature-file', signature)).code).toBe(0);
  expect((await verify()).code).toBe(4);
}, 120_000);

it('says what the API refuses', async () => {
  const unknown = await run(['create', '--group', 'nobody', ...PERIOD]);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('group')]);
  const missing = await run(['download', '6f1d1f4e-0000-4000-8000-000000000001']);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no statement')]);
}, 120_000);

it('leaves no part of a document whose connection was cut', async () => {
  const cutting = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"type":"statement"}\n');
    setTimeout(() => res.destroy(), 200);
  });
  await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}/v1`;
  const env = { CHAINWATCH_API_URL: url, CHAINWATCH_API_KEY: project.keys.api };
  const file = join(folder, 'cut.ndjson');
  const args = ['statement', 'download', '6f1d1f4e-0000-4000-8000-000000000001', '--output', file, '--json'];
  const { code, stderr } = await startCommand(folder, { args, input: '', env }).ended;
  cutting.close();
  expect([code, JSON.parse(stderr)]).toEqual([
    1,
    { error: expect.objectContaining({ code: 'no-answer' }) as unknown },
  ]);
  expect(existsSync(file)).toBe(false);
}, 120_000);
