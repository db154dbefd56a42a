import type { Sql } from '@chainwatch/db';
import { offsetOf } from '@chainwatch/http';
import type { TransactionQuery } from './handler.ts';
import { buildConditions } from './build-conditions.ts';

export interface TransactionRow {
  readonly id: string;
  readonly chain_gid: string;
  readonly hash: string;
  readonly status: 'pending' | 'detected' | 'confirmed' | 'reorged' | 'failed';
  readonly direction: 'in' | 'out' | 'self';
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly block_timestamp: Date | null;
  readonly tx_index: number | null;
  readonly required_confirmations: number;
  readonly fee_asset_gid: string | null;
  readonly fee_amount_raw: string | null;
  readonly fee_decimals: number | null;
  readonly replaced_by: string | null;
  readonly detected_at: Date;
  readonly confirmed_at: Date | null;
  readonly reorged_at: Date | null;
  /** The ingestor's head of the chain. */
  readonly head_number: number | null;
}

export interface TransferRow {
  readonly transaction_id: string;
  readonly index: number;
  readonly type: 'native' | 'token' | 'internal';
  readonly asset_gid: string;
  readonly from_address: string | null;
  readonly to_address: string | null;
  readonly amount_raw: string;
  readonly decimals: number | null;
  readonly log_index: number | null;
  readonly monitored_addresses: string[];
}

interface TransactionPage {
  readonly rows: TransactionRow[];
  readonly transfers: ReadonlyMap<string, TransferRow[]>;
  readonly total: number;
}

const columns = {
  detected_at: 't.detected_at',
  // What waits in the mempool stands above every block; what was dropped from there stands nowhere, so last.
  block_number: `COALESCE(t.block_number, CASE t.status WHEN 'pending' THEN ${Number.MAX_SAFE_INTEGER} END)`,
} as const;

/** One page of the project's transactions with their transfers, and how many there are in all. */
export async function queryTransactions(sql: Sql, projectId: string, query: TransactionQuery): Promise<TransactionPage> {
  const { where, values } = await buildConditions(projectId, query);
  const isDescending = query.sort_by.startsWith('-');
  const column = columns[query.sort_by.replace('-', '') as keyof typeof columns];
  const direction = isDescending ? 'DESC NULLS LAST' : 'ASC NULLS LAST';
  const [page, count] = await Promise.all([
    sql.query<TransactionRow>(
      `SELECT t.*, t.fee_amount_raw::text, f.decimals AS fee_decimals, s.head_number
       FROM transactions t
       LEFT JOIN assets f ON f.gid = t.fee_asset_gid
       LEFT JOIN ingestor_states s ON s.chain_gid = t.chain_gid
       WHERE ${where}
       ORDER BY ${column} ${direction}, t.id LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
      [...values, query.limit, offsetOf(query)],
    ),
    sql.query<{ total: number }>(`SELECT count(*) AS total FROM transactions t WHERE ${where}`, values),
  ]);
  return { rows: page.rows, transfers: await readTransfers(sql, page.rows), total: count.rows[0]!.total };
}

async function readTransfers(sql: Sql, transactions: readonly TransactionRow[]): Promise<Map<string, TransferRow[]>> {
  const byTransaction = new Map<string, TransferRow[]>(transactions.map(({ id }) => [id, []]));
  if (transactions.length === 0) return byTransaction;
  const { rows } = await sql.query<TransferRow>(
    `SELECT r.transaction_id, r.index, r.type, r.asset_gid, r.from_address, r.to_address, r.amount_raw::text, a.decimals, r.log_index,
            r.monitored_addresses
     FROM transfers r LEFT JOIN assets a ON a.gid = r.asset_gid
     WHERE r.transaction_id = ANY ($1) ORDER BY r.transaction_id, r.index`,
    [[...byTransaction.keys()]],
  );
  for (const row of rows) byTransaction.get(row.transaction_id)?.push(row);
  return byTransaction;
}
