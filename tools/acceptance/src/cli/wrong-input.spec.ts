// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@chainwatch/testing';
import { createProgram } from '../../../../apps/cli/src/run-cli.ts';
import { readConfig } from '../../../../apps/cli/src/config.ts';
import { startCommand, startCommandHost } from './run-command.ts';

/**
 * Every command with every kind of wrong input, against an API that counts its requests: the first of each command in a
 * process of its own, as people run it, the others in one process.
 */
interface Row {
  /** Arguments that are right, after the words of the command. */
  readonly right: readonly string[];
  /** Arguments that are wrong, and what the error names. */
  readonly wrong?: readonly (readonly [name: string, ...args: string[]])[];
  readonly input?: string;
  /** It asks nobody. */
  readonly isOffline?: boolean;
  /** What it looks at is wrong: results, not an error. */
  readonly isReport?: boolean;
}

const ID = '6f1d1f4e-0000-4000-8000-000000000001';
const KEY = 'svc_api_0123456789ABCDEFGHIJKLMN2YbPlI';
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const badCount = ['', '-1', '1.5', '1e3', 'x', '9'.repeat(16)];
const badUrl = ['', 'notaurl', 'ftp://a', 'http://', 'http://a b'];
const badId = ['', 'x', `${ID}0`];
const badTime = ['', 'soon', '5', '2026-02-30', '999999d', '1h1h'];
const badChain = ['', 'ethereum', 'eip155:', 'eip155:1/x'];
const badAsset = ['', 'eth', 'eip155:1', 'x/slip44:60', 'eip155:1/erc20'];
const ASSET = 'eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7';

/** Commands that one table makes (apps/cli/src/resource.ts): the same code reads every answer. */
const TABLE = /^(channels|transactions|public-keys|tokens|assets|policies|projects|members|audit) /;
const isOfTable = (words: string): boolean => TABLE.test(words);

/** One option or argument with each of the values. */
function each(name: string, values: readonly string[], ...before: readonly string[]): Row['wrong'] & {} {
  const flag = name.startsWith('--') ? [name] : [];
  return values.map((value) => [name, ...before, ...flag, value] as const);
}

