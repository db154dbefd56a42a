// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FsTree, flushChanges } from 'nx/src/generators/tree';
import type { ChainFamily } from '@chainwatch/chain-core';
import { repoDir, runCommand } from '@chainwatch/testing/host';
import generateEndpoint from '../endpoint/generator.mjs';
import generateFamily from '../family/generator.mjs';
import generateLibrary from '../library/generator.mjs';

/** The repository as it is here, with the packages of this one. */
let copy: string;
/** What the generators wrote, from the root of the copy. */
let files: readonly string[];

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'chainwatch-generated-'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const present = execFileSync('git', list, { cwd: repoDir, encoding: 'utf8', maxBuffer: 2 ** 26 });
  for (const file of present.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repoDir, file), join(copy, file), { force: true });
  }
  cpSync(join(repoDir, 'libs/data/src/db/generated'), join(copy, 'libs/data/src/db/generated'), {
    recursive: true,
  });
  symlinkSync(join(repoDir, 'node_modules'), join(copy, 'node_modules'));
  const tree = new FsTree(copy, false);
  const writeSdk = generateEndpoint(tree, { name: 'addresses.tag' });
  generateLibrary(tree, { name: 'made-domain' });
  generateLibrary(tree, { name: 'made-adapter', tag: 'adapter' });
  generateFamily(tree, { name: 'cloud', displayName: 'Cloud Nine' });
  const changes = tree.listChanges();
  flushChanges(copy, changes);
  writeSdk();
  files = changes.map(({ path }) => path).sort();
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const ENDPOINT = 'apps/api-gateway/src/routes/addresses.tag';
const read = (file: string): string => readFileSync(join(copy, file), 'utf8');

/** Exit code and, of a failure, what it said. */
async function run(bin: string, ...args: string[]): Promise<[code: number, output: string]> {
  const { code, output } = await runCommand(process.execPath, [join(repoDir, 'node_modules', bin), ...args], {
    cwd: copy,
    env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false' },
  });
  return [code, code === 0 ? '' : output];
}

it('writes its files, and to those that list endpoints, libraries and families', () => {
  const ofLibrary = (name: string): string[] =>
    [
      'README.md',
      'package.json',
      'src/index.ts',
      `src/${name}.spec.ts`,
      `src/${name}.ts`,
      'tsconfig.json',
    ].map((file) => `libs/${name}/${file}`);
  const ofFamily = [
    'README.md',
    'package.json',
    'src/cloud-client.ts',
    'src/cloud-family.ts',
    'src/cloud-rpc.ts',
    'src/entry.ts',
    'src/index.ts',
    'src/manifest.ts',
    'src/networks.json',
    'src/not-built.ts',
    'src/parse-address.ts',
    'src/spec-contract/README.md',
    'src/spec-contract/fixture.json',
    'tsconfig.json',
  ].map((file) => `libs/chain-cloud/${file}`);
  expect(files).toEqual([
    'README.md',
    'apps/api-gateway/src/auth/permissions.spec.ts',
    'apps/api-gateway/src/route-table.ts',
    `${ENDPOINT}/200.spec.ts`,
    `${ENDPOINT}/handler.ts`,
    ...['README.md', 'package.json', 'src/main.ts', 'tsconfig.json'].map(
      (file) => `apps/block-ingestor-cloud/${file}`,
    ),
    'deploy/services.json',
    ...ofFamily,
    'libs/chain-registry/package.json',
    'libs/chain-registry/src/entries.ts',
    'libs/chain-registry/tsconfig.json',
    ...ofLibrary('made-adapter'),
    ...ofLibrary('made-domain'),
    'tsconfig.projects.json',
  ]);
  expect(read('apps/api-gateway/src/auth/permissions.spec.ts')).toContain(
    "\n  'POST /addresses/actions/tag': 'api:address:write',\n};",
  );
  expect(read('README.md')).toMatch(/Domain \([^)]*`made-domain`\).* adapters \([^)]*`made-adapter`\)/);
  expect(read('README.md')).toMatch(/chain families \([^)]*`chain-tron`, `chain-cloud`\)/);
  expect(read('libs/chain-registry/src/entries.ts')).toMatch(/ = \[evm, bitcoin, solana, tron, cloud\];/);
});

