// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@chainwatch/data/db';
import { repoDir } from '@chainwatch/testing/host';
import { createClient, webhooks, type Chainwatch } from '@chainwatch/sdk';
import { findFreePort, waitFor } from '@chainwatch/testing';
import { signPayload } from '@chainwatch/webhook-signature';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { startApiStack, type ApiStack } from '../start-api-stack.ts';
import type { Services } from '../services.ts';
import { COMMAND, linesOf, startCommand, startHook, type Run } from './run-command.ts';

/** The command as people run it, a process of its own, against the services. */
let stack: ApiStack;
let db: Database;
let services: Services;
let apiUrl: string;
let project: Bootstrap;
/** Of the first workspace, which acts for the installation. */
let operator: Bootstrap;
let client: Chainwatch;
/** The working folder and the home of the person. */
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  stack = await startApiStack({
    RATE_LIMIT_API: '1000000',
    RATE_LIMIT_MANAGEMENT: '1000000',
    WEBHOOK_RETRY_SCHEDULE: '0,1h',
  });
  ({ apiUrl, db, services } = stack);
  operator = await bootstrap(db, { label: 'svc' });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  project = await bootstrap(db, { label: 'svc' });
  client = createClient({ baseUrl: apiUrl, apiKey: project.keys.api });
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** With the project's keys in the environment unless others are given. */
function start(args: readonly string[], env: Record<string, string> = {}, input = ''): Run {
  const keys = { CHAINWATCH_API_KEY: project.keys.api, CHAINWATCH_MANAGEMENT_KEY: project.keys.management };
  const run = startCommand(folder, { args, env: { CHAINWATCH_API_URL: apiUrl, ...keys, ...env }, input });
  children.push(run.child);
  return run;
}
const run = (args: readonly string[], env?: Record<string, string>, input?: string): Run['ended'] =>
  start(args, env, input).ended;

/** What the services logged last. */
const lastLines = (): string => services.output.slice(-20).join('\n');