const ROWS: Readonly<Record<string, Row>> = {
  login: {
    right: ['--url', 'API'],
    input: KEY,
    wrong: [
      ...each('--url', [...badUrl, 'http://127.0.0.1:1']),
      ['stdin', '--url', 'API', '<', ''],
      ['stdin', '--url', 'API', '<', '\n'],
      ['stdin', '--url', 'API', '<', 'schlüssel'],
      ['stdin', '--management', '--url', 'API', '<', ''],
    ],
  },
  listen: {
    right: ['--forward-to', 'http://127.0.0.1:1'],
    wrong: [
      ...each('--forward-to', badUrl),
      ...each('--types', ['', ',', 'transaction.foo'], '--forward-to', 'http://a'),
      ...each('--replay', badCount, '--forward-to', 'http://a'),
    ],
  },
  trigger: {
    right: ['transaction.detected', '--channel', ID],
    wrong: [
      ...each('type', ['', 'transaction.foo', 'foo', 'transaction.failed', 'channel.failed']),
      ...each('--channel', badId, 'transaction.detected'),
      ...each(
        '--set',
        ['', 'amount', 'amount=', 'amount=0', 'amount=-1', 'from=x', 'color=red'],
        'transaction.detected',
      ),
      ...each('--chain', ['', 'x'], 'transaction.detected', '--channel', ID),
      ...each('--to', ['', 'x'], 'transaction.detected', '--channel', ID),
    ],
  },
  verify: {
    right: ['body.json', '--signature', 't=1,v1=00', '--secret-file', 'secret.txt'],
    isOffline: true,
    isReport: true,
    wrong: [
      ...each('body', ['missing.json', '.', 'empty.txt'], '--signature', 'x', '--secret-file', 'secret.txt'),
      ...each('--signature', [''], 'body.json', '--secret-file', 'secret.txt'),
      ...each('--secret-file', ['', 'missing.txt', 'empty.txt', '.'], 'body.json', '--signature', 'x'),
      ['--secret-file', '--signature', 'x'],
      ['body', '--signature', 'x', '--secret-file', 'secret.txt', '<', ''],
      ['stdin', 'body.json', '--signature', 'x', '<', ''],
    ],
  },
  certify: {
    right: ['http://127.0.0.1:1', '--secret-file', 'secret.txt', '--only', 'confirmed'],
    isOffline: true,
    isReport: true,
    wrong: [
      ...each('url', [...badUrl, 'http://192.0.2.1/hook'], '--secret-file', 'secret.txt'),
      ...each('--secret-file', ['', 'missing.txt', 'empty.txt', '.'], 'http://127.0.0.1:1'),
      ['--secret-file', 'http://127.0.0.1:1'],
      ...each('--balance-cmd', ['', 'false', 'echo x'], 'http://127.0.0.1:1', '--secret-file', 'secret.txt'),
      ...each('--address', [''], 'http://127.0.0.1:1', '--secret-file', 'secret.txt'),
      ...each('--asset', ['', 'eth', 'eip155:1'], 'http://127.0.0.1:1', '--secret-file', 'secret.txt'),
      ...each('--only', ['', 'nothing'], 'http://127.0.0.1:1', '--secret-file', 'secret.txt'),
      ...each('--burst', [...badCount, '0', '100001'], 'http://127.0.0.1:1', '--secret-file', 'secret.txt'),
    ],
  },
  'events tail': {
    right: [],
    wrong: [
      ...each('--after', badCount),
      ...each('--types', ['', 'transaction.foo', 'transaction.detected,x']),
    ],
  },
  'events get': { right: [ID], wrong: each('event_id', badId) },
  'events resend': { right: [ID], wrong: [...each('event_id', badId), ...each('--channel', badId, ID)] },
  'deliveries list': {
    right: [ID],
    wrong: [
      ...each('channel_id', badId),
      ...each('--statuses', ['', 'lost'], ID),
      ...each('--since', badTime, ID),
      ...each('--limit', [...badCount, '0', '100001'], ID),
    ],
  },
  'deliveries recover': {
    right: [ID, '--since', '1h'],
    wrong: [
      ...each('channel_id', badId, '--since', '1h'),
      ...each('--since', badTime, ID),
      ...each('--until', [...badTime, '2h'], ID, '--since', '1h'),
    ],
  },
  'addresses import': {
    right: ['addresses.csv', '--family', 'evm'],
    wrong: [
      ...each('--family', ['', 'doge'], 'addresses.csv'),
      ...each('file', ['', 'missing.csv', '.'], '--family', 'evm'),
      ...each('file', ['broken.csv', 'empty.txt', 'nameless.csv'], '--family', 'evm'),
      ['half.csv.progress', 'half.csv', '--family', 'evm', '--resume'],
    ],
  },
  'addresses check': {
    right: ['addresses.csv', '--family', 'evm'],
    wrong: [
      ...each('--family', ['', 'doge'], 'addresses.csv'),
      ...each('file', ['', 'missing.csv', '.', 'broken.csv', 'empty.txt', 'nameless.csv']),
    ],
  },
  'addresses export': {
    right: [],
    wrong: [...each('--groups', ['', ',']), ...each('--families', ['', 'evm,doge'])],
  },
  'addresses watch': {
    right: [ADDRESS, '--family', 'evm', '--label', 'x', '--groups', 'a', '--chains', 'eip155:1'],
    wrong: [
      ...each('address', ['', ' '], '--family', 'evm'),
      ...each('--family', ['', 'doge'], ADDRESS),
      ...each('--groups', [''], ADDRESS, '--family', 'evm'),
      ...each('--chains', ['', ','], ADDRESS, '--family', 'evm'),
    ],
  },
  balances: { right: [ADDRESS], wrong: each('address', ['']) },
  reconcile: {
    right: [
      'addresses.csv',
      '--from',
      '2026-10-01',
      '--to',
      '2026-11-01T00:00:00Z',
      '--out',
      'differences.csv',
    ],
    wrong: [
      ...each('file', ['', 'missing.csv', '.']),
      ...each('--from', badTime, 'addresses.csv'),
      ...each('--to', badTime, 'addresses.csv'),
      ...each('--format', ['', 'xlsx'], 'addresses.csv'),
      ...each('--scope', ['', 'all'], 'addresses.csv'),
      ...each('--name', [''], 'addresses.csv'),
      ...each('--out', ['', '.', 'missing/differences.csv'], 'addresses.csv'),
    ],
  },
  'chains status': { right: [] },
  'chains activate': {
    right: ['eip155:1'],
    wrong: [...each('chain_gid', badChain), ...each('--from-block', badCount, 'eip155:1')],
  },
  'chains set-node': {
    right: ['eip155:1'],
    input: 'http://127.0.0.1:1',
    wrong: [
      ...each('chain_gid', badChain),
      ['stdin', 'eip155:1', '<', ''],
      ['stdin', 'eip155:1', '<', 'notaurl'],
    ],
  },
  'chains set-unproved': {
    right: ['eip155:1', 'hold'],
    wrong: [
      ...each('chain_gid', badChain).map((row) => [...row, 'hold'] as const),
      ...each('choice', ['', 'sometimes'], 'eip155:1'),
    ],
  },
  'channels list': {
    right: ['--kind', 'webhook', '--archived', '--sort', '-name'],
    wrong: [
      ...each('--kind', ['', 'fax']),
      ...each('--search', ['']),
      ...each('--sort', ['', 'colour']),
      ...each('--limit', [...badCount, '0', '100001']),
    ],
  },
  'channels get': { right: [ID], wrong: each('channel_id', badId) },
  'channels create': {
    right: ['webhook', '--name', 'x', '--data', 'channel.json'],
    wrong: [
      ...each('kind', ['', 'fax']).map((row) => [...row, '--name', 'x'] as const),
      ['--name', 'webhook'],
      ...each('--name', [''], 'webhook'),
      ...each('--types', ['', 'transaction.foo'], 'webhook', '--name', 'x'),
      ...each('--data', ['', 'missing.json', '.', 'empty.txt', 'list.json'], 'webhook', '--name', 'x'),
      ['--data', 'webhook', '--name', 'x'],
      ['--data', 'telegram', '--name', 'x', '--data', 'channel.json'],
    ],
  },
  'channels update': {
    right: [ID, '--types', 'transaction.confirmed'],
    wrong: [
      ...each('channel_id', badId).map((row) => [...row, '--name', 'x'] as const),
      ['--data', ID],
      ...each('--name', [''], ID),
      ...each('--types', ['transaction.foo'], ID),
      ...each('--data', ['missing.json', 'list.json'], ID),
    ],
  },
  'channels archive': { right: [ID], wrong: each('channel_id', badId) },
  'channels restore': {
    right: [ID, '--held', 'discard'],
    wrong: [...each('channel_id', badId), ...each('--held', ['', 'keep'], ID)],
  },
  'channels delete': { right: [ID], wrong: each('channel_id', badId) },
  'channels test': {
    right: [ID, '--type', 'transaction.confirmed'],
    wrong: [...each('channel_id', badId), ...each('--type', ['', 'transaction.foo'], ID)],
  },
  'channels rehearse': {
    right: [ID, 'duplicate'],
    wrong: [
      ...each('channel_id', badId).map((row) => [...row, 'duplicate'] as const),
      ...each('scenario', ['', 'storm'], ID),
    ],
  },
  'channels preview': {
    right: ['--since', '1d', '--kind', 'slack', '--types', 'transaction.confirmed'],
    wrong: [
      ['--since'],
      ...each('--since', badTime),
      ...each('--until', [...badTime, '2d'], '--since', '1d'),
      ...each('--kind', ['fax'], '--since', '1d'),
      ...each('--types', ['transaction.foo'], '--since', '1d'),
      ...each('--data', ['missing.json', 'list.json'], '--since', '1d'),
    ],
  },
  'channels secrets': { right: [ID], wrong: each('channel_id', badId) },
  'channels rotate-secret': { right: [ID], wrong: each('channel_id', badId) },
  'channels end-rotation': { right: [ID], wrong: each('channel_id', badId) },
  'transactions list': {
    right: [
      ...['--chains', 'eip155:1', '--addresses', ADDRESS, '--assets', ASSET, '--public-key', ID],
      ...['--statuses', 'confirmed,reorged', '--direction', 'in', '--from-block', '1', '--to-block', '2'],
      ...[
        '--since',
        '2d',
        '--until',
        '1d',
        '--min-amount',
        '0.5',
        '--memo-prefix',
        'order',
        '--sort',
        '-block_number',
      ],
    ],
    wrong: [
      ...each('--chains', [...badChain, ',']),
      ...each('--addresses', ['', ',']),
      ...each('--assets', ['', 'eip155:1', 'eth', 'x/slip44:60']),
      ...each('--hash', ['']),
      ...each('--memo', ['']),
      ...each('--memo-prefix', ['']),
      ...each('--public-key', badId),
      ...each('--statuses', ['', 'lost']),
      ...each('--direction', ['', 'up']),
      ...each('--from-block', badCount),
      ...each('--to-block', [...badCount, '1'], '--from-block', '2'),
      ...each('--since', badTime),
      ...each('--until', [...badTime, '2d'], '--since', '1d'),
      ...each('--min-amount', ['', '-1', '1e3', '.5', '01']),
      ...each('--sort', ['', 'amount']),
      ...each('--limit', [...badCount, '0']),
    ],
  },
  'transactions get': {
    right: [ID],
    wrong: [...each('transaction', [...badId, '0xabc']), ...each('--chain', badChain, '0xabc')],
  },
  'transactions proof': {
    right: ['0xabc', '--chain', 'eip155:1'],
    wrong: [...each('transaction', [...badId, '0xabc']), ...each('--chain', badChain, '0xabc')],
  },
  'public-keys list': {
    right: ['--chains', 'eip155:1'],
    wrong: [
      ...each('--chains', badChain),
      ...each('--search', ['']),
      ...each('--sort', ['', 'path']),
      ...each('--limit', ['0']),
    ],
  },
  'public-keys get': { right: [ID], wrong: each('public_key_id', badId) },
  'public-keys create': {
    right: ['xpub', '--path', "m/84'/0'/0'", '--gap-limit', '20'],
    wrong: [
      ...each('xpub', [''], '--path', 'm'),
      ['--path', 'xpub'],
      ...each('--label', [''], 'xpub', '--path', 'm'),
      ...each('--path', [''], 'xpub'),
      ...each('--chain', badChain, 'xpub', '--path', 'm'),
      ...each('--gap-limit', [...badCount, '0', '1001'], 'xpub', '--path', 'm'),
    ],
  },
  'public-keys update': {
    right: [ID, '--label', 'x'],
    wrong: [...each('public_key_id', badId).map((row) => [...row, '--label', 'x'] as const), ['--label', ID]],
  },
  'public-keys delete': { right: [ID, '--cascade'], wrong: each('public_key_id', badId) },
  'public-keys addresses': {
    right: [ID, '--used', '--change', '0'],
    wrong: [
      ...each('public_key_id', badId),
      ...each('--families', ['', 'doge'], ID),
      ...each('--groups', [','], ID),
      ...each('--search', [''], ID),
      ...each('--limit', ['0'], ID),
      ...each('--change', [...badCount, '2'], ID),
    ],
  },
  'public-keys derive': {
    right: [ID, '--from', '0', '--to', '9'],
    wrong: [
      ...each('public_key_id', badId),
      ...each('--indexes', ['', '1,x', '2147483648'], ID),
      ...each('--change', ['2'], ID),
      ['--indexes', ID, '--indexes', '1', '--from', '0', '--to', '1'],
      ['--to', ID, '--from', '1'],
      ['--from', ID, '--to', '1'],
      ['--to', ID, '--from', '2', '--to', '1'],
    ],
  },
  'public-keys next': {
    right: [ID],
    wrong: [...each('public_key_id', badId), ...each('--change', ['2'], ID)],
  },
  'tokens list': {
    right: ['--chains', 'eip155:1', '--type', 'fungible'],
    wrong: [
      ...each('--chains', badChain),
      ...each('--namespaces', ['', ',']),
      ...each('--type', ['', 'coin']),
      ...each('--search', ['']),
      ...each('--sort', ['', 'price']),
      ...each('--limit', ['0']),
    ],
  },
  'tokens get': { right: [ASSET], wrong: each('asset_gid', badAsset) },
  'tokens create': { right: [ASSET], wrong: each('asset_gid', badAsset) },
  'tokens refresh': { right: [ASSET], wrong: each('asset_gid', badAsset) },
  'assets list': {
    right: ['--archived'],
    wrong: [
      ...each('--statuses', ['', 'lost']),
      ...each('--chains', badChain),
      ...each('--namespaces', [',']),
      ...each('--limit', ['0']),
    ],
  },
  'assets archive': { right: [ASSET], wrong: each('asset_gid', badAsset) },
  'assets restore': { right: [ASSET], wrong: each('asset_gid', badAsset) },
  'policies list': {
    right: ['--chains', 'eip155:1'],
    wrong: [...each('--chains', badChain), ...each('--limit', ['0'])],
  },
  'policies get': { right: ['eip155:1'], wrong: each('chain_gid', badChain) },
  'policies set': {
    right: ['eip155:1', '--depth', '20'],
    wrong: [
      ...each('chain_gid', badChain).map((row) => [...row, '--finalized'] as const),
      ['--depth', 'eip155:1'],
      ['--depth', 'eip155:1', '--depth', '20', '--finalized'],
      ['--unsafe', 'eip155:1', '--finalized', '--unsafe'],
      ...each('--depth', [...badCount, '0', '10001'], 'eip155:1'),
    ],
  },
  'policies delete': { right: ['eip155:1'], wrong: each('chain_gid', badChain) },
  'projects list': { right: [], wrong: [...each('--search', ['']), ...each('--limit', badCount)] },
  'projects get': { right: [ID], wrong: each('project_id', badId) },
  'projects create': { right: ['Shop'], wrong: each('name', ['', ' ']) },
  'projects rename': {
    right: [ID, 'Shop'],
    wrong: [...each('project_id', badId).map((row) => [...row, 'x'] as const), ...each('name', [''], ID)],
  },
  'projects delete': { right: [ID, '--cascade'], wrong: each('project_id', badId) },
  'members list': {
    right: ['--roles', 'owner'],
    wrong: [...each('--roles', ['', 'king']), ...each('--search', ['']), ...each('--limit', ['0'])],
  },
  'members create': {
    right: ['ada@example.com', '--role', 'viewer'],
    wrong: [
      ...each('email', ['', 'ada', 'a b@c']).map((row) => [...row, '--role', 'viewer'] as const),
      ['--role', 'ada@example.com'],
      ...each('--role', ['', 'king'], 'ada@example.com'),
    ],
  },
  'members update': {
    right: [ID, '--role', 'admin'],
    wrong: [
      ...each('member_id', badId).map((row) => [...row, '--role', 'admin'] as const),
      ['--role', ID],
      ...each('--email', ['', 'ada'], ID),
    ],
  },
  'members delete': { right: [ID], wrong: each('member_id', badId) },
  'audit list': {
    right: ['--since', '7d', '--until', '1d', '--target-types', 'key', '--targets', ID],
    wrong: [
      ...each('--actions', ['', ',']),
      ...each('--target-types', ['', ',']),
      ...each('--request-id', ['']),
      ...each('--search', ['']),
      ...each('--limit', ['0']),
      ...each('--targets', badId),
      ...each('--keys', badId),
      ...each('--since', badTime),
      ...each('--until', [...badTime, '2d'], '--since', '1d'),
    ],
  },
  'incidents list': { right: ['eip155:1'], wrong: each('chain_gid', badChain) },
  'incidents accept': {
    right: ['eip155:1', ID],
    wrong: [
      ...each('chain_gid', badChain).map((row) => [...row, ID] as const),
      ...each('incident_id', badId, 'eip155:1'),
    ],
  },
  'statement create': {
    right: ['--group', 'a', '--from', '2d', '--to', '1d'],
    wrong: [
      ...each('--addresses', ['', ','], '--from', '2d', '--to', '1d'),
      ['--addresses', '--from', '2d', '--to', '1d'],
      ['--addresses', '--from', '2d', '--to', '1d', '--group', 'a', '--public-key', ID],
      ...each('--group', [''], '--from', '2d', '--to', '1d'),
      ...each('--public-key', badId, '--from', '2d', '--to', '1d'),
      ...each('--chains', ['', ','], '--group', 'a', '--from', '2d', '--to', '1d'),
      ...each('--from', badTime, '--group', 'a', '--to', '1d'),
      ...each('--to', [...badTime, '3d'], '--group', 'a', '--from', '2d'),
      ...each('--format', ['', 'pdf'], '--group', 'a', '--from', '2d', '--to', '1d'),
    ],
  },
  'statement get': { right: [ID], wrong: each('statement_id', badId) },
  'statement download': {
    right: [ID],
    wrong: [...each('statement_id', badId), ...each('--output', [''], ID)],
  },
  'statement verify': {
    right: ['body.json', '--keys', 'statement-keys.json'],
    isOffline: true,
    isReport: true,
    wrong: [
      ...each('file', ['', 'missing.json', '.'], '--keys', 'statement-keys.json'),
      ...each('--keys', ['', 'missing.json', 'empty.txt', 'body.json', 'http://127.0.0.1:1'], 'body.json'),
      ...each(
        '--signature-file',
        ['', 'missing.json', 'body.json'],
        'body.json',
        '--keys',
        'statement-keys.json',
      ),
    ],
  },
  'keys list': { right: [] },
  'keys create': {
    right: ['backend', '--type', 'api', '--project', ID, '--permissions', 'api:address:read'],
    wrong: [
      ...each('--type', ['', 'root'], 'a', '--permissions', 'b'),
      ...each('--permissions', ['', ','], 'a', '--type', 'mgt'),
      ...each('--project', badId, 'a', '--type', 'api', '--permissions', 'b'),
      ...each('--expires', [...badTime, '2020-01-01'], 'a', '--type', 'api', '--permissions', 'b'),
      ...each('name', [''], '--type', 'mgt', '--permissions', 'b'),
    ],
  },
  'keys roll': {
    right: [ID],
    wrong: [...each('key_id', badId), ...each('--grace', [...badCount, '2592001'], ID)],
  },
  'keys revoke': { right: [ID], wrong: each('key_id', badId) },
  'nats account': {
    right: [ID],
    isOffline: true,
    wrong: [...each('project_id', badId), ...each('--directory', [''], ID)],
  },
  doctor: { right: [], isReport: true, wrong: [...each('--channel', badId), ...each('--health', badUrl)] },
  'bench-node': {
    right: ['http://127.0.0.1:1', '--chain', 'eip155:1'],
    isOffline: true,
    isReport: true,
    wrong: [
      ...each('url', badUrl, '--chain', 'eip155:1'),
      ...each('--chain', ['', 'nonsense', 'eip155:4242424242'], 'http://127.0.0.1:1'),
      ...each('--calls', [...badCount, '0', '10001'], 'http://127.0.0.1:1', '--chain', 'eip155:1'),
      ...each('--block', badCount, 'http://127.0.0.1:1', '--chain', 'eip155:1'),
      ['stdin', '--chain', 'eip155:1', '<', ''],
    ],
  },
  'networks list': { right: [] },
  'networks set': {
    right: ['network.yaml'],
    wrong: each('file', ['', 'missing.yaml', '.', 'broken.csv', 'empty.txt', 'addresses.csv']),
  },
  'networks delete': { right: ['eip155:1'], wrong: each('chain_gid', badChain) },
  'networks probe': {
    right: ['http://127.0.0.1:1'],
    isOffline: true,
    isReport: true,
    wrong: [
      ...each('url', [...badUrl, 'ws://127.0.0.1:1']),
      ...each('--family', ['', 'nonsense', 'bitcoin'], 'http://127.0.0.1:1'),
      ...each('--write', ['', 'addresses.csv'], 'http://127.0.0.1:1'),
      ['stdin', '<', ''],
    ],
  },
  completion: { right: ['bash'], isOffline: true, wrong: each('shell', ['', 'tcsh']) },
};

