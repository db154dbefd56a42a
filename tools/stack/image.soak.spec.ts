// SPDX-License-Identifier: Apache-2.0
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable, repoDir } from '@chainwatch/testing/host';
import { serviceNames } from './services.mjs';

/**
 * Builds deploy/Dockerfile as a fresh clone has it, with buildah and without an engine or an image registry: the base is this machine's
 * own Node. npm asks the package registry that this machine uses.
 */
const buildah = findExecutable('buildah', process.env);
if (buildah === undefined) console.log('skipped: the image is built by buildah, which is not installed');

// Not in any file of the clone, this one included.
const CANARY = `canary-${randomUUID()}`;
const SECRET_FILES = ['deploy/.env', '.env', '.env.local', 'apps/notifier/.env', 'tls/server.key'];
const folder = mkdtempSync(join(tmpdir(), 'image-'));
const clone = join(folder, 'clone');
const BASE = 'localhost/node-base';
const storage = [
  '--root',
  join(folder, 'root'),
  '--runroot',
  join(folder, 'runroot'),
  '--storage-driver',
  'vfs',
];

const run = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(buildah!, [...storage, ...args], { cwd: clone, maxBuffer: 1e8 })).stdout.trim();
const build = (tag: string, ...args: string[]): Promise<string> =>
  run(
    'bud',
    '--isolation=chroot',
    '--format=docker',
    '--pull-never',
    '--signature-policy=' + join(folder, 'policy.json'),
    `--build-arg=NODE_IMAGE=${BASE}`,
    `--tag=${tag}`,
    ...args,
    '.',
  );
/** What is in an image: paths from its root, and the text of those asked for. */
async function look<T>(image: string, work: (root: string) => T): Promise<T> {
  const container = await run('from', '--pull-never', image);
  const root = await run('mount', container);
  try {
    return work(root);
  } finally {
    await run('umount', container);
    await run('rm', container);
  }
}

(buildah === undefined ? describe.skip : describe)('the image', () => {
  beforeAll(async () => {
    copyClone();
    for (const file of SECRET_FILES) {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      writeFileSync(join(clone, file), `SECRETS_KEYS=${CANARY}\n`);
    }
    writeFileSync(join(folder, 'policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');
    await makeBase();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is built from a context without the secrets of the one who builds', async () => {
    writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY . /\n');
    const file = `--file=${join(folder, 'Dockerfile')}`;
    await build('context', file, `--ignorefile=${join(clone, 'deploy/Dockerfile.dockerignore')}`);
    await build('everything', file, '--ignorefile=/dev/null');
    expect(await look('context', findCanaries)).toEqual([]);
    expect((await look('everything', findCanaries)).sort()).toEqual([...SECRET_FILES].sort());
  });

  it('installs packages again only when a manifest changed', async () => {
    await build('manifests', '--file=deploy/Dockerfile', '--target=manifests');
    appendFileSync(join(clone, 'apps/notifier/src/main.ts'), '\n// Changed.\n');
    await build('manifests-later', '--file=deploy/Dockerfile', '--target=manifests');
    const [first, later] = [
      await look('manifests', listManifests),
      await look('manifests-later', listManifests),
    ];
    expect(later).toEqual(first);
    expect(first).toEqual(
      listFiles(clone)
        .filter((path) => /(^|\/)(package(-lock)?\.json|\.npmrc)$/.test(path))
        .sort(),
    );
  });

  it('holds the release alone, and runs it without rights', async () => {
    await build(
      'chainwatch',
      '--file=deploy/Dockerfile',
      '--build-arg=VERSION=1.2.3',
      '--build-arg=BUILD_COMMIT=abc',
    );
    const { config } = (JSON.parse(await run('inspect', '--type=image', 'chainwatch')) as DockerImage).Docker;
    expect(config).toMatchObject({
      User: '10001:10001',
      Entrypoint: ['node', '--enable-source-maps'],
      Cmd: ['api-gateway.mjs'],
      Labels: {
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': '1.2.3',
        'org.opencontainers.image.revision': 'abc',
      },
    });
    expect(config.Healthcheck.Test[0]).toBe('CMD');
    const files = await look('chainwatch', (root) => readdirSync(join(root, 'app')));
    expect(files).toEqual(
      expect.arrayContaining([
        ...[...serviceNames, 'migrate', 'bootstrap'].map((name) => `${name}.mjs`),
        'LICENSE',
        'prisma',
      ]),
    );
    expect(files).not.toContain('node_modules');
    // As the user that the image names.
    const container = await run('from', '--pull-never', 'chainwatch');
    expect(await run('run', '--isolation=chroot', container, '--', 'node', '-p', 'process.getuid()')).toBe(
      '10001',
    );
    await expect(
      run('run', '--isolation=chroot', container, '--', 'node', 'api-gateway.mjs'),
    ).rejects.toThrow(/DATABASE_URL: is required/);
    expect(await look('chainwatch', findCanaries)).toEqual([]);
  });
});

interface DockerImage {
  readonly Docker: { readonly config: { readonly Healthcheck: { readonly Test: readonly string[] } } };
}

/** The files that git has, or would take, as they are now. */
function copyClone(): void {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: repoDir })
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(repoDir, path)));
  for (const path of paths) cpSync(join(repoDir, path), join(clone, path));
}

