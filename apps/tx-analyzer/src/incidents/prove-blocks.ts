// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, FailoverClient } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { WriterQueue } from '../commit/writer-queue.ts';
import { analyseAgain } from '../reprocess/analyse-again.ts';
import { isWhole } from '../reprocess/plan-reprocess.ts';

interface ProvingDeps {
  readonly sql: Sql;
  readonly client: Pick<FailoverClient, 'readBlock'>;
  readonly chain: Pick<ChainContext, 'gid'>;
  readonly writerQueue: WriterQueue;
  readonly pollMs: number;
  readonly signal: AbortSignal;
}

/** Blocks that are read again at once. */
const BLOCKS_MAX = 4;
const WAIT_MS_MAX = 60_000;

/**
 * Reads final blocks again whose list of transactions is one node's word: it may have left payments out, about which nobody
 * can be asked. Once an endpoint gives the block in a form that is proved, that is the truth. Rests longer after each time
 * that nothing comes of it.
 */
export class UnprovedBlocks {
  #after = -1;
  #fruitless = 0;
  #dueAtMs = 0;

  async prove({ sql, client, chain, writerQueue, pollMs, signal }: ProvingDeps): Promise<void> {
    if (performance.now() < this.#dueAtMs) return;
    const refs = await findUnproved(sql, chain.gid, this.#after);
    this.#after = refs.length < BLOCKS_MAX ? -1 : refs.at(-1)!.number;
    const read = await Promise.all(refs.map((ref) => client.readBlock(ref, signal).catch(() => undefined)));
    const proved = read.filter((block) => block !== undefined && isWhole(block)).map((block) => block!);
    if (proved.length > 0) await writerQueue.enqueue(analyseAgain(proved, () => Promise.resolve()));
    this.#fruitless = refs.length === 0 || proved.length > 0 ? 0 : this.#fruitless + 1;
    this.#dueAtMs = performance.now() + Math.min(pollMs * 2 ** Math.min(this.#fruitless, 10), WAIT_MS_MAX);
  }
}

async function findUnproved(sql: Sql, chainGid: string, after: number): Promise<BlockRef[]> {
  const { rows } = await sql.query<{ number: number; hash: string }>({
    name: 'find_unproved_blocks',
    text: `SELECT b.number, b.hash FROM analyzer_states s JOIN blocks b ON b.chain_gid = s.chain_gid AND b.number > $2 AND b.number <= s.confirmed_number
           WHERE s.chain_gid = $1 AND b.verification = 'unproved' AND b.status IN ('processed', 'confirmed') ORDER BY b.number LIMIT ${BLOCKS_MAX}`,
    values: [chainGid, after],
  });
  return rows;
}
