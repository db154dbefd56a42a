import { fork, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FsTree, flushChanges } from 'nx/src/generators/tree';
import { repoDir, runCommand } from '@chainwatch/host';
import generateEndpoint from '../endpoint/generator.mjs';
import generateLibrary from '../library/generator.mjs';

interface Verdict {
  readonly id: string;
  readonly faults: string;
}

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

/** Types, lint rules and format of a project, as `npm run lint` and `npm run typecheck` find them. */
async function check(root: string): Promise<Verdict[]> {
  const child = fork(join(copy, 'tools/test/check-code.mjs'), {
    cwd: copy,
    silent: true,
    env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false' },
  });
  const verdicts: Verdict[] = [];
  child.on('message', (verdict) => verdicts.push(verdict as Verdict));
  child.send(['typecheck', 'lint'].map((kind) => ({ id: kind, root, kind })));
  await once(child, 'close');
  return verdicts;
}

async function runSpecs(...paths: string[]): Promise<{ code: number; output: string }> {
  const { code, output } = await runCommand(
    process.execPath,
    [
      '--experimental-vm-modules',
      join(repoDir, 'node_modules/jest/bin/jest.js'),
      '--reporters=default',
      ...paths,
    ],
    { cwd: copy, env: { ...process.env, NODE_OPTIONS: '' } },
  );
  return { code: code ?? 1, output: code === 0 ? '' : output };
}

const clean = ['typecheck', 'lint'].map((id) => ({ id, faults: '' }));
const passed = { code: 0, output: '' };

it('an endpoint touches the route table and the contract of permissions, and is right from the start', async () => {
  const routes = 'apps/api-gateway/src/routes/addresses.tag';
  expect(generate((tree) => generateEndpoint(tree, { name: 'addresses.tag' }))).toEqual([
    'apps/api-gateway/src/auth/permissions.spec.ts',
    'apps/api-gateway/src/route-table.ts',
    `${routes}/200.spec.ts`,
    `${routes}/handler.ts`,
  ]);
  expect(await check('apps/api-gateway')).toEqual(clean);
  expect(await runSpecs(routes, 'apps/api-gateway/src/openapi')).toEqual(passed);
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
  expect(generate((tree) => generateLibrary(tree, { name, tag }))).toEqual([
    'README.md',
    ...['README.md', 'package.json', 'src/index.ts', `src/${name}.spec.ts`, `src/${name}.ts`].map(
      (file) => `libs/${name}/${file}`,
    ),
  ]);
  expect(await check(`libs/${name}`)).toEqual(clean);
  expect(await runSpecs(`libs/${name}`)).toEqual(passed);
});
