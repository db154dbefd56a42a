// SPDX-License-Identifier: Apache-2.0
import { measureFloor } from './floor.ts';
import { openRecording, watchedAddresses, type Recording } from './recordings.ts';
import { startReplay } from './replay.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';

/** The host is a shared one, and its speed changes between a pipeline and its floor: the median of some says more than one. */
const ROUNDS = 3;

interface Round {
  readonly pipelineMs: number;
  readonly floorMs: number;
  readonly matched: number;
}

/** Blocks from a replay server to committed rows: 100,000 watched addresses of which 1 % are hit, against the floor. */
export async function benchPipeline(report: Report, directory: string): Promise<void> {
  for (const [transactions, hasTraces] of [
    [200, false],
    [1_500, false],
    [200, true],
  ] as const) {
    const recording = await openRecording(directory, transactions);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(recording, hasTraces));
    const sorted = rounds.toSorted((a, b) => ratioOf(a) - ratioOf(b));
    const median = sorted[ROUNDS >> 1]!;
    const { blocks } = recording;
    report.add({
      name: `pipeline, blocks of ${transactions} transactions${hasTraces ? ' with traces' : ''}`,
      goal: '≥ 0.4 × floor, ≥ 20,000 events/s',
      isMet: ratioOf(median) >= 0.4 && (blocks * transactions) / median.pipelineMs >= 20,
      measured: `${ratioOf(median).toFixed(2)} × floor, ${Math.round(((blocks * transactions) / median.pipelineMs) * 1000).toLocaleString('en')} events/s`,
      detail:
        `median of ${ROUNDS} rounds (${sorted.map((round) => ratioOf(round).toFixed(2)).join(', ')} × floor): ${blocks} blocks in ${median.pipelineMs.toFixed(0)} ms, ` +
        `floor ${median.floorMs.toFixed(0)} ms, ${median.matched} transactions matched`,
    });
  }
}

const ratioOf = ({ pipelineMs, floorMs }: Round): number => floorMs / pipelineMs;

async function measureRound({ file, first, blocks }: Recording, hasTraces: boolean): Promise<Round> {
  const replay = await startReplay(file, hasTraces);
  const last = first + blocks - 1;
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer']);
  try {
    await insertAddresses(rig, watchedAddresses);
    await replay.setHead(first - 1);
    await rig.activate(replay.url);
    await waitUntil('the start', {
      timeoutMs: 30_000,
      done: async () => (await rig.cursorNumber()) === first - 1,
    }).catch(rig.explain);
    // The addresses came a moment ago: what their import left to do is not the pipeline's.
    await waitUntil('the totals of the lists', {
      timeoutMs: 120_000,
      done: async () => (await rig.db.query('SELECT FROM list_changes LIMIT 1')).rowCount === 0,
      everyMs: 200,
    });
    await rig.db.query('VACUUM ANALYZE');
    await measureFloor(replay.url, { from: 0, to: first - 1, hasTraces });
    await replay.setHead(last);
    const started = performance.now();
    // Asking takes processor time from what is measured.
    await waitUntil('the last block', {
      timeoutMs: 120_000,
      done: async () => (await rig.cursorNumber()) >= last,
      everyMs: 50,
    });
    const pipelineMs = performance.now() - started;
    // Two rounds of the floor around nothing else running; the better one counts.
    const floorMs = Math.min(
      await measureFloor(replay.url, { from: first, to: last, hasTraces }),
      await measureFloor(replay.url, { from: first, to: last, hasTraces }),
    );
    const { rows } = await rig.db.query<{ count: number }>('SELECT count(*) FROM transactions');
    return { pipelineMs, floorMs, matched: rows[0]!.count };
  } finally {
    await rig.stop();
    replay.stop();
  }
}
