import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FsTree, flushChanges } from 'nx/src/generators/tree';
import { repoDir, runCommand } from '@chainwatch/host';
import generateEndpoint from '../endpoint/generator.mjs';
import generateLibrary from '../library/generator.mjs';

/** The repository as it is here, with the packages of this one. */
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'chainwatch-generated-'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const present = execFileSync('git', list, { cwd: repoDir, encoding: 'utf8', maxBuffer: 2 ** 26 });
  for (const file of present.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repoDir, file), join(copy, file), { force: true });
  }
  cpSync(join(repoDir, 'libs/db/src/generated'), join(copy, 'libs/db/src/generated'), { recursive: true });
  symlinkSync(join(repoDir, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function generate(make: (tree: FsTree) => unknown): string[] {
  const tree = new FsTree(copy, false);
  make(tree);
  const changes = tree.listChanges();
  flushChanges(copy, changes);
  return changes.map(({ path }) => path).sort();
}

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

async function run(bin: string, ...args: string[]): Promise<Outcome> {
  const { code, output } = await runCommand(
    process.execPath,
    ['--experimental-vm-modules', join(repoDir, 'node_modules', bin), ...args],
    { cwd: copy, env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false' } },
  );
  return { code, output: code === 0 ? '' : output };
}

/** Types, lint rules, format and specs of what was written: what is wrong with it, by tool. */
async function check(files: readonly string[], specs: readonly string[]): Promise<Record<string, Outcome>> {
  const sources = files.filter((file) => /\.ts$|package\.json$/.test(file));
  const include = sources.filter((file) => file.endsWith('.ts'));
  writeFileSync(join(copy, 'tsconfig.made.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  return {
    types: await run('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.made.json'),
    lint: await run('eslint/bin/eslint.js', ...sources),
    format: await run('@biomejs/biome/bin/biome', 'format', ...sources),
    specs: await run('jest/bin/jest.js', ...specs, '--reporters=default'),
  };
}

const passed = { code: 0, output: '' };
const clean = { types: passed, lint: passed, format: passed, specs: passed };

it('an endpoint touches the route table and the contract of permissions, and is right from the start', async () => {
  const folder = 'apps/api-gateway/src/routes/addresses.tag';
  const files = generate((tree) => generateEndpoint(tree, { name: 'addresses.tag' }));
  expect(files).toEqual([
    'apps/api-gateway/src/auth/permissions.spec.ts',
    'apps/api-gateway/src/route-table.ts',
    `${folder}/200.spec.ts`,
    `${folder}/handler.ts`,
  ]);
  expect(await check(files, [folder, 'apps/api-gateway/src/openapi'])).toEqual(clean);
});

it.each<[string, () => unknown]>([
  ['a route that is there', () => generateEndpoint(new FsTree(copy, false), { name: 'addresses.list' })],
  ['a resource without words', () => generateEndpoint(new FsTree(copy, false), { name: 'clouds.list' })],
  ['a library that is there', () => generateLibrary(new FsTree(copy, false), { name: 'caip' })],
])('%s is refused', (_name, make) => {
  expect(make).toThrow(/^expected /);
});

it.each(['domain', 'adapter'] as const)('a library with the tag %s is right from the start', async (tag) => {
  const name = `made-${tag}`;
  const own = ['README.md', 'package.json', 'src/index.ts', `src/${name}.spec.ts`, `src/${name}.ts`];
  const files = generate((tree) => generateLibrary(tree, { name, tag }));
  expect(files).toEqual(['README.md', ...own.map((file) => `libs/${name}/${file}`)]);
  expect(await check(files, [`libs/${name}`])).toEqual(clean);
});