async function insertEvent(): Promise<string> {
  const eventId = randomUUID();
  const payload = {
    event_id: eventId,
    type: 'transaction.confirmed',
    created_at: '2026-01-01T00:00:00.000Z',
    data: {},
  };
  await db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload) VALUES ($1, $2, 'eip155:31337', 'transaction.confirmed', 1, 'tx.confirmed', $3)`,
    [eventId, project.projectId, JSON.stringify(payload)],
  );
  return eventId;
}

describe('login', () => {
  const env = { CHAINWATCH_API_KEY: '', CHAINWATCH_MANAGEMENT_KEY: '', CHAINWATCH_API_URL: '' };

  it('keeps a key that the API takes where its owner alone reads it, and commands use it', async () => {
    const before = await run(['balances', '0x1'], env);
    expect([before.code, before.stderr]).toEqual([3, expect.stringContaining('chainwatch login')]);
    const done = await run(['login', '--url', apiUrl, '--json'], env, `${project.keys.api}\n`);
    expect([done.code, done.stderr]).toEqual([0, '']);
    const path = join(folder, 'chainwatch', 'profiles.json');
    expect(JSON.parse(done.stdout)).toMatchObject({ profile: 'default', api_url: apiUrl, path });
    expect(done.stdout).not.toContain(project.keys.api);
    expect([statSync(path).mode & 0o777, statSync(join(folder, 'chainwatch')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect((await run(['chains', 'status'], env)).code).toBe(0);
    const other = await run(
      ['login', '--management', '--profile', 'ops', '--url', apiUrl],
      env,
      project.keys.management,
    );
    expect(other.code).toBe(0);
    expect((await run(['keys', 'list', '--profile', 'ops'], env)).code).toBe(0);
  });

  it('keeps no key that is refused', async () => {
    const { code, stderr } = await run(['login', '--url', apiUrl], env, `${project.keys.api.slice(0, -1)}_`);
    expect([code, stderr]).toEqual([3, expect.stringContaining('401 Unauthorized')]);
    expect(existsSync(join(folder, 'chainwatch', 'profiles.json'))).toBe(false);
  });
});

describe('listen', () => {
  it('forwards events and test messages, signed with the secret that it prints, also through a kill of the gateway', async () => {
    const hook = await startHook();
    // It wants none of the events: the notifier sends those that nobody published after a while.
    const wanted = { event_types: ['transaction.detected' as const] };
    const channel = await client.notificationChannels.createWebhook({
      name: 'hook',
      url: hook.url,
      ...wanted,
    });
    const before = await insertEvent();
    const listening = start(['listen', '--forward-to', hook.url, '--replay', '0', '--json']);
    await waitFor(() => hook.deliveries.length === 1, { message: () => listening.seen.stderr });
    const [, secret = ''] = /CHAINWATCH_WEBHOOK_SECRET=(\S+)/.exec(listening.seen.stderr)!;
    await services.kill('api-gateway');
    const meanwhile = await insertEvent();
    await services.restart('api-gateway');
    await services.waitReady('api-gateway');
    await waitFor(() => hook.deliveries.length === 2, { message: () => listening.seen.stderr });
    const triggered = await run(['trigger', 'transaction.detected', '--channel', channel.id]);
    expect(triggered.code).toBe(0);
    // By the channel itself, and by listen.
    await waitFor(() => hook.deliveries.length === 4, {
      message: () => `4 deliveries, got ${hook.deliveries.length}\n${listening.seen.stderr}${lastLines()}`,
    });
    const own: unknown[][] = [];
    for (const { body, headers } of hook.deliveries)
      await webhooks.unwrap(body, headers, secret).then(
        (event) => own.push([event.event_id, event.type, event.is_test_message ?? false]),
        () => undefined,
      );
    expect(own).toEqual([
      [before, 'transaction.confirmed', false],
      [meanwhile, 'transaction.confirmed', false],
      [expect.any(String), 'transaction.detected', true],
    ]);
    listening.child.kill('SIGINT');
    const { code, stdout } = await listening.ended;
    expect(code).toBe(0);
    expect(linesOf<{ status: number }>(stdout).map(({ status }) => status)).toEqual([204, 204, 204]);
    await hook.close();
  });
});

describe('verify', () => {
  const body = '{"event_id":"e","type":"transaction.detected"}';
  const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
  const env = { CHAINWATCH_WEBHOOK_SECRET: `other,${secret}` };
  const sign = (timestamp: number): string => signPayload({ secrets: [secret], timestamp, body });
  const now = Math.floor(Date.now() / 1_000);

  it.each<[string, string[], string, number, string]>([
    ['signed just now', ['--signature', sign(now)], body, 0, '✓ transaction.detected e'],
    ['another body', ['--signature', sign(now)], `${body} `, 4, '✗ signature_mismatch: another channel'],
    ['old', ['--signature', sign(now - 3_600)], body, 4, '✗ timestamp_outside_tolerance'],
    ['old, at any time', ['--signature', sign(now - 3_600), '--any-time'], body, 0, '✓'],
    ['no signature', ['--signature', 'x'], body, 4, '✗ malformed_header'],
  ])('%s', async (_name, args, input, code, text) => {
    const done = await run(['verify', ...args], env, input);
    expect(done).toMatchObject({ code, stdout: expect.stringContaining(text) });
  });

  it('takes the secret from a file, and says so when it has none', async () => {
    writeFileSync(join(folder, 'secret.txt'), `${secret}\n`);
    writeFileSync(join(folder, 'body.json'), body);
    const taken = await run([
      'verify',
      'body.json',
      '--signature',
      sign(now),
      '--secret-file',
      'secret.txt',
      '--json',
    ]);
    expect(JSON.parse(taken.stdout)).toEqual({ ok: true, type: 'transaction.detected', event_id: 'e' });
    expect((await run(['verify', '--signature', sign(now)], {}, body)).code).toBe(2);
  });
});

describe('events and deliveries', () => {
  it('are followed, shown, delivered again', async () => {
    const hook = await startHook();
    const { id } = await client.notificationChannels.createWebhook({
      ...{ name: 'hook', url: hook.url },
      // Not the event, which the notifier sends when nobody published it for a while.
      event_types: ['transaction.detected'],
    });
    const eventId = await insertEvent();
    const tail = start(['events', 'tail', '--after', '0', '--json']);
    await waitFor(() => tail.seen.stdout.includes('\n'), { message: () => tail.seen.stderr });
    tail.child.kill('SIGINT');
    expect((await tail.ended).code).toBe(0);
    expect(linesOf<{ event_id: string; position: number }>(tail.seen.stdout)).toEqual([
      expect.objectContaining({ event_id: eventId, position: 1 }),
    ]);
    const shown = await run(['events', 'get', eventId, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ event_id: eventId });

    await client.notificationChannels.test(id);
    await waitFor(() => hook.deliveries.length === 1, { message: lastLines });
    const readLog = async (): Promise<{ status: string; event_id: string }[]> =>
      linesOf((await run(['deliveries', 'list', id, '--json'])).stdout);
    await waitFor(async () => (await readLog())[0]?.status === 'delivered');
    const [{ event_id: sent } = { event_id: '' }] = await readLog();
    const again = await run(['events', 'resend', sent, '--channel', id]);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(id)]);
    await waitFor(() => hook.deliveries.length === 2);
    expect(hook.deliveries[1]!.body).toBe(hook.deliveries[0]!.body);
    const recovered = await run(['deliveries', 'recover', id, '--since', '1h']);
    expect(recovered.code).toBe(0);
    expect((await run(['events', 'resend', randomUUID()])).code).toBe(1);
    await hook.close();
  });
});

describe('reconcile', () => {
  const own = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
  const header = 'reference,hash,address,asset_gid,amount';
  const window = ['--from', '2026-10-01', '--to', '2026-11-01'];

  it('exits with 0 where all rows match, and nothing is missing', async () => {
    const file = join(folder, 'ledger.csv');
    writeFileSync(file, `${header}\n`);
    const { code, stdout, stderr } = await run(['reconcile', file, ...window]);
    expect([code, stdout, stderr]).toEqual([0, '0 of 0 rows matched\n', '']);
  });

  it('exits with 4 where they differ, and writes the differences', async () => {
    const file = join(folder, 'ledger.csv');
    const out = join(folder, 'differences.csv');
    const row = `=R1,0x${'ab'.repeat(32)},${own},eip155:1/slip44:60,1.5`;
    writeFileSync(file, `${header}\n${`${row}\n`.repeat(2_500)}${row}.5\n`);
    const done = await run(['reconcile', file, ...window, '--out', out, '--json']);
    expect([done.code, done.stderr]).toEqual([4, '']);
    expect(JSON.parse(done.stdout)).toMatchObject({
      ...{ name: 'ledger.csv', status: 'completed', row_count: 2_501 },
      counts: { missing_on_chain: 2_500, invalid: 1, matched: 0 },
    });
    const lines = readFileSync(out, 'utf8').trim().split('\r\n');
    expect([lines.length, lines[1]]).toEqual([2_502, expect.stringContaining(",'=R1,")]);
    const piped = await run(['reconcile', '-', ...window], {}, `${header}\n${row}\n`);
    expect([piped.code, piped.stdout]).toEqual([4, '0 of 1 rows matched\n  missing_on_chain: 1\n']);
  });

  it('says what is wrong with a ledger', async () => {
    const { code, stderr } = await run(['reconcile', '-', ...window], {}, 'hash;address\n');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('line 1: expected commas between the columns'),
    ]);
  });
});

describe('addresses', () => {
  const valueOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;
  const count = async (): Promise<number> => (await client.addresses.list({ limit: 1 })).meta.total;

  it('are imported, through a SIGKILL and --resume too, and exported as import reads them', async () => {
    const file = join(folder, 'addresses.csv');
    const rows = Array.from(
      { length: 5_200 },
      (_, index) => `${valueOf(index + 4_096)},=label ${index},a;b,"{""n"":${index}}"`,
    );
    writeFileSync(file, ['address,label,groups,metadata', ...rows].join('\n'));
    const dry = await run(['addresses', 'import', file, '--family', 'evm', '--dry-run', '--json']);
    expect([JSON.parse(dry.stdout), await count()]).toEqual([{ rows: 5_200, distinct: 5_200 }, 0]);
    const doomed = start(['addresses', 'import', file, '--family', 'evm']);
    await waitFor(() => existsSync(`${file}.progress`), { message: () => doomed.seen.stderr });
    doomed.child.kill('SIGKILL');
    await doomed.ended;
    const resumed = await run(['addresses', 'import', file, '--family', 'evm', '--resume', '--json']);
    expect(resumed.code).toBe(0);
    const { created } = JSON.parse(resumed.stdout) as { created: number };
    expect(created).toBeLessThan(5_200);
    expect([await count(), existsSync(`${file}.progress`)]).toEqual([5_200, false]);
    const exported = await run(['addresses', 'export']);
    expect(exported.stdout.split('\n')[1]).toMatch(/,'=label 0,a;b,"\{""n"":0\}"$/);
    writeFileSync(file, exported.stdout);
    const other = await bootstrap(db, { label: 'svc' });
    const copied = await run(['addresses', 'import', file, '--family', 'evm', '--json'], {
      CHAINWATCH_API_KEY: other.keys.api,
    });
    expect(JSON.parse(copied.stdout)).toEqual({ created: 5_200, exists: 0, invalid: 0, refused: [] });
    const copy = await createClient({ baseUrl: apiUrl, apiKey: other.keys.api }).addresses.get(
      valueOf(4_096),
    );
    expect(copy).toMatchObject({ label: '=label 0', groups: ['a', 'b'], metadata: { n: 0 } });
  });

  it('that are none are listed with their row, the others are imported', async () => {
    writeFileSync(join(folder, 'a.csv'), `address\n${valueOf(7)}\nnonsense\n`);
    const checked = await run(['addresses', 'check', 'a.csv', '--json']);
    expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([
      4,
      { new: 1, exists: 0, invalid: 1, families: { evm: 1 }, rejected: [{ row: 3, address: 'nonsense' }] },
    ]);
    expect(await count()).toBe(0);
    const done = await run(['addresses', 'import', 'a.csv', '--family', 'evm', '--json']);
    expect(done.code).toBe(4);
    expect(JSON.parse(done.stdout)).toMatchObject({ created: 1, refused: [{ row: 3, address: 'nonsense' }] });
    const watched = await run([
      'addresses',
      'watch',
      valueOf(8),
      '--family',
      'evm',
      '--label',
      'x\u001b[31m',
    ]);
    expect(watched.code).toBe(0);
    expect(await count()).toBe(2);
    const balances = await run(['balances', valueOf(7), valueOf(9)]);
    expect([balances.code, balances.stderr]).toEqual([4, `${valueOf(9)} is not watched\n`]);
    writeFileSync(join(folder, 'b.csv'), 'name\nx\n');
    const wrong = await run(['addresses', 'import', 'b.csv', '--family', 'evm']);
    expect([wrong.code, wrong.stderr]).toEqual([2, 'expected a column "address", got name\n']);
    expect((await run(['addresses', 'import', 'missing.csv', '--family', 'evm'])).stderr).toContain('ENOENT');
  });
});

describe('keys', () => {
  it('are made, rolled and revoked, and shown once', async () => {
    const made = await run([
      ...['keys', 'create', 'backend', '--type', 'api', '--project', project.projectId],
      ...['--permissions', 'api:address:read,api:event:read', '--json'],
    ]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
    expect((await run(['addresses', 'export'], { CHAINWATCH_API_KEY: key })).code).toBe(0);
    const rolled = await run(['keys', 'roll', id, '--grace', '60']);
    const next = rolled.stdout.trim();
    expect(next).toMatch(/^svc_api_/);
    const list = await run(['keys', 'list']);
    expect(list.stdout).toContain('backend');
    expect(list.stdout).not.toContain(next);
    expect((await run(['keys', 'revoke', id])).code).toBe(0);
    await waitFor(async () => (await run(['addresses', 'export'], { CHAINWATCH_API_KEY: key })).code === 3);
    writeFileSync(join(folder, 'key.txt'), `${next}\n`);
    const byFile = { CHAINWATCH_API_KEY: '', CHAINWATCH_API_KEY_FILE: join(folder, 'key.txt') };
    expect((await run(['addresses', 'export'], byFile)).code).toBe(0);
  });
});

describe('doctor', () => {
  it('finds what is wrong, says what to do, and sees a webhook arrive', async () => {
    const hook = await startHook();
    const { id } = await client.notificationChannels.createWebhook({ name: 'hook', url: hook.url });
    const { address } = await client.addresses.createExternal({
      value: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
      chain_family: 'evm',
    });
    const { code, stdout } = await run(['doctor', '--channel', id, '--json']);
    const findings = new Map(
      linesOf<{ what: string; ok: boolean; found: string }>(stdout).map((one) => [one.what, one]),
    );
    expect(code).toBe(4);
    expect([...findings].filter(([, { ok }]) => ok).map(([what]) => what)).toEqual([
      'API',
      'key',
      'clock',
      'webhook hook',
      'webhook',
    ]);
    expect(findings.get('addresses (1)')).toMatchObject({
      ok: false,
      found: expect.stringContaining(`${address}: Payments to this address are not detected: `),
    });
    await client.addresses.delete(address);
    expect(findings.get('chains')).toMatchObject({ ok: false, found: 'none is active' });
    await hook.close();
    const closed = await run(['doctor', '--channel', id]);
    expect(closed.stdout).toContain('✗ webhook: connection_refused');
    const away = await run(['doctor'], { CHAINWATCH_API_URL: `http://127.0.0.1:${await findFreePort()}/v1` });
    expect([away.code, away.stdout]).toEqual([4, expect.stringContaining('ECONNREFUSED')]);
  });
});

