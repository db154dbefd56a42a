// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '../db/index.ts';
import type { Replica } from './plan-shares.ts';
import { LEASE } from './owned-share.ts';

export interface Lease {
  readonly owner: string;
  readonly leftMs: number;
}

export interface Sight {
  /** By share; expired leases are left out. */
  readonly leases: ReadonlyMap<string, Lease>;
  /** The other replicas whose heartbeat is good. */
  readonly others: readonly Replica[];
  /** One of them is of a release that looks at the leases of shares alone. */
  readonly hasFormer: boolean;
}

/** What a process of this release can read; 1: packed blocks (ADR 22). What an older one misses is not made while it lives. */
const READS_LEVEL = 1;

interface Row {
  readonly leases: readonly { share: string; owner: string; left_ms: number }[] | null;
  readonly others:
    | readonly { owner: string; ready: string[]; declined: string[]; is_former: boolean }[]
    | null;
}

/**
 * Writes this replica's heartbeat, and renews its lease on all that it owns; `beatMs` 0: it leaves, and counts no more.
 * @returns the tokens of its shares, by share
 */
export async function beat(
  sql: Sql,
  { kind, me, beatMs }: { readonly kind: string; readonly me: Replica; readonly beatMs: number },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ share: string; token: number }>({
    name: 'beat',
    text: `WITH beat AS (
        INSERT INTO owner_beats (kind, owner, ready, declined, beat_until, lease_until, reads_level) VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 ms', ${LEASE}, ${READS_LEVEL})
        ON CONFLICT (kind, owner) DO UPDATE SET ready = excluded.ready, declined = excluded.declined, beat_until = excluded.beat_until, lease_until = ${LEASE}
      )
      SELECT share, token FROM owners WHERE kind = $1 AND owner = $2`,
    values: [kind, me.owner, [...me.ready], [...me.declined], beatMs],
  });
  return new Map(rows.map(({ share, token }) => [share, token]));
}

/** Reads who owns what, and which other replicas live, in one round trip. */
export async function look(sql: Sql, kind: string, owner: string): Promise<Sight> {
  const { rows } = await sql.query<Row>({
    name: 'look_at_owners',
    text: `SELECT
        (SELECT json_agg(json_build_object('share', share, 'owner', owner, 'left_ms', ceil(extract(epoch FROM lease_until - clock_timestamp()) * 1000)))
         FROM share_leases WHERE kind = $1 AND lease_until > clock_timestamp()) AS leases,
        (SELECT json_agg(json_build_object('owner', owner, 'ready', ready, 'declined', declined, 'is_former', lease_until IS NULL))
         FROM owner_beats WHERE kind = $1 AND owner <> $2 AND beat_until > clock_timestamp()) AS others`,
    values: [kind, owner],
  });
  const { leases, others } = rows[0]!;
  return {
    leases: new Map((leases ?? []).map(({ share, owner, left_ms: leftMs }) => [share, { owner, leftMs }])),
    others: (others ?? []).map(({ owner, ready, declined }) => ({
      owner,
      ready: new Set(ready),
      declined: new Set(declined),
    })),
    hasFormer: others?.some((other) => other.is_former) ?? false,
  };
}

/** Removes the rows of replicas that died a minute ago or earlier, of every kind: whoever starts does it. */
export async function removeDead(sql: Sql): Promise<void> {
  await sql.query(
    `DELETE FROM owner_beats WHERE (kind, owner) IN (
       SELECT kind, owner FROM owner_beats WHERE greatest(beat_until, lease_until) < clock_timestamp() - interval '1 minute' FOR UPDATE SKIP LOCKED)`,
  );
}

/** All of its shares are free: its row goes. */
export async function endBeat(sql: Sql, kind: string, owner: string): Promise<void> {
  await sql.query('DELETE FROM owner_beats WHERE kind = $1 AND owner = $2', [kind, owner]);
}
