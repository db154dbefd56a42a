// SPDX-License-Identifier: Apache-2.0
import type { UiMultiplier } from '@chainwatch/chain-core';

/** Amounts in base units, as PostgreSQL gives numeric. */
export interface BalanceRow {
  readonly asset_gid: string;
  readonly decimals: number | null;
  readonly ui_multiplier: UiMultiplier | null;
  readonly total_raw: string;
  readonly confirmed_raw: string | null;
  readonly immature_raw: string;
  readonly pending_in_raw: string;
  readonly pending_out_raw: string;
  readonly checked_at: Date | null;
}

/** What a round says of the address with the id `$1` and the canonical form `$3`: when it was begun that has come to it last. */
const ROUND_AT = `CASE WHEN r.ended_at IS NOT NULL OR (r.after_address, r.after_id) >= ($3, $1::uuid) THEN r.started_at ELSE r.previous_at END`;

/**
 * When the chain was asked for a balance last: by a request, or by the last round that came to its address. Rounds leave out
 * addresses that are not monitored, and balances that are set aside. Of `b`, and of the address with the id `$1` and the
 * canonical form `$3`.
 */
export const CHECKED_AT = `greatest(b.updated_at, (
  SELECT ${ROUND_AT}
  FROM balance_rounds r WHERE r.chain_gid = b.chain_gid AND (SELECT is_monitored FROM addresses WHERE id = $1::uuid)
    AND NOT EXISTS (SELECT FROM incidents i WHERE i.address_id = $1::uuid AND i.asset_gid = b.asset_gid AND i.status = 'quarantined' AND i.kind = 'poison:balances')))`;

/**
 * When the coins of the address were compared with those of a node last. Null: no round has come to it since its import.
 */
export const COINS_CHECKED_AT = `(SELECT c.at FROM (SELECT ${ROUND_AT} AS at FROM balance_rounds r WHERE r.chain_gid = b.chain_gid) c
  JOIN addresses o ON o.id = $1::uuid AND o.is_monitored JOIN address_backfills f ON f.address_id = o.id AND f.chain_gid = b.chain_gid
  WHERE f.status = 'complete' AND f.updated_at <= c.at)`;

/** The address whose balances are read, and the values of `$1` to `$3`. */
export interface BalanceOwner {
  readonly id: string;
  readonly projectId: string;
  /** Canonical. */
  readonly address: string;
}

export const ownerValues = ({ id, projectId, address }: BalanceOwner): string[] => [id, projectId, address];

/**
 * The balances that are shown: of active assets discovered on the address that its project has not archived. The same
 * rule applies to the address's list of balances.
 */
export const SHOWN_BALANCES = `balances b JOIN assets a ON a.gid = b.asset_gid
  AND b.address_id = $1 AND a.status = 'active' AND a.type <> 'nft'
  AND NOT EXISTS (SELECT FROM project_assets x WHERE x.project_id = $2 AND x.asset_gid = b.asset_gid AND x.archived_at IS NOT NULL)`;

/** An address has few pending transactions, however long its history: they are read first (OFFSET 0). */
export const PENDING_MOVES = `LEFT JOIN LATERAL (
  SELECT coalesce(sum(f.amount_raw) FILTER (WHERE f.to_address = $3), 0) AS moved_in, coalesce(sum(f.amount_raw) FILTER (WHERE f.from_address = $3), 0) AS moved_out
  FROM (SELECT id FROM transactions WHERE chain_gid = b.chain_gid AND status = 'pending' AND project_id = $2 OFFSET 0) x
  JOIN transfers f ON f.transaction_id = x.id AND f.asset_gid = b.asset_gid
) p ON true`;