describe('incidents', () => {
  beforeAll(async () => {
    await createClient({ baseUrl: apiUrl, apiKey: operator.keys.api }).blockchains.create({
      chain_gid: 'eip155:1',
    });
  });

  it('are listed, of one chain or of all, and accepted', async () => {
    const env = { CHAINWATCH_API_KEY: operator.keys.api };
    const { rows } = await db.query<{ id: string }>(
      `INSERT INTO incidents (chain_gid, kind, status, block_number, block_hash, expected, got, resolved_at)
       VALUES ('eip155:1', 'transaction-type:0x7d', 'open', 7, '0x07', 'transaction types 0x0 to 0x4', 'transaction type 0x7d', NULL),
              ('eip155:1', 'header-field:x', 'resolved', 6, '0x06', 'a header', 'another', now()) RETURNING id`,
    );
    const kindsOf = async (...args: string[]): Promise<string[]> =>
      linesOf<{ kind: string }>((await run(['incidents', 'list', ...args, '--json'])).stdout).map(
        ({ kind }) => kind,
      );
    expect(await kindsOf()).toEqual(['transaction-type:0x7d']);
    expect((await kindsOf('eip155:1', '--all')).sort()).toEqual(['header-field:x', 'transaction-type:0x7d']);
    expect((await run(['incidents', 'list', 'eip155:5'])).code).toBe(1);
    const accepted = await run(['incidents', 'accept', 'eip155:1', rows[0]!.id], env);
    expect([accepted.code, accepted.stdout]).toEqual([0, 'Accepted transaction-type:0x7d on eip155:1\n']);
    expect(await kindsOf()).toEqual([]);
  });

  it('leave what cannot be proved held or delivered, as the operator decides', async () => {
    const env = { CHAINWATCH_API_KEY: operator.keys.api };
    const set = (choice: string) => run(['chains', 'set-unproved', 'eip155:1', choice], env);
    const delivered = await set('deliver');
    expect([delivered.code, delivered.stdout]).toEqual([
      0,
      'ethereum (eip155:1) delivers what cannot be proved, as trusted\n',
    ]);
    const { stdout } = await run(['chains', 'status', '--json'], env);
    expect(linesOf<{ gid: string }>(stdout).find(({ gid }) => gid === 'eip155:1')).toMatchObject({
      unproved: 'deliver',
    });
    expect((await set('hold')).stdout).toBe('ethereum (eip155:1) holds what cannot be proved\n');
    const other = await run(['chains', 'set-unproved', 'eip155:1', 'deliver']);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('403')]);
  });
});