const program = createProgram({
  config: readConfig({}, false),
  signal: new AbortController().signal,
  isJson: false,
});
const leaves = program.commands.flatMap((command) =>
  command.commands.length === 0
    ? [{ words: command.name(), command }]
    : command.commands.map((child) => ({ words: `${command.name()} ${child.name()}`, command: child })),
);

interface ErrorLine {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly exit_code: number;
    readonly status?: number;
    readonly fields: readonly { readonly name: string; readonly reason: string }[];
  };
}

let folder: string;
let server: Server;
let host: ReturnType<typeof startCommandHost>;
let apiUrl: string;
/** Of the API. */
let answer: { readonly status: number; readonly body?: object } = { status: 500 };
const requests: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cli-wrong-'));
  server = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`);
    req.resume().on('end', () => {
      res.writeHead(answer.status, {
        'content-type': 'application/problem+json',
        'x-request-id': 'r1',
        // A 409 with it is retried, as a request of the same key that still runs.
        ...(answer.status !== 409 && { 'retry-after': '0' }),
      });
      res.end(JSON.stringify(answer.body ?? problem(answer.status)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  for (const [name, text] of Object.entries({
    'body.json': '{"event_id":"e","type":"transaction.detected"}',
    'secret.txt': 'whsec',
    'statement-keys.json': '{"keys":[]}',
    'empty.txt': '',
    'channel.json': '{"url":"https://shop.example/hook"}',
    'list.json': '[]',
    'network.yaml': 'gid: eip155:5042\nfamily: evm\n',
    'addresses.csv': `address\n${ADDRESS}\n`,
    'broken.csv': 'address\n"x\n',
    'nameless.csv': 'name\nx\n',
    'half.csv': `address\n${ADDRESS}\n`,
    'half.csv.progress': '{',
  }))
    writeFileSync(join(folder, name), text);
  host = startCommandHost(folder);
  // The bundle is made once, not by each of those that begin together.
  await run(['--version']);
}, 120_000);
afterAll(async () => {
  host.stop();
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function problem(status: number): object {
  return { type: `https://docs.example.com/problems/kind-${status}`, title: 'Title', status, detail: 'Why.' };
}

