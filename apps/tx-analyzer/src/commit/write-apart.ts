// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { findPoison, isItemFault, setAside } from '@chainwatch/data/quarantine';
import type { ChainContext } from '../model/chain-context.ts';

/** Steps that write events of transactions that are recorded already. */
type LaterStep = 'confirmation' | 'progress';

interface Recorded {
  readonly hash: string;
  readonly project_id: string;
  readonly block_number: number | null;
  readonly block_hash: string | null;
}

/** Whether a row of transactions, by its name in SQL, takes part in the step: it is not set aside there, or is to be tried again. */
export const takesPartSql = (step: LaterStep, row: string): string =>
  `NOT EXISTS (SELECT FROM incidents q WHERE q.chain_gid = ${row}.chain_gid AND q.kind = 'poison:${step}' AND q.subject_type = 'transaction'
     AND q.subject_id = ${row}.hash AND q.project_id = ${row}.project_id AND q.block_hash = ${row}.block_hash
     AND q.status = 'quarantined' AND q.retry_at > clock_timestamp())`;

/** Ends what was set aside in a later step, of the rows `marked` (SQL) of transactions on the chain $1. */
export const endLaterSql = (marked: string): string =>
  `UPDATE incidents i SET status = 'resolved', resolved_at = now() FROM ${marked} m
   WHERE i.chain_gid = $1 AND i.kind IN ('poison:confirmation', 'poison:progress') AND i.subject_type = 'transaction'
     AND i.subject_id = m.hash AND i.project_id = m.project_id AND i.status = 'quarantined'`;

/**
 * Does a later step for all of its transactions in one go. After a fault that one of them may have caused, it is done in
 * halves, each in a savepoint, and what fails alone is set aside in the same transaction (invariant 14).
 *
 * @param list the transactions, for the search
 * @param write does the step for some of them; undefined: for all
 */
export async function writeApart<T extends Recorded>(
  sql: Sql,
  chain: Pick<ChainContext, 'gid' | 'setAsides'>,
  {
    step,
    list,
    write,
  }: {
    readonly step: LaterStep;
    readonly list: () => Promise<readonly T[]>;
    readonly write: (some: readonly T[] | undefined) => Promise<void>;
  },
): Promise<void> {
  if (!chain.setAsides.takeCare()) {
    try {
      return await write(undefined);
    } catch (error) {
      if (isItemFault(error)) chain.setAsides.suspect();
      throw error;
    }
  }
  const poison = await findPoison(await list(), (some) => inSavepoint(sql, () => write(some)));
  await setAside(
    sql,
    chain.gid,
    poison.map(({ item, error }) => ({
      ...{ step, projectId: item.project_id, error },
      subject: { type: 'transaction', id: item.hash },
      block: { number: item.block_number ?? 0, hash: item.block_hash ?? '' },
    })),
  );
}

/** Takes back what `work` wrote when it fails. @throws what it throws */
async function inSavepoint(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql.query('SAVEPOINT apart');
  try {
    await work();
  } catch (error) {
    await sql.query('ROLLBACK TO SAVEPOINT apart');
    throw error;
  }
  await sql.query('RELEASE SAVEPOINT apart');
}