describe('nats account', () => {
  it('writes accounts and seeds, keeps those that are there, and writes nothing for what is no project', async () => {
    const [ada, bob] = [randomUUID(), randomUUID()];
    const made = await run(['nats', 'account', ada, '--json']);
    expect(JSON.parse(made.stdout)).toEqual({ directory: 'nats-accounts', projects: [ada] });
    const read = (name: string): string => readFileSync(join(folder, 'nats-accounts', name), 'utf8');
    const seed = read(`${ada}.nk`);
    expect(statSync(join(folder, 'nats-accounts', `${ada}.nk`)).mode & 0o777).toBe(0o600);
    const more = await run(['nats', 'account', bob]);
    expect([more.code, more.stdout]).toEqual([0, expect.stringContaining('and 2 for projects')]);
    expect([read(`${ada}.nk`), read('accounts.conf')]).toEqual([
      seed,
      expect.stringContaining(`PROJECT_${bob.replaceAll('-', '_')}`),
    ]);
    expect(made.stdout + more.stdout + read('accounts.conf')).not.toContain(seed.trim());
    const wrong = await run(['nats', 'account', 'nonsense', '--directory', 'other']);
    expect([wrong.code, wrong.stderr, existsSync(join(folder, 'other'))]).toEqual([
      2,
      expect.stringContaining('"nonsense" is no project id'),
      false,
    ]);
  });
});