async function run(
  args: readonly string[],
  {
    input = '',
    env = {},
    isHosted = false,
  }: { input?: string; env?: Record<string, string>; isHosted?: boolean } = {},
) {
  const at = args.indexOf('<');
  const own = (at === -1 ? args : args.slice(0, at)).map((one) => (one === 'API' ? apiUrl : one));
  const call = {
    args: own,
    input: at === -1 ? input : (args[at + 1] ?? ''),
    env: { CHAINWATCH_API_URL: apiUrl, CHAINWATCH_API_KEY: KEY, CHAINWATCH_MANAGEMENT_KEY: KEY, ...env },
  };
  if (isHosted) return host.call({ ...call, env: { ...call.env, XDG_CONFIG_HOME: folder } });
  const started = startCommand(folder, call);
  const timer = setTimeout(() => started.child.kill('SIGKILL'), 240_000);
  const ended = await started.ended;
  clearTimeout(timer);
  return ended;
}

/** Two cores: few at once, more where they wait for nothing but time. */
async function runAll<T>(rows: readonly T[], work: (row: T) => Promise<void>, atOnce = 4): Promise<void> {
  const left = [...rows];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) await work(row);
    }),
  );
}

/** The last line, after what is said beside the results. */
const errorOf = (stderr: string): ErrorLine['error'] =>
  (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as ErrorLine).error;