/** Node and npm of this machine with the shared libraries they load, a shell and find. */
async function makeBase(): Promise<void> {
  const rootfs = join(folder, 'rootfs');
  const npmDir = join(dirname(realpathSync(findExecutable('npm', process.env)!)), '..');
  const programs = ['sh', 'find', 'env'].map((name) => findExecutable(name, process.env)!);
  copyProgram(rootfs, process.execPath, '/usr/bin/node');
  for (const program of programs) copyProgram(rootfs, program, `/usr/bin/${program.split('/').at(-1)!}`);
  cpSync(npmDir, join(rootfs, 'usr/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(rootfs, 'usr/bin/npm'));
  symlinkSync('usr/bin', join(rootfs, 'bin'));
  for (const dir of ['tmp', 'root', 'etc']) mkdirSync(join(rootfs, dir), { recursive: true });
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) cpSync(realpathSync(certificates), join(rootfs, 'etc/extra-ca.pem'));
  const container = await run('from', 'scratch');
  await run('copy', container, rootfs, '/');
  await run(
    'config',
    '--env=PATH=/usr/bin',
    '--env=HOME=/root',
    `--env=npm_config_registry=${registry}`,
    ...(certificates ? ['--env=NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem'] : []),
    container,
  );
  await run('commit', `--signature-policy=${join(folder, 'policy.json')}`, container, BASE);
  await run('rm', container);
  rmSync(rootfs, { recursive: true });
}

/** Parts of the C library that native packages load, and programs may not. */
const C_LIBRARIES = ['libdl.so.2', 'libpthread.so.0', 'libresolv.so.2', 'librt.so.1', 'libutil.so.1'];

function copyProgram(rootfs: string, program: string, to: string): void {
  cpSync(realpathSync(program), join(rootfs, to));
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(?:=> |^\s*)(\/\S+)/gm);
  for (const [, library = ''] of libraries) {
    cpSync(realpathSync(library), join(rootfs, library));
    if (!library.endsWith('/libc.so.6')) continue;
    for (const path of C_LIBRARIES.map((name) => join(dirname(library), name)))
      if (existsSync(path)) cpSync(realpathSync(path), join(rootfs, path));
  }
}

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function listManifests(root: string): string[] {
  return listFiles(join(root, 'src')).sort();
}

function findCanaries(root: string): string[] {
  try {
    return execFileSync('grep', ['-rlF', CANARY, '.'], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((path) => path.slice(2));
  } catch {
    // grep ends with 1 when it finds nothing.
    return [];
  }
}
