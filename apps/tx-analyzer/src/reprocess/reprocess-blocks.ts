// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { findPoison, rehearse, type Poison } from '@chainwatch/quarantine';
import { recordPoison } from '../commit/record-poison.ts';
import type { WriterContext, WriterWork } from '../commit/writer-queue.ts';
import { keyOf, type SetAsideKey } from '../model/set-asides.ts';
import { analyseAgain } from './analyse-again.ts';
import { writeProgress } from './write-progress.ts';

interface Request {
  readonly id: string;
  /** Blocks below are done afterwards. */
  readonly nextBlock: number;
  /** It failed before, and maybe because of a single transaction: that one is found and set aside first. */
  readonly isSuspect: boolean;
}

/**
 * One transaction: writes what today's decoder finds in blocks analysed before, with the same events as if it had
 * been found then, and the progress of the request. What is set aside of these blocks is tried again.
 */
export function reprocessBlocks(request: Request, decoded: readonly Block[]): WriterWork<void> {
  return async (context) => {
    const { db, chain } = context;
    const poison = request.isSuspect ? await findAmong(context, decoded) : [];
    const kept = new Set(poison.map(({ item }) => keyOf(item)));
    const finish = async (sql: Sql, _: WriterContext, blocks: readonly Block[]): Promise<void> => {
      await recordPoison(sql, chain, poison);
      await endOthers(sql, chain.gid, { blocks: decoded, kept });
      await writeProgress(sql, chain, { requestId: request.id, nextBlock: request.nextBlock, blocks });
    };
    const result = await chain.setAsides.releasing(decoded, () =>
      chain.setAsides.without(
        poison.map(({ item }) => item),
        () => analyseAgain(decoded, finish)(context),
      ),
    );
    await chain.setAsides.load(db, chain.gid);
    return result;
  };
}

/** New ones first, without what is set aside; then what of that still fails. */
async function findAmong(context: WriterContext, blocks: readonly Block[]): Promise<Poison<SetAsideKey>[]> {
  const { setAsides } = context.chain;
  const known = setAsides.listOf(blocks);
  const all = blocks.flatMap(({ number, hash: blockHash, transactions }) =>
    transactions.map(({ hash }): SetAsideKey => ({ block: { number, hash: blockHash }, hash })),
  );
  const nothing = (): Promise<void> => Promise.resolve();
  const find = (keys: readonly SetAsideKey[], apart: readonly SetAsideKey[]) =>
    findPoison(keys, (some) =>
      rehearse(() =>
        setAsides.withOnly(some, { among: keys, apart }, () => analyseAgain(blocks, nothing, true)(context)),
      ),
    );
  return setAsides.releasing(blocks, async () => {
    const fresh = await find(all, known);
    const apart = fresh.map(({ item }) => item);
    return [...fresh, ...(await find(known, apart))];
  });
}

/** What is set aside at the blocks' heights and was processed now, or is not there any more. */
async function endOthers(
  sql: Sql,
  chainGid: string,
  { blocks, kept }: { readonly blocks: readonly Block[]; readonly kept: ReadonlySet<string> },
): Promise<void> {
  await sql.query(
    `UPDATE incidents SET status = 'resolved', resolved_at = now()
     WHERE chain_gid = $1 AND kind = 'poison:analysis' AND status = 'quarantined' AND block_number = ANY($2::bigint[])
       AND block_hash || '|' || transaction_hash || '|' || coalesce(project_id::text, '') <> ALL($3::text[])`,
    [chainGid, blocks.map(({ number }) => number), [...kept]],
  );
}
