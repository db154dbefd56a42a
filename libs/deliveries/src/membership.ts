import type { Sql } from '@chainwatch/db';
import type { DeliveryLogger } from './delivery-options.ts';

/** Which channels this replica looks after. Every channel has one replica, and a replica that dies leaves its channels to the others. */
export interface Membership {
  owns(id: string): boolean;
  /** First two hex digits of the ids that are owned; undefined when that is all of them. */
  readonly partitions: readonly string[] | undefined;
  /** Leaves, so that the others take over at once. */
  stop(): Promise<void>;
}

export interface MembershipOptions {
  readonly db: Sql;
  readonly instanceId: string;
  readonly heartbeatMs: number;
  /** A replica that was not seen for so long is dead. */
  readonly staleMs: number;
  readonly logger: DeliveryLogger;
  /** Called when channels came or went. */
  readonly onChange: () => void;
}

const UNSEEN = 'the other notifiers could not be looked for';
const PARTITIONS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/**
 * Shares the channels by rendezvous hashing over the replicas that were seen lately: 256 partitions by the first byte of
 * the id, each of the replica with the highest hash, so that only a dead one's partitions move. While two replicas see the
 * membership differently, for a heartbeat or two, the database decides who sends what: the order may suffer, nothing else.
 */
export async function joinMembers(options: MembershipOptions): Promise<Membership> {
  const { db, instanceId, heartbeatMs, staleMs, logger, onChange } = options;
  // A database that is just restarting: alone it looks after everything, until the next heartbeat tells of the others.
  let members = await beat().catch((error: unknown) => {
    logger.warn({ error: String(error) }, UNSEEN);
    return [] as string[];
  });
  let owned = choosePartitions(instanceId, members);
  let timer: NodeJS.Timeout;
  let beating: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function beat(): Promise<string[]> {
    await db.query(
      `INSERT INTO notifier_replicas (instance_id) VALUES ($1) ON CONFLICT (instance_id) DO UPDATE SET seen_at = now()`,
      [instanceId],
    );
    await db.query(`DELETE FROM notifier_replicas WHERE seen_at < now() - interval '1 hour'`);
    const { rows } = await db.query<{ instance_id: string }>(
      `SELECT instance_id FROM notifier_replicas WHERE seen_at > now() - $1 * interval '1 ms' ORDER BY instance_id`,
      [staleMs],
    );
    return rows.map(({ instance_id }) => instance_id);
  }

  // Without the database nothing is delivered anyway: what was known stays.
  async function refresh(): Promise<void> {
    try {
      const seen = await beat();
      if (seen.join() === members.join()) return;
      members = seen;
      owned = choosePartitions(instanceId, members);
      logger.info(
        { replica_count: members.length, partition_count: owned.size },
        'the channels were shared anew among the notifiers',
      );
      onChange();
    } catch (error) {
      logger.warn({ error: String(error) }, UNSEEN);
    }
  }

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      beating = refresh().finally(schedule);
    }, heartbeatMs);
  }
  schedule();

  return {
    owns: (id) => owned.has(id.slice(0, 2)),
    get partitions() {
      return owned.size === PARTITIONS.length ? undefined : [...owned];
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await beating;
      await db
        .query('DELETE FROM notifier_replicas WHERE instance_id = $1', [instanceId])
        .catch(() => undefined);
    },
  };
}

/** The partitions whose highest hash is this member's. */
export function choosePartitions(instanceId: string, members: readonly string[]): Set<string> {
  const all = members.includes(instanceId) ? members : [...members, instanceId];
  return new Set(
    PARTITIONS.filter((partition) =>
      all.every((member) => member === instanceId || isLower(member, instanceId, partition)),
    ),
  );
}

function isLower(one: string, other: string, partition: string): boolean {
  const [left, right] = [hashOf(one, partition), hashOf(other, partition)];
  return left === right ? one < other : left < right;
}

/** FNV-1a, stirred: members differ in their last characters, partitions too. */
function hashOf(member: string, partition: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${partition}|${member}|${partition}`)
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