describe('completion', () => {
  it.each([
    ['chainwatch ev', 'events'],
    ['chainwatch events ', 'tail get resend --version --json --profile --help'],
    ['chainwatch events tail --a', '--after'],
    ['chainwatch --json addresses import f.csv --dr', '--dry-run'],
    ['chainwatch bench', 'bench-node'],
  ])('%s: %s', async (line, expected) => {
    const { stdout: script } = await run(['completion', 'bash']);
    const words = line.split(' ');
    const ask = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _chainwatch; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([`${expected}\n`, '']);
  });

  it('names every command for zsh and fish, and knows no other shell', async () => {
    const [zsh, fish, other] = await Promise.all(
      ['zsh', 'fish', 'tcsh'].map((shell) => run(['completion', shell])),
    );
    expect(zsh!.stdout).toMatch(/^autoload .*bashcompinit\n_chainwatch\(\) \{/);
    expect(fish!.stdout).toContain(
      "complete -c chainwatch -n '__fish_seen_subcommand_from events; and not __fish_seen_subcommand_from tail get resend' -f -a tail",
    );
    expect(other!.code).toBe(2);
  });
});

describe('the package', () => {
  it('that the gateway serves is installed by npm into an empty project, alone, and runs there', async () => {
    const answer = await fetch(new URL('/cli/chainwatch.tgz', apiUrl));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    writeFileSync(join(folder, 'chainwatch.tgz'), Buffer.from(await answer.arrayBuffer()));
    writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true}');
    const call = (command: string, args: string[]): string =>
      execFileSync(command, args, {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          CHAINWATCH_API_URL: apiUrl,
          CHAINWATCH_API_KEY: project.keys.api,
        },
        encoding: 'utf8',
      });
    call('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', './chainwatch.tgz']);
    const installed = join(folder, 'node_modules/@chainwatch/cli');
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      bin: { chainwatch: './chainwatch.mjs' },
      license: 'Apache-2.0',
      publishConfig: { access: 'public', provenance: true },
    });
    expect(Object.keys(manifest).filter((key) => /private|dependencies|scripts/i.test(key))).toEqual([]);
    expect(readdirSync(installed).sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'chainwatch.mjs', 'package.json'],
    ]);
    expect(call('npx', ['--no-install', 'chainwatch', 'chains', 'status', '--json'])).toBeDefined();
    expect(call('npx', ['--no-install', 'chainwatch', '--help'])).toBe((await run(['--help'])).stdout);
  });
});

