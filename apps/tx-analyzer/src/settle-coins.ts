import type { Transaction } from '@chainwatch/db';
import type { BackfillBatch } from './backfill-batch.ts';
import type { EarlierCoins } from './find-earlier-coins.ts';
import { findLateCandidates } from './find-late-matches.ts';
import type { OutboxEvent } from './planned-event.ts';
import { movedTokens, prepareBlocks } from './prepare-blocks.ts';
import { openingOf, writeStep } from './run-step.ts';
import { settleBackfill } from './settle-backfill.ts';
import type { WriterTurn, WriterWork } from './writer-desk.ts';

/**
 * One transaction: the coins that a backfill found, and what the blocks that were analysed meanwhile did with them, which
 * is told as if it had been seen then. False when some addresses have to be looked for again.
 */
export function settleCoins(batch: BackfillBatch, found: EarlierCoins): WriterWork<boolean> {
  return async (turn) => {
    // Before they are committed: the next block may spend one.
    turn.chain.utxo?.coins.add(found.coins);
    const { events, settledCount } = await turn.chain.share.transaction((sql) =>
      settleIn(sql, turn, batch, found),
    );
    return { value: settledCount === batch.addresses.length, events };
  };
}

async function settleIn(
  sql: Transaction,
  turn: WriterTurn,
  batch: BackfillBatch,
  found: EarlierCoins,
): Promise<{ events: OutboxEvent[]; settledCount: number }> {
  const { chain, watch, assets, ring, readBody, signal, advance, now } = turn;
  const { cursor } = advance;
  const { gid: chainGid, family, network, utxo } = chain;
  const settled = await settleBackfill(sql, chainGid, batch, found);
  const passed = cursor.number ?? -1;
  const late = settled
    .filter((entry) => entry.watchedFrom <= passed)
    .map(({ id, address, watchedFrom }) => ({ id, address, fromBlock: watchedFrom }));
  const candidates = await findLateCandidates(
    { sql, chainGid, ring, readBody, ...(utxo === undefined ? {} : { codec: utxo.codec }) },
    late,
    passed,
  );
  const step = await prepareBlocks(
    { sql, chainGid, family, network, watch, assets, ...(utxo === undefined ? {} : { utxo }) },
    [],
    late,
    candidates,
    signal,
  );
  const input = {
    segment: { entries: [], orphans: [], blocks: [] },
    step,
    cursor,
    advance,
    settlement: { mined: [], dropped: [] },
    now,
  };
  const opening = openingOf(chain, step);
  const events = await writeStep(sql, chain, input, opening, (await sql.query(opening)).rows, false);
  assets.markSaved(step.newAssets, movedTokens(step.late, network.native.gid));
  return { events, settledCount: settled.length };
}
