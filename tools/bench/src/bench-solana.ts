// SPDX-License-Identifier: Apache-2.0
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { makeSolanaBlock } from './make-solana-block.ts';
import type { SolanaMeasurement } from './measure-solana.ts';
import type { Report } from './report.ts';

const run = promisify(execFile);
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
// Recorded, beside the repository.
const fixtures = here('../../../../shared/fixtures/solana');
const ADDRESSES = 10_000_000;
const SHAPES = [
  { votes: 1_000, others: 600, newest: 0 },
  // As since Alpenglow: no votes, and a block every 200 ms.
  { votes: 0, others: 2_500, newest: 1_000 },
] as const;
type Shape = (typeof SHAPES)[number];
const BLOCK_TIME_MS = 200;
const MEBIBYTE = 2 ** 20;

/** A block of the main network's size, fetched from a replay server, against 10 million watched addresses. */
export async function benchSolana(report: Report, workDir: string): Promise<void> {
  if (!existsSync(fixtures))
    return console.log('\nsolana: skipped, the recorded blocks are absent (../shared/fixtures/solana)');
  mkdirSync(workDir, { recursive: true });
  for (const shape of SHAPES) await benchShape(report, workDir, shape);
}

async function benchShape(report: Report, workDir: string, shape: Shape): Promise<void> {
  const [bundle, file] = [`${workDir}/measure-solana.mjs`, `${workDir}/solana-block.json`];
  const { text, hash, slot } = makeSolanaBlock(fixtures, shape);
  writeFileSync(file, text);
  // As the services run in production, without a compiler in the process.
  await build({
    entryPoints: [here('./measure-solana.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: listPackages(),
    logLevel: 'warning',
  });
  const server = spawn(process.execPath, [here('./serve-body.mjs'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  try {
    const args = [
      '--expose-gc',
      bundle,
      file,
      `http://127.0.0.1:${String(port).trim()}`,
      String(slot),
      hash,
      String(ADDRESSES),
    ];
    const { stdout } = await run(process.execPath, args, { maxBuffer: MEBIBYTE });
    addTo(report, JSON.parse(stdout) as SolanaMeasurement, { bytes: text.length, shape });
  } finally {
    server.kill();
  }
}

function addTo(
  report: Report,
  measured: SolanaMeasurement,
  { bytes, shape: { votes, others, newest } }: { readonly bytes: number; readonly shape: Shape },
): void {
  const cores = measured.ownCpuMs / BLOCK_TIME_MS;
  const isNew = newest > 0;
  report.add({
    name: `Solana block against 10 million watched addresses${isNew ? ', without votes' : ''}`,
    goal: isNew ? '≤ 0.6 of a core at 200 ms' : '≤ 200 ms, ≤ 2 × JSON.parse',
    isMet: isNew ? cores <= 0.6 : measured.ownMs <= 200 && measured.ownMs <= 2 * measured.parseMs,
    measured: `${isNew ? `${cores.toFixed(2)} of a core; ` : ''}${measured.ownMs.toFixed(0)} ms (${(measured.ownMs / measured.parseMs).toFixed(2)} × JSON.parse), ${measured.ownCpuMs.toFixed(0)} ms of processor time (${(measured.ownCpuMs / measured.parseCpuMs).toFixed(2)} × JSON.parse)`,
    detail: `${votes + others} transactions, ${votes} of them votes, ${newest} generated as version 1, ${(bytes / 1e6).toFixed(1)} MB, the others made of recorded ones: fetched over HTTP, decoded (${measured.transfers} transfers), proved and matched, ${measured.candidates} candidates; JSON.parse of the body ${measured.parseMs.toFixed(0)} ms with its objects kept until the next (${measured.parseCpuMs.toFixed(0)} ms of processor time, ${measured.droppedCpuMs.toFixed(0)} ms when they are dropped at once); medians of batches; RSS ${(measured.rssBytes / 1e6).toFixed(0)} MB`,
  });
}

/** Everything installed stays outside of the bundle. */
function listPackages(): string[] {
  const manifest = JSON.parse(readFileSync(here('../../../package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(manifest.dependencies);
}
