import type { Sql, Statement } from '../database.ts';

/** A lease lasts so long from the database's clock_timestamp() on; its owner counts it from when it asked. */
export const LEASE_MS = 8_000;
const LEASE = `clock_timestamp() + interval '${LEASE_MS} ms'`;

export interface ShareName {
  /** `balances`: whose balances are kept. */
  readonly kind: string;
  /** A chain's gid, a part of the channels. */
  readonly share: string;
}

/** Undefined: nobody owned it yet. */
export async function readLease(
  sql: Sql,
  { kind, share }: ShareName,
): Promise<{ readonly owner: string; readonly leftMs: number } | undefined> {
  const { rows } = await sql.query<{ owner: string; left_ms: number }>({
    name: 'read_owner_lease',
    text: 'SELECT owner, ceil(extract(epoch FROM lease_until - clock_timestamp()) * 1000)::float8 AS left_ms FROM owners WHERE kind = $1 AND share = $2',
    values: [kind, share],
  });
  return rows.map((row) => ({ owner: row.owner, leftMs: row.left_ms }))[0];
}

/** Returns the new token; no row while somebody else's lease lasts. */
export function takeStatement({ kind, share }: ShareName, owner: string): Statement {
  return {
    text: `INSERT INTO owners (kind, share, owner, token, lease_until) VALUES ($1, $2, $3, 1, ${LEASE})
           ON CONFLICT (kind, share) DO UPDATE SET owner = $3, token = owners.token + 1, lease_until = ${LEASE}
           WHERE owners.lease_until < clock_timestamp() OR owners.owner = $3
           RETURNING token`,
    values: [kind, share, owner],
  };
}

/** The fence and the renewal in one: no row when the share is somebody else's. */
export function renewStatement({ kind, share }: ShareName, owner: string, token: number): Statement {
  return {
    name: 'renew_owner_lease',
    text: `UPDATE owners SET lease_until = ${LEASE} WHERE kind = $1 AND share = $2 AND owner = $3 AND token = $4 RETURNING 1`,
    values: [kind, share, owner, token],
  };
}

/** Ends our lease now, so that nobody has to wait for its end. */
export async function releaseLease(
  sql: Sql,
  { kind, share }: ShareName,
  owner: string,
  token: number,
): Promise<void> {
  await sql.query(
    'UPDATE owners SET lease_until = clock_timestamp() WHERE kind = $1 AND share = $2 AND owner = $3 AND token = $4',
    [kind, share, owner, token],
  );
}
