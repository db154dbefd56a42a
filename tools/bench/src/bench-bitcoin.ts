// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { BitcoinMeasurement } from './measure-bitcoin.ts';
import type { Report } from './report.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./measure-bitcoin.ts', import.meta.url));
// Recorded, beside the repository.
const block = {
  file: fileURLToPath(new URL('../../../../shared/fixtures/bitcoin/mainnet-702861.raw', import.meta.url)),
  number: 702_861,
  hash: '000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae',
};
const ADDRESSES = 10_000_000;
const MEBIBYTE = 2 ** 20;

/** A full mainnet block against 10 million watched addresses, and what these take. */
export async function benchBitcoin(report: Report, workDir: string): Promise<void> {
  if (!existsSync(block.file))
    return console.log('\nbitcoin: skipped, the recorded block is absent (../shared/fixtures/bitcoin)');
  const bundle = `${workDir}/measure-bitcoin.mjs`;
  // As the services run in production, without a compiler in the process.
  await build({
    entryPoints: [script],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: listPackages(),
    logLevel: 'warning',
  });
  const args = ['--expose-gc', bundle, block.file, String(block.number), block.hash, String(ADDRESSES)];
  const { stdout } = await run(process.execPath, args, { maxBuffer: MEBIBYTE });
  const measured = JSON.parse(stdout) as BitcoinMeasurement;
  report.add({
    name: 'Bitcoin block against 10 million watched addresses',
    goal: '≤ 150 ms, ≤ 1.5 × bitcoinjs-lib',
    isMet: measured.ownMs <= 150 && measured.ownMs <= 1.5 * measured.libraryMs,
    measured: `${measured.ownMs.toFixed(0)} ms (${(measured.ownMs / measured.libraryMs).toFixed(2)} × bitcoinjs-lib), ${measured.ownCpuMs.toFixed(0)} ms of processor time`,
    detail: `mainnet block ${block.number}, ${(measured.bytes / 1e6).toFixed(2)} MB, ${measured.transactions} transactions, ${measured.outputs} outputs: hex decoded, proved and matched, ${measured.candidates} candidates; bitcoinjs-lib's Block.fromHex and addresses of the outputs ${measured.libraryMs.toFixed(0)} ms; medians`,
  });
  report.add({
    name: 'memory with 10 million Bitcoin addresses',
    goal: 'RSS ≤ 600 MB',
    isMet: measured.rssBytes <= 600e6,
    measured: `${(measured.rssBytes / 1e6).toFixed(0)} MB`,
    detail: `the analyzer's watch set of scripts and one coin for each address, loaded in ${(measured.loadMs / 1000).toFixed(1)} s; ${(measured.peakRssBytes / 1e6).toFixed(0)} MB at most while blocks are decoded by both libraries`,
  });
}

/** Everything installed stays outside of the bundle. */
function listPackages(): string[] {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(manifest.dependencies);
}
