// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { PostgresHandle } from '@chainwatch/testing';
import { createClient } from '@chainwatch/sdk';
import { startPostgres } from '@chainwatch/data/testing';
import { createApp } from '../../../../examples/deposit-service/create-app.ts';
import { Ledger } from '../../../../examples/deposit-service/ledger.ts';
import { startNaiveReceiver } from './naive-receiver.ts';
import { linesOf, startCommand, type Run } from './run-command.ts';

const ADDRESS = '0x44770C858d5Ba9a36AE8B4E98615445f88F0C440';
const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

interface Line {
  readonly name: string;
  readonly ok: boolean;
  readonly faults: readonly string[];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-certify-'));
  writeFileSync(join(folder, 'secret.txt'), SECRET);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const certify = (url: string, ...args: readonly string[]): Run['ended'] =>
  startCommand(folder, {
    args: ['certify', url, '--secret-file', 'secret.txt', '--address', ADDRESS, '--json', ...args],
    env: {},
  }).ended;
const brokenOf = (stdout: string): string[] =>
  linesOf<Line>(stdout)
    .filter(({ ok }) => !ok)
    .map(({ name }) => name);

describe('the example deposit service', () => {
  let postgres: PostgresHandle;
  let ledger: Ledger;
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    // Of its own: both have a table of transactions.
    const url = new URL(postgres.url);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query('CREATE DATABASE deposit_service');
    await client.end();
    url.pathname = '/deposit_service';
    ledger = await Ledger.open(url.href);
    await ledger.addCustomer('ada', ADDRESS);
    const chainwatch = createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'unused' });
    const app = createApp({ chainwatch, ledger, secret: SECRET, log: () => undefined });
    server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 120_000);
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await ledger.close();
    await postgres.stop();
  });

  it('passes everything, with its book', async () => {
    const command = `curl -s ${origin}/customers/ada | node -pe 'JSON.parse(require("fs").readFileSync(0)).balances["eip155:1/slip44:60"] ?? 0'`;
    const { code, stdout, stderr } = await certify(
      `${origin}/webhooks/chainwatch`,
      ...['--balance-cmd', command],
    );
    expect(linesOf<Line>(stdout).filter(({ ok }) => !ok)).toEqual([]);
    expect([code, stderr, linesOf(stdout).length]).toEqual([0, '', 12]);
  }, 300_000);
});

it('a receiver as it is written in an afternoon fails in the ways that the page names', async () => {
  const [naive, other] = [await startNaiveReceiver(), await startNaiveReceiver()];
  const right = ['confirmed', 'late', 'rotation', 'burst'];
  const answers = ['forged', 'replayed', 'unknown-type'];
  const [whole, blind] = await Promise.all([
    certify(naive.url, '--balance-cmd', naive.balanceCommand, '--burst', '50'),
    certify(other.url, '--burst', '50'),
  ]);
  await naive.close();
  await other.close();
  expect([whole.code, brokenOf(whole.stdout)]).toEqual([
    4,
    linesOf<Line>(whole.stdout)
      .map(({ name }) => name)
      .filter((name) => !right.includes(name)),
  ]);
  expect([blind.code, brokenOf(blind.stdout)]).toEqual([4, answers]);
  expect(blind.stderr).toContain('--balance-cmd');
}, 300_000);

it('a receiver that does not answer, or with an error, or a book that is wrong later, is not right', async () => {
  let balance = 0;
  const server = createServer((req, res) => {
    if (req.url === '/book') return res.end(`${balance}`);
    if (req.url === '/dead') return res.destroy();
    // Credited once more, after the answer.
    if (req.url === '/later')
      setTimeout(() => {
        balance += 2;
      }, 300);
    return res.writeHead(req.url === '/later' ? 200 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const only = ['--only', 'confirmed'];
  const faultsAt = async (path: string, ...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout } = await certify(`${origin}${path}`, ...only, ...args);
    expect(code).toBe(4);
    return linesOf<Line>(stdout)[0]!.faults;
  };
  expect(await faultsAt('/dead')).toEqual([expect.stringContaining('socket hang up')]);
  expect(await faultsAt('/broken')).toEqual([expect.stringContaining('got 500')]);
  expect(await faultsAt('/later', '--balance-cmd', `curl -s ${origin}/book`)).toEqual([
    'expected a balance of 1.000000000000000001, got 2',
  ]);
  server.close();
}, 120_000);

it('sends nothing to another machine, and nothing where the book cannot be read', async () => {
  for (const [name, ...args] of [
    ['url', 'http://192.0.2.1/hook'],
    ['--balance-cmd', 'http://127.0.0.1:1', '--balance-cmd', 'echo much'],
    ['--balance-cmd', 'http://127.0.0.1:1', '--balance-cmd', 'false'],
  ] as const) {
    const [url, ...more] = args;
    const { code, stdout, stderr } = await certify(url, ...more);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { fields: [{ name }] } });
  }
}, 120_000);
