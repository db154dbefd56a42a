// SPDX-License-Identifier: Apache-2.0
import type { ChainClient, TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

/** How old a multiplier may be: an issuer changes it at once, or ahead of time, which the last reading tells. */
const REFRESH_AFTER = `interval '30 seconds'`;
const BATCH = 50;

/** Reads what wallets multiply amounts with again, of the tokens of a chain that have such a number. */
export async function refreshMultipliers({
  db,
  client,
  chainGid,
  signal,
}: {
  readonly db: Sql;
  readonly client: Pick<ChainClient, 'readTokens'>;
  readonly chainGid: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  if (client.readTokens === undefined) return;
  // The time moves before the node is asked: a token for which it fails does not keep it busy.
  const { rows } = await db.query<{ gid: string }>(
    `UPDATE assets SET ui_read_at = now() WHERE gid IN (
       SELECT gid FROM assets WHERE chain_gid = $1 AND ui_read_at < now() - ${REFRESH_AFTER} ORDER BY ui_read_at LIMIT ${BATCH})
     RETURNING gid`,
    [chainGid],
  );
  if (rows.length === 0) return;
  const gids = rows.map(({ gid }) => gid);
  const found = await client.readTokens(gids, signal);
  const known = gids.map((gid, position) => [gid, found[position]] as const).filter(([, token]) => token);
  await db.query(
    `UPDATE assets a SET ui_multiplier = n.multiplier::jsonb FROM unnest($1::text[], $2::text[]) AS n (gid, multiplier)
     WHERE a.gid = n.gid AND a.ui_multiplier IS DISTINCT FROM n.multiplier::jsonb`,
    [known.map(([gid]) => gid), known.map(([, token]) => multiplierJson(token))],
  );
}

/** As `assets.ui_multiplier` has it. */
export function multiplierJson(metadata: TokenMetadata | undefined): string | null {
  return metadata?.uiMultiplier === undefined ? null : JSON.stringify(metadata.uiMultiplier);
}