it('an endpoint has its method in the SDK', () => {
  expect(read('libs/sdk/src/generated/operations.ts')).toMatch(/^ {2}tag\(/m);
  expect(read('libs/sdk/src/generated/openapi.ts')).toContain('"/addresses/actions/tag"');
});

it('a family is deployed behind the others, in the size of the smallest', () => {
  const services = JSON.parse(read('deploy/services.json')) as { name: string }[];
  const at = services.findIndex(({ name }) => name === 'block-ingestor-tron');
  expect(services[at + 1]).toEqual({ ...services[at], name: 'block-ingestor-cloud' });
});

it('what a family has not yet says so', async () => {
  const { cloudFamily } = await import(pathToFileURL(join(copy, 'libs/chain-cloud/src/index.ts')).href);
  const family: ChainFamily = cloudFamily;
  expect(() => family.parseAddress('x')).toThrow(
    'expected an address of another family, cloud is not built yet, got "x"',
  );
  const network = family.catalogue.networks[0]!;
  expect(family.parseAssetPath(network, 'slip44:1')).toBe('cloud:local/slip44:1');
  const client = family.createClient({ network, endpointUrl: 'http://127.0.0.1:8080' });
  await expect(client.readHead()).rejects.toMatchObject({
    code: 'chain_not_configured',
    message: 'readHead of cloud is not built yet',
  });
});

it('tsconfigs are those that project-references.mjs would write', async () => {
  const { describeProjects } = await import(
    pathToFileURL(join(copy, 'tools/test/project-references.mjs')).href
  );
  const described: ReadonlyMap<string, object> = describeProjects();
  const written = files.filter((file) => /tsconfig[^/]*\.json$/.test(file));
  expect(written.map((file) => JSON.parse(read(file)))).toEqual(written.map((file) => described.get(file)));
});

it('what was written has right types', async () => {
  const include = files.filter((file) => file.endsWith('.ts'));
  // The packages are those of this repository, which has no such family.
  const paths = { '@chainwatch/chain-cloud/*': ['./libs/chain-cloud/src/*.ts'] };
  const config = { extends: './tsconfig.json', compilerOptions: { paths }, include };
  writeFileSync(join(copy, 'tsconfig.made.json'), JSON.stringify(config));
  expect(await run('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.made.json')).toEqual([0, '']);
});

// Without the rules that ask for the graph of the projects, which a copy has not.
it('what was written passes lint', async () => {
  const linted = files.filter((file) => /\.ts$|package\.json$/.test(file));
  expect(await run('eslint/bin/eslint.js', ...linted)).toEqual([0, '']);
});

it('what was written is formatted', async () => {
  const formatted = files.filter((file) => /\.(ts|json)$/.test(file));
  expect(await run('@biomejs/biome/bin/biome', 'format', ...formatted)).toEqual([0, '']);
});

it("what was written passes its own specs and those of the gateway's document", async () => {
  const specs = [
    ENDPOINT,
    'apps/api-gateway/src/openapi/openapi.spec',
    'openapi/documentation.spec',
    'libs/made-',
  ];
  expect(await run('jest/bin/jest.js', ...specs, '--reporters=default')).toEqual([0, '']);
});

it.each<[string, (tree: FsTree) => unknown]>([
  ['a route that is there', (tree) => generateEndpoint(tree, { name: 'addresses.list' })],
  ['a resource without words', (tree) => generateEndpoint(tree, { name: 'clouds.list' })],
  ['a library that is there', (tree) => generateLibrary(tree, { name: 'caip' })],
  ['a family that is there', (tree) => generateFamily(tree, { name: 'tron' })],
  ['a family whose name is no namespace', (tree) => generateFamily(tree, { name: 'dogecoincash' })],
])('%s is refused, nothing is written', (_name, make) => {
  const tree = new FsTree(copy, false);
  expect(() => make(tree)).toThrow(/^expected /);
  expect(tree.listChanges()).toEqual([]);
});
