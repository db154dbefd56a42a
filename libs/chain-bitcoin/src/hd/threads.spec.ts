// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { mainnet } from './spec-keys.ts';
import accounts from './vectors/accounts.json' with { type: 'json' };

const outdir = mkdtempSync(join(tmpdir(), 'chainwatch-hd-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

/** In a process of its own: the thread is found beside the bundle, and an idle one does not keep the process alive. */
it.each(['a bundle', 'the sources'])('derives from %s, and lets the process end', async (form) => {
  const { key, addresses } = accounts.accounts[2]!;
  const request = {
    extendedPublicKey: key,
    addressFormat: 'p2wpkh',
    networkGid: mainnet,
    change: 0,
    indexes: [0, 1],
  };
  const entry = fileURLToPath(new URL('derive-addresses.ts', import.meta.url));
  const module = form === 'a bundle' ? await bundle(entry) : entry;
  const script = `import { deriveAddresses, startDeriving } from ${JSON.stringify(module)}; startDeriving(); console.log(JSON.stringify((await deriveAddresses(${JSON.stringify(request)})).map(({ address }) => address.canonical)))`;
  const loader = form === 'a bundle' ? [] : ['--import', 'tsx'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...loader, '--input-type=module', '-e', script],
    { timeout: 20_000 },
  );
  expect(JSON.parse(stdout)).toEqual([addresses['0/0'], addresses['0/1']]);
});

/** As tools/stack/bundle.mjs does it, inside a package of ES modules. */
async function bundle(entry: string): Promise<string> {
  const wasm = fileURLToPath(
    new URL('../../../../node_modules/tiny-secp256k1/lib/secp256k1.wasm', import.meta.url),
  );
  cpSync(wasm, join(outdir, 'secp256k1.wasm'));
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }');
  const { bundlePoolThread } = await import(
    new URL('../../../../tools/stack/bundle-pool-thread.mjs', import.meta.url).href
  );
  await bundlePoolThread(outdir);
  await build({
    entryPoints: [
      { in: entry, out: 'main' },
      { in: fileURLToPath(new URL('derivation.worker.ts', import.meta.url)), out: 'derivation.worker' },
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
  });
  return join(outdir, 'main.mjs');
}
