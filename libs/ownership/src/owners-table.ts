import type { Sql, Statement } from '@chainwatch/db';

/** A lease lasts this long, counted by the database from clock_timestamp(), and by its owner from when it asked. */
export const LEASE_MS = 8_000;
const LEASE = `clock_timestamp() + interval '${LEASE_MS} ms'`;

export interface ShareName {
  /** `ingestor.evm`, `analyzer`, `balances`: chains by gid; `channels`: parts of the channels; `positions`: of the projects; `retention`, `backlogs`: one share. */
  readonly kind: string;
  readonly share: string;
}

/** One ownership of a share: a new token each time. */
export interface Claim extends ShareName {
  readonly owner: string;
  readonly token: number;
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

/** Fence and renewal in one: returns no row when somebody else owns the share. */
export function renewStatement({ kind, share, owner, token }: Claim): Statement {
  return {
    name: 'renew_owner_lease',
    text: renewSql(['$1', '$2', '$3', '$4']),
    values: [kind, share, owner, token],
  };
}

/** The same as part of another statement, which depends on its row: `share`. */
export function renewSql([kind, share, owner, token]: readonly [string, string, string, string]): string {
  return `UPDATE owners SET lease_until = ${LEASE} WHERE kind = ${kind} AND share = ${share} AND owner = ${owner} AND token = ${token} RETURNING share`;
}

/** Renews all idle shares at once. A locked row is in use, by its owner or by a taker: it is skipped. */
export async function renewIdle(
  sql: Sql,
  kind: string,
  owner: string,
  claims: readonly Claim[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ share: string }>({
    name: 'renew_idle_leases',
    text: `WITH mine AS MATERIALIZED (
             SELECT o.share FROM owners o JOIN unnest($3::text[], $4::bigint[]) AS c (share, token) ON o.share = c.share AND o.token = c.token
             WHERE o.kind = $1 AND o.owner = $2 FOR UPDATE OF o SKIP LOCKED)
           UPDATE owners SET lease_until = ${LEASE} FROM mine WHERE owners.kind = $1 AND owners.share = mine.share RETURNING owners.share`,
    values: [kind, owner, claims.map(({ share }) => share), claims.map(({ token }) => token)],
  });
  return new Set(rows.map(({ share }) => share));
}

/** Ends our lease now, so that nobody has to wait for its end. */
export async function releaseLease(sql: Sql, { kind, share, owner, token }: Claim): Promise<void> {
  await sql.query(
    'UPDATE owners SET lease_until = clock_timestamp() WHERE kind = $1 AND share = $2 AND owner = $3 AND token = $4',
    [kind, share, owner, token],
  );
}