describe('the command', () => {
  it('tells scripts what happened: usage 2, no answer 1, a key that is not taken 3; and sends no colors to a pipe', async () => {
    const away = { CHAINWATCH_API_URL: `http://127.0.0.1:${await findFreePort()}/v1` };
    const results = await Promise.all([
      run(['nonsense']),
      run(['listen']),
      run(['deliveries', 'list', 'x', '--since', 'soon']),
      run(['chains', 'set-node', 'eip155:1'], away, 'http://127.0.0.1:1'),
      run(['chains', 'status'], { CHAINWATCH_API_KEY: 'svc_api_nonsense' }),
      run(['chains', 'set-unproved', 'eip155:1', 'sometimes']),
      run(['chains', 'set-unproved', 'eip155:424242', 'hold']),
      run(['chains', 'status', '--profile', 'nobody']),
      run(['trigger', 'transaction.detected', '--channel', randomUUID(), '--set', 'amount=1']),
      run(['trigger', 'transaction.detected', '--channel', randomUUID(), '--chain', 'bitcoin']),
      run(['trigger', 'transaction.detected', '--set', 'color=red']),
      run(['trigger', 'transaction.detected', '--set', 'amount=1e3']),
      run(['bench-node', 'http://127.0.0.1:1', '--chain', 'nonsense']),
      run(['bench-node', 'http://127.0.0.1:1', '--chain', 'eip155:31337']),
      run(['chains', 'status']),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 1, 3, 2, 1, 3, 2, 2, 2, 2, 2, 4, 0]);
    for (const { stdout, stderr } of results) {
      expect(stdout + stderr).not.toMatch(/\u001b|\n\s+at /);
      expect(stdout + stderr).not.toContain(project.keys.api);
    }
  });

  it('names its commands and its version, and runs by npx from the repository', async () => {
    const help = await run(['--help']);
    const commands = [...help.stdout.matchAll(/^ {2}([a-z][a-z-]*)(?= )/gm)].map(([, name]) => name!);
    const named = commands.filter((name) => !['help', 'chainwatch'].includes(name));
    expect(new Set(named)).toEqual(
      new Set([
        ...[
          'login',
          'listen',
          'trigger',
          'verify',
          'certify',
          'events',
          'deliveries',
          'addresses',
          'balances',
          'reconcile',
          'chains',
        ],
        ...[
          'channels',
          'transactions',
          'public-keys',
          'assets',
          'tokens',
          'projects',
          'members',
          'audit',
          'policies',
        ],
        ...['incidents', 'statement', 'keys', 'nats', 'networks', 'doctor', 'bench-node', 'completion'],
      ]),
    );
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const byNpx = spawn('npx', ['--no-install', 'chainwatch', '--help'], { cwd: repoDir });
    let text = '';
    byNpx.stdout.on('data', (chunk) => (text += String(chunk)));
    await once(byNpx, 'close');
    expect(text).toBe(help.stdout);
    expect(readFileSync(COMMAND, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});