it('has a row for each command, and a wrong value for each option that has one', () => {
  expect(Object.keys(ROWS).sort()).toEqual(leaves.map(({ words }) => words).sort());
  const untested = leaves
    .flatMap(({ words, command }) => [
      ...command.options.filter(({ required }) => required).map(({ long }) => `${words} ${long}`),
      ...command.registeredArguments.map((argument) => `${words} ${argument.name()}`),
    ])
    .filter((one) => {
      const name = one.split(' ').at(-1)!;
      return !ROWS[one.slice(0, -name.length - 1)]!.wrong?.some(([named]) => named === name);
    });
  // Any text is a label.
  expect(untested).toEqual(['addresses watch --label']);
});

it('names what is wrong and exits with 2 before any request', async () => {
  const rows = leaves.flatMap(({ words, command }) => {
    const row = ROWS[words]!;
    const missing = command.options
      .filter(({ required }) => required)
      .map(({ long }) => [long!, ...row.right, long!]);
    const [argument] = command.registeredArguments.filter(({ required }) => required);
    const wrong: readonly (readonly string[])[] = [
      ...(row.wrong ?? []),
      ...missing,
      ['--bogus', ...row.right, '--bogus'],
      ...(argument?.required
        ? [
            [
              argument.name(),
              ...[...command.options]
                .filter(({ mandatory }) => mandatory)
                .flatMap(({ long }) =>
                  row.right.slice(row.right.indexOf(long!), row.right.indexOf(long!) + 2),
                ),
            ],
          ]
        : []),
      ...command.options
        .filter(({ mandatory }) => mandatory)
        .map(({ long }) => [
          long!,
          ...row.right.filter((_, index) => row.right[index] !== long && row.right[index - 1] !== long),
        ]),
      ...(command.registeredArguments.at(-1)?.variadic ? [] : [['', ...row.right, 'x', 'y']]),
    ];
    return wrong.map(([name, ...args], index) => ({
      name: name!,
      args: [...words.split(' '), ...args],
      isHosted: index > 0,
    }));
  });
  answer = { status: 500 };
  requests.length = 0;
  const faults: unknown[] = [];
  await runAll<{ name: string; args: readonly string[]; isHosted?: boolean }>(
    [
      ...rows,
      { name: '', args: [] },
      { name: 'nonsense', args: ['nonsense'] },
      { name: '', args: ['events'] },
      { name: 'nonsense', args: ['events', 'nonsense'] },
      { name: '--profile', args: ['chains', 'status', '--profile', ''] },
    ],
    async ({ name, args, isHosted }) => {
      const at = args.indexOf('<');
      const json = at === -1 ? [...args, '--json'] : [...args.slice(0, at), '--json', ...args.slice(at)];
      // A missing value takes what follows.
      const { code, stdout, stderr } = await run(args.at(-1) === name ? ['--json', ...args] : json, {
        isHosted,
      });
      try {
        const error = errorOf(stderr);
        const named = error.fields.map((field) => field.name);
        if (
          code === 2 &&
          stdout === '' &&
          error.exit_code === 2 &&
          error.code === 'invalid-argument' &&
          (name === '' || named.some((one) => one.endsWith(name)))
        )
          return;
      } catch {
        // Reported below.
      }
      faults.push([args.join(' '), name, code, stdout, stderr]);
    },
  );
  expect(faults).toEqual([]);
  expect(requests).toEqual([]);
  expect(rows.length).toBeGreaterThan(250);
}, 600_000);

