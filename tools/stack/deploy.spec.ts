// SPDX-License-Identifier: Apache-2.0
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import pg from 'pg';
import { parse, parseAllDocuments } from 'yaml';
import { buildRelease } from './bundle.mjs';
import { BOARDS } from './boards.mjs';
import { renderDeployment } from './render-deployment.mjs';
import { serviceNames } from './services.mjs';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: {
      readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
    };
    readonly triggers?: readonly { readonly metadata: { readonly query?: string } }[];
  };
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readAll = (folder: string): Manifest[] =>
  readdirSync(join(root, folder))
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) =>
      parseAllDocuments(read(`${folder}/${name}`)).map((document) => document.toJS() as Manifest),
    );

const base = readAll('deploy/kubernetes/base');
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<
    string,
    {
      command: string[];
      environment?: Record<string, string>;
      profiles?: string[];
      depends_on?: Record<string, { required?: boolean }>;
    }
  >;
};

describe('deploy', () => {
  it.each([...renderDeployment()])(
    '%s is what services.json says; else run tools/stack/write-deployment.mjs',
    (path, text) => expect(read(path)).toBe(text),
  );

  it('runs every service, and nothing that is not there', () => {
    const deployed = base
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata, spec }) => [metadata.name, spec!.template!.spec.containers[0]!.args]);
    const expected = serviceNames.map((name) => [name, [`${name}.mjs`]]);
    expect(deployed).toEqual(expected);
    expect(
      Object.entries(compose.services)
        .filter(([, { command = [] }]) => command[0]?.endsWith('.mjs') && command[0] !== 'migrate.mjs')
        .map(([name, { command }]) => [name, command]),
    ).toEqual(expected);
  });

  it('bounds every container of compose, builds one image, and knows when each works', () => {
    const containers = Object.entries(compose.services);
    for (const [name, container] of containers)
      expect([name, container]).toEqual([
        name,
        expect.objectContaining({
          mem_limit: expect.stringMatching(/^\d+[mg]$/),
          logging: { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } },
        }),
      ]);
    const namesWith = (member: string): string[] =>
      containers.filter(([, container]) => member in container).map(([name]) => name);
    expect(namesWith('build')).toEqual(['migrate']);
    // The image has one for the services.
    expect(read('deploy/Dockerfile')).toMatch(/^HEALTHCHECK .*\n {2}CMD \["node", .*\/readyz/m);
    expect(namesWith('healthcheck').sort()).toEqual(
      ['grafana', 'migrate', 'nats', 'postgres', 'prometheus', 'redis'].sort(),
    );
    const profiles = containers.flatMap(([name, { profiles = [] }]) => profiles.map((each) => [each, name]));
    expect(profiles).toEqual([
      ['trial', 'postgres'],
      ['trial', 'nats'],
      ['trial', 'redis'],
      ['monitoring', 'prometheus'],
      ['monitoring', 'grafana'],
    ]);
    // Who starts without the profile has these elsewhere.
    for (const [, { depends_on: needs = {} }] of containers)
      for (const [name, { required = true }] of Object.entries(needs))
        expect([name, required]).toEqual([name, name === 'migrate']);
  });

  it('sets variables that the services read', () => {
    const documented = new Set(
      [...read('docs/guides/configuration.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name),
    );
    const settings = (
      parse(read('deploy/kubernetes/base/kustomization.yaml')) as {
        configMapGenerator: { literals: string[] }[];
      }
    ).configMapGenerator.flatMap(({ literals }) => literals.map((literal) => literal.split('=')[0]!));
    const named = [
      ...settings,
      ...Object.keys(compose.services['notifier']!.environment!),
      'PORT',
      'HEALTH_PORT',
    ];
    expect(named.filter((name) => !documented.has(name))).toEqual([]);
    const readers = Object.entries(compose.services).filter(
      ([, { environment = {} }]) => 'SMTP_URL' in environment,
    );
    expect(readers.map(([name]) => name)).toEqual(['api-gateway', 'notifier']);
    expect(read('deploy/Dockerfile')).toMatch(/PORT=8080[^]*HEALTH_PORT=9464/);
  });

  const readSources = (): string[] =>
    ['apps', 'libs'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(
          (path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes('node_modules'),
        )
        .map((path) => read(`${folder}/${path}`)),
    );

  it('names log lines that the services write', () => {
    const described = [...read('deploy/prometheus/rules.yaml').matchAll(/description: '([^']*)'/g)];
    const named = described.flatMap(([, text]) => [...text!.matchAll(/"([^"]+)"/g)].map(([, line]) => line!));
    expect(named).toContain('the chain stalled');
    const sources = readSources();
    expect(named.filter((line) => !sources.some((text) => text.includes(`'${line}'`)))).toEqual([]);
  });

  it('asks for metrics that the services have', () => {
    const sources = readSources();
    const made = new Map(
      sources.flatMap((text) =>
        [...text.matchAll(/(counter|gauge|histogram)\(\s*'(chainwatch_\w+)'/g)].map(
          ([, kind, name]) => [name, kind] as const,
        ),
      ),
    );
    expect(made.size).toBeGreaterThan(15);
    const asked = new Set(
      [
        ...`${read('deploy/prometheus/rules.yaml')}${JSON.stringify(BOARDS)}${read('deploy/kubernetes/addons/keda/scaling.yaml')}`.matchAll(
          /chainwatch_\w+/g,
        ),
      ].map(([name]) => name),
    );
    // Prometheus' part of a name, not one of a folder or a role.
    const page = read('docs/guides/metrics.md').replace(/```[^]*?```/g, '');
    const described = new Set(
      [...page.matchAll(/^\| (`chainwatch_.*?) \|/gm)].flatMap(([, names]) =>
        [...names!.matchAll(/chainwatch_\w+/g)].map(([name]) => name),
      ),
    );
    expect([...described].sort()).toEqual([...made.keys()].sort());
    const has = (name: string): boolean =>
      made.has(name) || made.get(name.replace(/_(bucket|count|sum)$/, '')) === 'histogram';
    expect([...asked].filter((name) => !has(name))).toEqual([]);
  });
});

const SCHEMA_FAULT =
  /expected a database with migration \d{14}_\w+, but \d+ migrations are missing: run migrate\.mjs/;

describe('the release', () => {
  let postgres: PostgresHandle;
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  beforeAll(async () => {
    [postgres] = await Promise.all([startPostgres({ isMigrated: false }), buildRelease(folder)]);
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });
  // Beside no packages, with no environment of ours.
  const run = (
    name: string,
    env: Record<string, string> = {},
    ...args: string[]
  ): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [`${name}.mjs`, ...args],
        { cwd: folder, env },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  it('has every service wait for its migrations and then give up, and a check for init containers', async () => {
    const url = await postgres.createDatabase();
    const env = {
      DATABASE_URL: url,
      SCHEMA_WAIT: '1ms',
      SECRETS_KEYS: `main:${Buffer.alloc(32, 1).toString('base64')}`,
      // None of these is asked before the schema is there.
      NATS_URL: 'nats://127.0.0.1:1',
      REDIS_URL: 'redis://127.0.0.1:1',
    };
    for (const { code, stdout } of await Promise.all(serviceNames.map((name) => run(name, env))))
      expect([code, stdout]).toEqual([1, expect.stringMatching(SCHEMA_FAULT)]);
    expect(await run('migrate', env, '--check')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(SCHEMA_FAULT),
    });
    const checking = run('migrate', env, '--check', '--wait', '2m');
    expect(await run('migrate', env)).toMatchObject({ code: 0 });
    expect(await checking).toMatchObject({ code: 0 });
  });

  /** Resolves with the exit code, and how long the end took after SIGTERM, which is sent once `pattern` was written. */
  const endWhile = (
    pattern: RegExp,
    name: string,
    env: Record<string, string>,
    ...args: string[]
  ): Promise<{ name: string; code: number | null; endMs: number }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [`${name}.mjs`, ...args], { cwd: folder, env });
      let output = '';
      let toldAt = 0;
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        if (toldAt > 0 || !pattern.test(output)) return;
        toldAt = performance.now();
        child.kill('SIGTERM');
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.on('exit', (code) => resolve({ name, code, endMs: performance.now() - toldAt }));
    });

  it('has every service end at once on SIGTERM while it waits for its migrations, or for NATS', async () => {
    const url = await postgres.createDatabase();
    const env = {
      DATABASE_URL: url,
      SCHEMA_WAIT: '2m',
      SECRETS_KEYS: `main:${Buffer.alloc(32, 1).toString('base64')}`,
      NATS_URL: 'nats://127.0.0.1:1',
    };
    const ends = [
      ...(await Promise.all(serviceNames.map((name) => endWhile(/was waited for/, name, env)))),
      await endWhile(SCHEMA_FAULT, 'migrate', env, '--check', '--wait', '2m'),
    ];
    expect(await run('migrate', env)).toMatchObject({ code: 0 });
    // The gateways start without it.
    const waiting = serviceNames.filter((name) => name !== 'api-gateway' && name !== 'rpc-proxy');
    ends.push(...(await Promise.all(waiting.map((name) => endWhile(/NATS/, name, env)))));
    for (const { name, code, endMs } of ends)
      expect([name, code, endMs < 5_000]).toEqual([name, name === 'migrate' ? 1 : 0, true]);
  }, 120_000);

  it('has the command, which runs beside no packages', async () => {
    const { code, stdout } = await run('chainwatch', {}, '--help');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: chainwatch')]);
  });

  it('makes a database from nothing, keys in it, and one that the scaler of notifiers can ask', async () => {
    const { applied } = JSON.parse((await run('migrate', { DATABASE_URL: postgres.url })).stdout) as {
      applied: string[];
    };
    expect(applied).toHaveLength(
      readdirSync(join(root, 'prisma/migrations')).filter((name) => /^\d/.test(name)).length,
    );
    expect(
      JSON.parse((await run('bootstrap', { DATABASE_URL: postgres.url, NAMESPACE_LABEL: 'acme' })).stdout),
    ).toMatchObject({ keys: { api: expect.stringMatching(/^acme_api_/) } });
    const queries = readAll('deploy/kubernetes/addons/keda')
      .flatMap(({ spec }) => spec?.triggers ?? [])
      .map(({ metadata }) => metadata.query)
      .filter((query) => query?.startsWith('SELECT') === true);
    expect(queries).toHaveLength(1);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    expect(
      (await client.query<{ count: unknown }>(queries[0]!)).rows.map(({ count }) => Number(count)),
    ).toEqual([0]);
    await client.end();
  });

  it('has the pages that the API gateway serves beside it', () => {
    for (const page of ['dashboard/index.html', 'docs/index.html', 'docs/reference/api/addresses.html'])
      expect([page, existsSync(join(folder, page))]).toEqual([page, true]);
  });

  it('says in every service what the environment lacks', async () => {
    const ends = await Promise.all(serviceNames.map((name) => run(name)));
    for (const { code, stderr } of ends)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^The configuration is not usable, \d variables are wrong:\n.*DATABASE_URL: is required/,
        ),
      ]);
  });
});
