// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));

const USE = `
import { readFileSync } from 'node:fs';
import { InvalidProofError, verifyTransaction, type Proof, type ProvedTransaction } from '@chainwatch/verify';
import { createRequire } from 'node:module';

interface Vector { readonly proof: Proof; readonly trusted_block_hash: string; readonly refused?: string }
let [shown, refused] = [0, 0];
for (const name of ['mpt', 'merkle', 'signed_merkle']) {
  const path = createRequire(import.meta.url).resolve(\`@chainwatch/verify/vectors/\${name}.json\`);
  const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as { vectors: Vector[] };
  for (const { proof, trusted_block_hash: trustedBlockHash, refused: reason } of vectors)
    try {
      const proved: ProvedTransaction = await verifyTransaction(proof, { trustedBlockHash });
      if (reason === undefined && proved.hash === proof.hash) shown += 1;
    } catch (error) {
      if (error instanceof InvalidProofError && error.message === reason) refused += 1;
    }
}
// @ts-expect-error a hash of its own is no trust
const wrong = (proof: Proof) => verifyTransaction(proof, {});
console.log(JSON.stringify({ shown, refused, unused: [wrong].length }));
`;

/** What a stranger gets, installed by npm into a project that knows nothing of this repository. */
describe('the published package', () => {
  let project: string;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const run = (command: string, args: string[]): string =>
    execFileSync(command, args, { cwd: project, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'verify-'));
    const dist = join(project, 'dist');
    run(process.execPath, [join(folder, 'build.mjs'), dist]);
    const tarball = run('npm', ['pack', dist, '--silent', '--ignore-scripts']).trim().split('\n').at(-1)!;
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
    run('npm', [
      'install',
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      join(project, tarball),
    ]);
  }, 120_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('needs no other package, and names those in its bundle with their licenses', () => {
    const root = join(project, 'node_modules/@chainwatch/verify');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(JSON.stringify(manifest)).not.toMatch(/"\*"|private|\/src\//);
    expect(readFileSync(join(root, 'index.js'), 'utf8')).not.toMatch(/^import |require\(|node:/m);
    const licenses = readFileSync(join(root, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['@ethereumjs/rlp', '@noble/curves', '@noble/hashes'])
      expect(licenses).toContain(name);
  });

  it('type-checks, and decides each vector in a program of its user', () => {
    writeFileSync(join(project, 'use.ts'), USE);
    const options = { strict: true, target: 'es2022', module: 'nodenext', outDir: 'out', types: ['node'] };
    // Of the repository: the declarations of the package itself are checked, too.
    const typeRoots = [fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))];
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, typeRoots }, include: ['use.ts'] }),
    );
    run(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', '.']);
    const decided = JSON.parse(run(process.execPath, ['out/use.js'])) as Record<string, number>;
    const vectors = ['mpt', 'merkle', 'signed_merkle'].flatMap(
      (name) =>
        (
          JSON.parse(readFileSync(join(folder, 'vectors', `${name}.json`), 'utf8')) as {
            vectors: { readonly refused?: string }[];
          }
        ).vectors,
    );
    const refused = vectors.filter((each) => each.refused !== undefined).length;
    expect(decided).toEqual({ shown: vectors.length - refused, refused, unused: 1 });
  });
});