it.each([400, 401, 403, 404, 409, 422, 429, 503])(
  'reports an answer of %d once, with its code',
  async (status) => {
    const fields = [{ name: 'limit', reason: 'expected b, got c' }];
    answer =
      status === 400
        ? { status, body: { ...problem(400), detail: 'limit: expected b, got c', fields } }
        : { status };
    const faults: unknown[] = [];
    await runAll(
      Object.entries(ROWS).filter(
        ([words, { isOffline, isReport }]) =>
          !isOffline && !isReport && (status === 400 || !isOfTable(words)),
      ),
      async ([words, { right, input }]) => {
        const args = [...words.split(' '), ...right];
        const isStream = words === 'listen' || words === 'events tail';
        // A stream comes again after what passes by.
        if (isStream && (status === 429 || status === 503)) return;
        const { code, stdout, stderr } = await run([...args, '--json'], { input });
        const error = errorOf(stderr);
        const isRight =
          code === (status === 401 ? 3 : 1) &&
          error.status === status &&
          error.code === `kind-${status}` &&
          error.exit_code === code;
        const isSaidOnce = error.message.split('expected b').length <= 2;
        const isFieldNamed = status !== 400 || error.fields[0]?.name === 'limit';
        if (
          !isRight ||
          !isSaidOnce ||
          !isFieldNamed ||
          /\n\s+at /.test(stderr) ||
          (stdout !== '' && words !== 'addresses export')
        )
          faults.push([words, code, stdout, stderr]);
      },
      status === 503 ? 24 : 6,
    );
    expect(faults).toEqual([]);
  },
  240_000,
);

