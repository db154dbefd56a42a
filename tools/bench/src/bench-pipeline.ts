import { measureFloor } from './floor.ts';
import { openRecording, watchedAddresses } from './recordings.ts';
import { startReplay } from './replay.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';

/** Blocks from a replay server to committed rows: 100,000 watched addresses of which 1 % are hit, against the floor. */
export async function benchPipeline(report: Report, directory: string): Promise<void> {
  for (const transactions of [200, 1_500] as const) {
    const { file, first, blocks } = await openRecording(directory, transactions);
    const replay = await startReplay(file);
    const last = first + blocks - 1;
    const rig = await startRig(['block-ingestor-evm', 'tx-analyzer']);
    try {
      await insertAddresses(rig, watchedAddresses);
      await replay.setHead(first - 1);
      await rig.activate(replay.url);
      await waitUntil('the start', 30_000, async () => (await rig.cursorNumber()) === first - 1).catch(rig.explain);
      // The addresses came a moment ago: what their import left to do is not the pipeline's.
      await waitUntil('the totals of the lists', 120_000, async () => (await rig.db.query('SELECT FROM fresh_list_counts() LIMIT 1')).rowCount === 0, 200);
      await rig.db.query('VACUUM ANALYZE');
      await measureFloor(replay.url, 0, first - 1);
      await replay.setHead(last);
      const started = performance.now();
      // Asking takes processor time from what is measured.
      await waitUntil('the last block', 120_000, async () => (await rig.cursorNumber()) >= last, 50);
      const pipelineMs = performance.now() - started;
      // Two rounds of the floor around nothing else running; the better one counts.
      const floorMs = Math.min(await measureFloor(replay.url, first, last), await measureFloor(replay.url, first, last));
      const events = blocks * transactions;
      const { rows } = await rig.db.query<{ count: number }>('SELECT count(*) FROM transactions');
      report.add({
        name: `pipeline, blocks of ${transactions} transactions`,
        goal: '≥ 0.6 × floor, ≥ 12,000 events/s',
        measured: `${(floorMs / pipelineMs).toFixed(2)} × floor, ${Math.round((events / pipelineMs) * 1000).toLocaleString('en')} events/s`,
        detail: `${blocks} blocks in ${pipelineMs.toFixed(0)} ms, floor ${floorMs.toFixed(0)} ms, ${rows[0]!.count} transactions matched`,
      });
    } finally {
      await rig.stop();
      replay.stop();
    }
  }
}
