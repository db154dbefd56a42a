// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '../db/index.ts';
import { BaseError } from '@chainwatch/common/problem';

/** Ends the transaction of a rehearsal: nothing of it stays. */
class RehearsedError extends BaseError {
  readonly code = 'rehearsed';
  readonly retryable = false;
}

/** Runs work whose transactions end with `endRehearsal`. @throws what the work throws before that */
export async function rehearse(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RehearsedError)) throw error;
  }
}

/** Checks in an open transaction all that its commit would check, and rolls it back. */
export async function endRehearsal(sql: Sql): Promise<never> {
  await sql.query('SET CONSTRAINTS ALL IMMEDIATE');
  throw new RehearsedError('the transaction was a rehearsal');
}