it('reports a host that does not answer, and one that is no chainwatch', async () => {
  const faults: unknown[] = [];
  const port = await findFreePort();
  await runAll(
    Object.entries(ROWS).filter(
      ([words, { isOffline, isReport }]) =>
        !isOffline && !isReport && words !== 'listen' && words !== 'events tail',
    ),
    async ([words, { right, input }]) => {
      const args = [...words.split(' '), ...right].map((one) =>
        one === 'API' ? `http://127.0.0.1:${port}/v1` : one,
      );
      const { code, stderr } = await run([...args, '--json'], {
        input,
        env: { CHAINWATCH_API_URL: `http://127.0.0.1:${port}/v1` },
      });
      const error = errorOf(stderr);
      if (code !== 1 || error.code !== 'no-answer' || !error.message.includes('ECONNREFUSED'))
        faults.push([words, code, stderr]);
    },
    24,
  );
  expect(faults).toEqual([]);
}, 240_000);

describe('what a command finds instead of a key, an address or a file', () => {
  const env = { CHAINWATCH_API_KEY: '', CHAINWATCH_MANAGEMENT_KEY: '', CHAINWATCH_API_URL: '' };

  it.each<[string, Record<string, string>, number, string]>([
    ['no key', env, 3, 'not-logged-in'],
    ['a URL that is none', { CHAINWATCH_API_URL: 'notaurl' }, 2, 'CHAINWATCH_API_URL'],
    ['a URL without a version', { CHAINWATCH_API_URL: 'http://127.0.0.1:1' }, 2, 'CHAINWATCH_API_URL'],
    ['a key that is none', { CHAINWATCH_API_KEY: 'schlüssel' }, 2, 'key of the environment'],
    [
      'a file of a key that is missing',
      { CHAINWATCH_API_KEY: '', CHAINWATCH_API_KEY_FILE: 'missing' },
      2,
      'CHAINWATCH_API_KEY_FILE',
    ],
    [
      'a file of a key that is empty',
      { CHAINWATCH_API_KEY: '', CHAINWATCH_API_KEY_FILE: 'empty.txt' },
      2,
      'CHAINWATCH_API_KEY_FILE',
    ],
    [
      'a profile that nobody made',
      { CHAINWATCH_API_KEY: '', CHAINWATCH_PROFILE: 'nobody' },
      3,
      'not-logged-in',
    ],
  ])('%s', async (_name, variables, expected, text) => {
    requests.length = 0;
    const { code, stderr } = await run(['chains', 'status', '--json'], { env: variables });
    expect([code, JSON.stringify(errorOf(stderr))]).toEqual([expected, expect.stringContaining(text)]);
    const prose = await run(['chains', 'status'], { env: variables });
    expect([prose.code, prose.stderr.split('\n').length]).toEqual([expected, 2]);
    expect(requests).toEqual([]);
  });

  it.each([
    ['profiles.json', 'null'],
    ['profiles.json', '{"default":"x"}'],
    ['profiles.json', '{"default":{"api_url":5}}'],
    ['profiles.json', '{'],
    ['stack.json', '{'],
    ['stack.json', 'null'],
    ['stack.json', '{"api_url":"http://127.0.0.1:1/v1"}'],
  ])('%s with %s', async (name, text) => {
    const home = mkdtempSync(join(folder, 'home-'));
    const directory = join(home, name === 'stack.json' ? '.chainwatch' : 'chainwatch');
    mkdirSync(directory);
    writeFileSync(join(directory, name), text);
    const { ended } = startCommand(home, { args: ['chains', 'status', '--json'], env: {} });
    const { code, stderr } = await ended;
    expect([code, errorOf(stderr).message]).toEqual([2, expect.stringContaining(join(directory, name))]);
  });
});
