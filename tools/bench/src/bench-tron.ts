// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tronFamily } from '@chainwatch/chain-tron';
import { killWithParent } from '@chainwatch/testing';
import { WatchSet } from '@chainwatch/watch-set';
import { freePort } from '../../acceptance/src/services.ts';
import { findCandidates } from '../../../apps/tx-analyzer/src/match/find-hits.ts';
import { recordTron } from './record-tron.ts';
import type { Report } from './report.ts';

const SHAPE = { blocks: 100, transactions: 300 };
const WATCHED = 100_000;
const FOREIGN = 20_000;
/** Blocks under way at once, as the analyzer fetches ahead. */
const AHEAD = 4;

/** Blocks of a busy mainnet fetched from a node made of recorded answers, proved, decoded and matched. */
export async function benchTron(report: Report, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const addressOf = (index: number): string =>
    `41${createHash('sha256')
      .update(`tron ${index % FOREIGN}`)
      .digest('hex')
      .slice(0, 40)}`;
  const { file, refs, bytes } = recordTron(
    `${directory}/tron-${SHAPE.blocks}x${SHAPE.transactions}.tsv`,
    SHAPE,
    addressOf,
  );
  const node = await startNode(file);
  const network = tronFamily.catalogue.networks.find(({ name }) => name === 'tron')!;
  const client = tronFamily.createClient({ network, endpointUrl: node.url });
  const watch = WatchSet.withCapacity(WATCHED + FOREIGN);
  for (let index = 0; index < WATCHED; index += 1)
    watch.add(
      tronFamily.parseAddress(
        addressOf(0).slice(0, 2) + createHash('sha256').update(`watched ${index}`).digest('hex').slice(0, 40),
      ).canonical,
    );
  // Every hundredth account of the blocks is watched, too.
  for (let index = 0; index < FOREIGN; index += 100)
    watch.add(tronFamily.parseAddress(addressOf(index)).canonical);
  try {
    const runs: number[] = [];
    const cpu: number[] = [];
    let candidates = 0;
    for (let round = 0; round < 3; round += 1) {
      const before = process.cpuUsage();
      const started = performance.now();
      candidates = 0;
      let next = 0;
      await Promise.all(
        Array.from({ length: AHEAD }, async () => {
          for (let ref = refs[next++]; ref !== undefined; ref = refs[next++])
            candidates += findCandidates(await client.readBlock(ref), watch)?.transactions.length ?? 0;
        }),
      );
      runs.push(performance.now() - started);
      const { user, system } = process.cpuUsage(before);
      cpu.push((user + system) / 1_000);
    }
    const bestMs = Math.min(...runs);
    report.add({
      name: `TRON blocks of ${SHAPE.transactions} transactions`,
      goal: '≥ 20 blocks/s',
      isMet: (SHAPE.blocks / bestMs) * 1_000 >= 20,
      measured: `${((SHAPE.blocks / bestMs) * 1_000).toFixed(0)} blocks/s, ${(Math.min(...cpu) / SHAPE.blocks).toFixed(1)} ms of processor time a block`,
      detail: `${SHAPE.blocks} blocks of ${Math.round(bytes / SHAPE.blocks / 1_000)} kB by the wallet API, half TRX, half TRC-20: fetched, proved by the tree of transactions, decoded and matched against ${WATCHED.toLocaleString('en')} addresses, ${candidates} candidates; best of 3`,
    });
  } finally {
    client.close();
    node.stop();
  }
}

/** In another process, so that the node's work is not counted as ours. */
async function startNode(file: string): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./replay-tron.mjs', import.meta.url)), file, String(port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, 'KILL'));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the replay server ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill('SIGKILL') };
}
