// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

interface AskDeps {
  readonly sql: Sql;
  readonly network: Pick<Network, 'gid' | 'family'>;
  readonly signal: AbortSignal;
  /** Addresses asked for in one statement. */
  readonly pageRows?: number;
}

interface Row {
  readonly id: string;
  readonly watch_xid: string;
}

/**
 * Registering an address asks for its balances only on the chains that are active then. When the chain is taken
 * over, this asks for the addresses registered since the analyzer last stored how far it has read (before a first
 * activation: all), before a step stores anything newer. Some are asked for twice, which changes nothing. Chains of
 * unspent outputs enrol their addresses instead (enrollAddresses).
 */
export async function askForMissedBalances({
  sql,
  network,
  signal,
  pageRows = 5_000,
}: AskDeps): Promise<void> {
  for (let after: Row = { id: '00000000-0000-0000-0000-000000000000', watch_xid: '0' }; !signal.aborted; ) {
    const { rows } = await sql.query<Row>(
      // By the column, not by its text: 1000 comes after 999.
      `SELECT a.id, a.watch_xid::text AS watch_xid FROM addresses a
       WHERE a.chain_family = $1 AND a.watch_xid >= (SELECT watch_xid FROM analyzer_states WHERE chain_gid = $2) AND (a.watch_xid, a.id) > ($3::xid8, $4::uuid)
       ORDER BY a.watch_xid, a.id LIMIT ${pageRows}`,
      [network.family, network.gid, after.watch_xid, after.id],
    );
    if (rows.length > 0)
      await ask(
        sql,
        network.gid,
        rows.map(({ id }) => id),
      );
    if (rows.length < pageRows) return;
    after = rows.at(-1)!;
  }
}

async function ask(sql: Sql, chainGid: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `INSERT INTO balance_reads (chain_gid, address_id, reason)
     SELECT $1, a.id, 'imported' FROM addresses a
     WHERE a.id = ANY ($2::uuid[]) AND a.is_monitored
       AND a.id <> ALL (ARRAY(SELECT q.address_id FROM balance_reads q WHERE q.address_id = ANY ($2::uuid[]) AND q.chain_gid = $1 AND q.reason = 'imported' AND q.asset_gid IS NULL))`,
    [chainGid, ids],
  );
}
