// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { parse } from 'yaml';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-spec-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const check = (version: string): { code: number | null; reasons: string[] } => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(repoDir, 'tools/release/check.mjs'), version, folder],
    {
      encoding: 'utf8',
    },
  );
  return { code: status, reasons: stderr.split('\n').filter(Boolean) };
};

/** A repository that is ready, but for what is changed. */
function writeRepository({
  maintainer = {},
  manifest = {},
  changelog = '',
  codeowners = '* @acme\n',
}: {
  readonly maintainer?: object;
  readonly manifest?: object;
  readonly changelog?: string;
  readonly codeowners?: string;
} = {}): void {
  const write = (path: string, value: unknown): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value));
  };
  const ready = { version: '0.2.0', license: 'Apache-2.0' };
  write('package.json', ready);
  for (const path of ['apps/a', 'libs/b', 'tools/release']) write(`${path}/package.json`, ready);
  write('libs/b/package.json', { ...ready, ...manifest });
  write('tools/release/maintainer.json', {
    ...{ owner: 'acme', repository: 'https://git.acme.io/chainwatch', contact: 'security@acme.io' },
    ...maintainer,
  });
  write('.github/CODEOWNERS', codeowners);
  write(
    'CHANGELOG.md',
    changelog || '# Changelog\n\n## 0.2.0 · 2026-12-01\n\n- New.\n\n## 0.1.0 · 2026-09-01\n\n- First.\n',
  );
}

it('a repository that is ready passes', () => {
  writeRepository();
  expect(check('0.2.0')).toEqual({ code: 0, reasons: [] });
});

it.each([
  [{ maintainer: { owner: 'OWNER' }, codeowners: '* @OWNER\n' }, 'owner is a placeholder'],
  [{ codeowners: '* @other\n' }, '.github/CODEOWNERS: expected @acme'],
  [{ maintainer: { contact: 'a@example.com' } }, 'contact is a placeholder'],
  [{ manifest: { version: '0.1.0' } }, 'libs/b/package.json: version is 0.1.0'],
  [{ manifest: { license: undefined } }, 'libs/b/package.json: license is missing'],
  [{ changelog: '# Changelog\n\n## Unreleased\n\n- New.\n' }, 'there is no section'],
  [{ changelog: '## 0.2.0 · soon\n\n- New.\n' }, 'there is no section'],
  [{ changelog: '## 0.2.0 · 2026-12-01\n\n## 0.1.0 · 2026-09-01\n\n- First.\n' }, 'is empty'],
])('%j is said', (change, text) => {
  writeRepository(change);
  const { code, reasons } = check('0.2.0');
  expect([code, reasons]).toEqual([1, [expect.stringContaining(text)]]);
});

it('this repository is ready as 0.2.0, but for the placeholders', () => {
  for (const path of ['package.json', 'tools', 'apps', 'libs', '.github', 'CHANGELOG.md'])
    cpSync(join(repoDir, path), join(folder, path), {
      recursive: true,
      filter: (source) =>
        existsSync(source) && !/node_modules|\/(src|dist|generated|public)(\/|$)/.test(source),
    });
  const { code, reasons } = check('0.2.0');
  expect(code).toBe(1);
  expect(reasons.filter((reason) => reason.includes('placeholder'))).toHaveLength(3);
  expect(reasons).toHaveLength(3);
});

it('wrong input is said', () => {
  expect(check('v0.2')).toEqual({ code: 2, reasons: ['expected a version such as 0.2.0'] });
});

it('packs what is published, with its license and without anything that a registry would refuse', () => {
  const printed = execFileSync(process.execPath, [join(repoDir, 'tools/release/pack.mjs'), folder], {
    encoding: 'utf8',
  });
  const files = printed.trim().split('\n');
  expect(readdirSync(folder)).toHaveLength(files.length);
  for (const file of files) {
    const listed = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
    for (const name of ['package/package.json', 'package/README.md', 'package/LICENSE'])
      expect(listed).toContain(name);
    const manifest = JSON.parse(
      execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }),
    );
    expect(manifest).toMatchObject({ license: 'Apache-2.0', type: 'module' });
    expect(manifest.private).toBeUndefined();
  }
}, 300_000);

it('workflows call scripts that are there, with no more rights than they need', () => {
  for (const name of readdirSync(join(repoDir, '.github/workflows'))) {
    const workflow = parse(readFileSync(join(repoDir, '.github/workflows', name), 'utf8'));
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { steps } of Object.values<{ steps: { run?: string }[] }>(workflow.jobs))
      for (const { run } of steps) {
        const [, path] = /^(?:node|bash) (\S+)/.exec(run ?? '') ?? [];
        if (path !== undefined) expect([path, existsSync(join(repoDir, path))]).toEqual([path, true]);
      }
  }
});
