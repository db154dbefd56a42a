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
const BLOCK = { votes: 1_000, others: 600 };
const MEBIBYTE = 2 ** 20;

/** A block of the main network's size, fetched from a replay server, against 10 million watched addresses. */
export async function benchSolana(report: Report, workDir: string): Promise<void> {
  if (!existsSync(fixtures))
    return console.log('\nsolana: skipped, the recorded blocks are absent (../shared/fixtures/solana)');
  mkdirSync(workDir, { recursive: true });
  const [bundle, file] = [`${workDir}/measure-solana.mjs`, `${workDir}/solana-block.json`];
  const { text, hash, slot } = makeSolanaBlock(fixtures, BLOCK);
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
    addTo(report, JSON.parse(stdout) as SolanaMeasurement, text.length);
  } finally {
    server.kill();
  }
}

function addTo(report: Report, measured: SolanaMeasurement, bytes: number): void {
  report.add({
    name: 'Solana block against 10 million watched addresses',
    goal: '≤ 200 ms, ≤ 2 × JSON.parse',
    isMet: measured.ownMs <= 200 && measured.ownMs <= 2 * measured.parseMs,
    measured: `${measured.ownMs.toFixed(0)} ms (${(measured.ownMs / measured.parseMs).toFixed(2)} × JSON.parse), ${measured.ownCpuMs.toFixed(0)} ms of processor time (${(measured.ownCpuMs / measured.parseCpuMs).toFixed(2)} × JSON.parse)`,
    detail: `${BLOCK.votes + BLOCK.others} transactions, ${BLOCK.votes} of them votes, ${(bytes / 1e6).toFixed(1)} MB, made of recorded ones: fetched over HTTP, decoded (${measured.transfers} transfers), proved and matched, ${measured.candidates} candidates; JSON.parse of the body ${measured.parseMs.toFixed(0)} ms with its objects kept until the next (${measured.parseCpuMs.toFixed(0)} ms of processor time, ${measured.droppedCpuMs.toFixed(0)} ms when they are dropped at once); medians of batches; RSS ${(measured.rssBytes / 1e6).toFixed(0)} MB`,
  });
}

/** Everything installed stays outside of the bundle. */
function listPackages(): string[] {
  const manifest = JSON.parse(readFileSync(here('../../../package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(manifest.dependencies);
}
