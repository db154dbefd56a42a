// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

export interface BalanceState {
  readonly status: 'following' | 'stalled';
  /** Shown to API clients. */
  readonly reason: string | undefined;
}

/** Writes the state of a chain's balances, and that they have an owner: a row older than 30 s has none. */
export async function writeBalanceState(
  sql: Sql,
  chainGid: string,
  { status, reason }: BalanceState,
): Promise<void> {
  await sql.query({
    name: 'write_balance_state',
    text: `INSERT INTO balance_states (chain_gid, status, reason) SELECT gid, $2, $3 FROM blockchains WHERE gid = $1
           ON CONFLICT (chain_gid) DO UPDATE SET status = excluded.status, reason = excluded.reason, updated_at = now()`,
    values: [chainGid, status, reason ?? null],
  });
}
