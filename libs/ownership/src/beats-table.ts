import type { Sql } from '@chainwatch/db';
import type { Replica } from './plan-shares.ts';

export interface Lease {
  readonly owner: string;
  readonly leftMs: number;
}

export interface Sight {
  /** By share; expired leases are left out. */
  readonly leases: ReadonlyMap<string, Lease>;
  /** The other replicas whose heartbeat is good. */
  readonly others: readonly Replica[];
}

interface Row {
  readonly leases: readonly { share: string; owner: string; left_ms: number }[] | null;
  readonly others: readonly { owner: string; ready: string[]; declined: string[] }[] | null;
}

/** Writes this replica's heartbeat, and reads those of the others and the leases, in one round trip. */
export async function beatAndLook(
  sql: Sql,
  { kind, me, beatMs }: { readonly kind: string; readonly me: Replica; readonly beatMs: number },
): Promise<Sight> {
  const { rows } = await sql.query<Row>({
    name: 'beat_and_look',
    text: `WITH beat AS (
        INSERT INTO owner_beats (kind, owner, ready, declined, beat_until) VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 ms')
        ON CONFLICT (kind, owner) DO UPDATE SET ready = excluded.ready, declined = excluded.declined, beat_until = excluded.beat_until
      ), swept AS (
        DELETE FROM owner_beats WHERE (kind, owner) IN (
          SELECT kind, owner FROM owner_beats WHERE beat_until < clock_timestamp() - interval '1 minute' AND owner <> $2 FOR UPDATE SKIP LOCKED)
      )
      SELECT
        (SELECT json_agg(json_build_object('share', share, 'owner', owner, 'left_ms', ceil(extract(epoch FROM lease_until - clock_timestamp()) * 1000)))
         FROM owners WHERE kind = $1 AND lease_until > clock_timestamp()) AS leases,
        (SELECT json_agg(json_build_object('owner', owner, 'ready', ready, 'declined', declined))
         FROM owner_beats WHERE kind = $1 AND owner <> $2 AND beat_until > clock_timestamp()) AS others`,
    values: [kind, me.owner, [...me.ready], [...me.declined], beatMs],
  });
  const { leases, others } = rows[0]!;
  return {
    leases: new Map((leases ?? []).map(({ share, owner, left_ms: leftMs }) => [share, { owner, leftMs }])),
    others: (others ?? []).map(({ owner, ready, declined }) => ({
      owner,
      ready: new Set(ready),
      declined: new Set(declined),
    })),
  };
}

/** A replica that leaves does not count any more. */
export async function endBeat(sql: Sql, kind: string, owner: string): Promise<void> {
  await sql.query('DELETE FROM owner_beats WHERE kind = $1 AND owner = $2', [kind, owner]);
}
