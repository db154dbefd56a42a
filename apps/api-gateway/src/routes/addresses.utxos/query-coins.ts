import { formatAmount } from '@chainwatch/amounts';
import type { Sql } from '@chainwatch/db';
import { offsetOf, type PageRequest } from '@chainwatch/http';
import type { UtxoChain } from '../../records/utxo-chains.ts';
import type { UtxoRecord } from '../../records/utxo.ts';

interface CoinQuery extends PageRequest {
  readonly addressId: string;
  readonly address: string;
  readonly chains: readonly UtxoChain[];
  readonly sort_by: 'block_number' | '-block_number' | 'amount' | '-amount';
}

interface Row {
  readonly chain_gid: string;
  readonly txid: string;
  readonly vout: number;
  readonly amount_raw: string;
  readonly is_coinbase: boolean;
  readonly block_number: number;
  readonly confirmations: number;
}

const COLUMNS = { block_number: 'block_number', amount: 'amount_raw' } as const;
const UNSPENT = 'utxos u WHERE u.chain_gid = ANY ($1) AND u.address = $2 AND u.spent_block_number IS NULL';
/**
 * While the address's earlier coins are being searched for, the known ones come from others who watch it: they are left
 * out.
 */
const OWN = `NOT EXISTS (SELECT FROM address_backfills f LEFT JOIN address_watches w ON w.address_id = f.address_id AND w.chain_gid = f.chain_gid
  WHERE f.address_id = $3 AND f.chain_gid = u.chain_gid AND f.status <> 'complete' AND (w.from_block IS NULL OR u.block_number < w.from_block))`;

/** One page of the coins that an address has on these chains, and how many there are in all. */
export async function queryCoins(
  sql: Sql,
  query: CoinQuery,
): Promise<{ items: UtxoRecord[]; total: number }> {
  const chains = new Map<string, UtxoChain>(query.chains.map((chain) => [chain.network.gid, chain]));
  const isSearching = await hasOpenBackfill(sql, query.addressId);
  const values = [[...chains.keys()], query.address, ...(isSearching ? [query.addressId] : [])];
  const source = isSearching ? `${UNSPENT} AND ${OWN}` : UNSPENT;
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
  const order = [COLUMNS[query.sort_by.replace('-', '') as keyof typeof COLUMNS], 'chain_gid', 'txid', 'vout']
    .map((column) => `u.${column} ${direction}`)
    .join(', ');
  const [page, count] = await Promise.all([
    // The skipped rows are read from the index alone.
    sql.query<Row>(
      `SELECT u.*, u.amount_raw::text, GREATEST(0, coalesce(s.head_number - u.block_number + 1, 0)) AS confirmations
       FROM (SELECT u.chain_gid, u.txid, u.vout FROM ${source} ORDER BY ${order} LIMIT ${query.limit} OFFSET ${offsetOf(query)}) c
       JOIN utxos u USING (chain_gid, txid, vout) LEFT JOIN ingestor_states s ON s.chain_gid = u.chain_gid
       ORDER BY ${order}`,
      values,
    ),
    sql.query<{ total: number }>(`SELECT count(*) AS total FROM ${source}`, values),
  ]);
  return {
    items: page.rows.map((row) => toRecord(row, chains.get(row.chain_gid)!)),
    total: count.rows[0]!.total,
  };
}

async function hasOpenBackfill(sql: Sql, addressId: string): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM address_backfills WHERE address_id = $1 AND status <> 'complete' LIMIT 1`,
    [addressId],
  );
  return rows.length > 0;
}

function toRecord(row: Row, { network, coinbaseMaturity }: UtxoChain): UtxoRecord {
  return {
    txid: row.txid,
    vout: row.vout,
    amount: formatAmount(BigInt(row.amount_raw), network.native.decimals),
    amount_raw: row.amount_raw,
    asset_gid: network.native.gid,
    chain_gid: row.chain_gid,
    block_number: row.block_number,
    is_coinbase: row.is_coinbase,
    confirmations: row.confirmations,
    is_mature: !row.is_coinbase || row.confirmations >= coinbaseMaturity,
  };
}
