import { createHash } from 'node:crypto';
import { measureFloor } from './floor.ts';
import { record } from './record.ts';
import { startReplay } from './replay.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';

const WATCHED = 100_000;

/** Blocks from a replay server to committed rows: 100,000 watched addresses of which 1 % are hit, against the floor. */
export async function benchPipeline(report: Report, directory: string): Promise<void> {
  for (const shape of [{ blocks: 400, transactions: 200 }, { blocks: 60, transactions: 1_500 }]) {
    const watched = Array.from({ length: WATCHED }, (_, index) => addressOf(`watched ${index}`));
    // Every hundredth transfer goes to a watched address, over 1,000 of them in turn.
    const recipients = Array.from({ length: 100_000 }, (_, index) => (index % 100 === 0 ? watched[(index / 100) % 1_000]! : addressOf(`foreign ${index}`)));
    const file = `${directory}/${shape.blocks}x${shape.transactions}.ndjson`;
    await record({ file, blocks: shape.blocks, transactionsPerBlock: shape.transactions, recipients });
    const replay = await startReplay(file);
    const first = 3;
    const last = first + shape.blocks - 1;
    const rig = await startRig(['block-ingestor-evm', 'tx-analyzer']);
    try {
      await insertAddresses(rig, watched);
      await replay.setHead(first - 1);
      await rig.activate(replay.url);
      await waitUntil('the start', 30_000, async () => (await rig.cursorNumber()) === first - 1).catch(rig.explain);
      // The addresses came a moment ago: what their import left to do is not the pipeline's.
      await waitUntil('the totals of the lists', 120_000, async () => (await rig.db.query('SELECT FROM fresh_list_counts() LIMIT 1')).rowCount === 0, 200);
      await rig.db.query('VACUUM ANALYZE');
      await measureFloor(replay.url, 0, first - 1);
      await replay.setHead(last);
      const started = performance.now();
      await waitUntil('the last block', 120_000, async () => (await rig.cursorNumber()) >= last, 10);
      const pipelineMs = performance.now() - started;
      // Two rounds of the floor around nothing else running; the better one counts.
      const floorMs = Math.min(await measureFloor(replay.url, first, last), await measureFloor(replay.url, first, last));
      const events = shape.blocks * shape.transactions;
      const { rows } = await rig.db.query<{ count: number }>('SELECT count(*) FROM transactions');
      report.add({
        name: `pipeline, blocks of ${shape.transactions} transactions`,
        goal: '≥ 0.6 × floor, ≥ 12,000 events/s',
        measured: `${(floorMs / pipelineMs).toFixed(2)} × floor, ${Math.round((events / pipelineMs) * 1000).toLocaleString('en')} events/s`,
        detail: `${shape.blocks} blocks in ${pipelineMs.toFixed(0)} ms, floor ${floorMs.toFixed(0)} ms, ${rows[0]!.count} transactions matched`,
      });
    } finally {
      await rig.stop();
      replay.stop();
    }
  }
}

const addressOf = (name: string): string => `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
