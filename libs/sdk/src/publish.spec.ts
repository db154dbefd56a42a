// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { signPayload } from '@chainwatch/webhook-signature';

const folder = join(repoDir, 'libs/sdk');
const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const body = '{"event_id":"6f1d1f4e-0000-5000-8000-000000000001","type":"transaction.detected"}';

const USE = `
import { createClient, ProblemError, webhooks, type ChainwatchEvent, type EventOf } from '@chainwatch/sdk';
import { chainwatchWebhook } from '@chainwatch/sdk/next';

const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key', fetch: async (input) => {
  const { url } = input as Request;
  return url.endsWith('/version')
    ? Response.json({ name: 'chainwatch', version: '1.2.3' })
    : Response.json({ type: 'https://docs.example.com/apis/problems/not-found', title: 'Not Found', status: 404 }, { status: 404 });
} });
const { version } = await client.version.get();
const error: unknown = await client.addresses.get('0x1').catch((one: unknown) => one);
const code: string = error instanceof ProblemError ? error.code : 'none';

const [header, body, secret] = process.argv.slice(2) as [string, string, string];
const event: ChainwatchEvent = await webhooks.unwrap(body, { 'x-webhook-signature': header }, secret);
if (event.type === 'balance.changed') { const previous: string | null = event.data.previous; console.log(previous); }
const confirmed = (one: EventOf<'transaction.confirmed'>): string => one.data.transaction.hash;
// @ts-expect-error a status that there is not
const wrong = () => client.transactions.list({ statuses: ['lost'] });
async function all(): Promise<string[]> {
  const hashes: string[] = [];
  for await (const { hash } of client.transactions.list({ statuses: ['confirmed'] })) hashes.push(hash);
  return hashes;
}
const answer = await chainwatchWebhook({ secrets: secret, handle: () => undefined })(
  new Request('https://example.com/', { method: 'POST', body, headers: { 'x-webhook-signature': header } }),
);
console.log(JSON.stringify({ version, code, type: event.type, status: answer.status, unused: [confirmed, wrong, all].length }));
`;

/** What a stranger gets from the registry, installed by npm into a project that knows nothing of this repository. */
describe('the published package', () => {
  let project: string;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const run = (command: string, args: string[], cwd = project): string =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const pack = (source: string): string => {
    const name = run('npm', ['pack', source, '--silent', '--ignore-scripts'], project)
      .trim()
      .split('\n')
      .at(-1)!;
    return join(project, name);
  };

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'sdk-'));
    const dist = join(project, 'dist');
    run(process.execPath, [join(folder, 'build.mjs'), dist]);
    const resolve = createRequire(join(folder, 'src/index.ts')).resolve;
    const openapiFetch = dirname(dirname(resolve('openapi-fetch')));
    const helpers = dirname(
      createRequire(join(openapiFetch, 'x.js')).resolve('openapi-typescript-helpers/package.json'),
    );
    // Its dependencies come from here, so that no network is needed.
    const tarballs = [dist, openapiFetch.replace(/\/dist$/, ''), helpers].map(pack);
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
    run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs]);
  }, 120_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('has types, two dependencies at most in exact versions, and nothing of the workspace', () => {
    const manifest = JSON.parse(
      readFileSync(join(project, 'node_modules/@chainwatch/sdk/package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>;
    expect(Object.keys(manifest.dependencies!).length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(manifest)).not.toMatch(/"\*"|\.ts"(?<!\.d\.ts")|private|\/src\//);
    expect(Object.keys(manifest.exports!)).toEqual([
      '.',
      './catalogue',
      './express',
      './fastify',
      './hono',
      './next',
      './node',
      './nats',
      './package.json',
    ]);
  });

  it('type-checks and runs in a program of its user', () => {
    mkdirSync(join(project, 'src'));
    writeFileSync(join(project, 'src/use.ts'), USE);
    const options = {
      strict: true,
      target: 'es2022',
      module: 'nodenext',
      outDir: 'out',
      rootDir: 'src',
      // Of the repository: the declarations of the package itself are checked, too.
      typeRoots: [join(repoDir, 'node_modules/@types')],
      types: ['node'],
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['src'] }),
    );
    run(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', '.']);
    const header = signPayload({ secrets: [secret], timestamp: Math.floor(Date.now() / 1_000), body });
    const printed = run(process.execPath, ['out/use.js', header, body, secret]);
    expect(JSON.parse(printed)).toEqual({
      version: '1.2.3',
      code: 'not-found',
      type: 'transaction.detected',
      status: 204,
      unused: 3,
    });
  });
});
