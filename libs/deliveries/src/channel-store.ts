import { LRUCache } from 'lru-cache';
import type { Sql } from '@chainwatch/db';
import type { Channel } from './channel.ts';
import { parseChannel, type ChannelRow, type OpenSealed } from './parse-channel.ts';

/** The channels of a project as last read, with the versions of their rows. */
export interface KnownChannels {
  readonly channels: readonly Channel[];
  readonly versions: readonly { readonly id: string; readonly version: string }[];
}

interface CachedChannel {
  readonly version: string;
  readonly channel: Channel;
}

export interface ChannelStore {
  /** Answers from memory; the caller must ask the database whether the versions still hold. */
  findKnown(projectId: string): KnownChannels | undefined;
  /** The channels of some projects, as they are in the database now; parsed and unsealed once per version. */
  listByProjects(projectIds: readonly string[]): Promise<Channel[]>;
  listByIds(channelIds: readonly string[]): Promise<Channel[]>;
  /** Records, to the minute, when the secrets of channels were last used to sign. */
  markUsed(channelIds: readonly string[]): Promise<void>;
}

const CACHED_MAX = 10_000;
const USED_PRECISION_MS = 60_000;

/**
 * Reads channels without ever being stale: every look-up asks for the versions of the rows (their xmin, a few bytes),
 * and only rows that changed are fetched and opened again.
 */
export function createChannelStore(db: Sql, open: OpenSealed, { max = CACHED_MAX } = {}): ChannelStore {
  const usedAt = new LRUCache<string, number>({ max });
  const cache = new LRUCache<string, CachedChannel>({ max });
  const known = new LRUCache<string, KnownChannels>({ max });

  async function list(column: 'id' | 'project_id', ids: readonly string[]): Promise<CachedChannel[]> {
    if (ids.length === 0) return [];
    const { rows } = await db.query<{ id: string; version: string }>({
      name: `list_channels_by_${column}`,
      text: `SELECT c.id, ${CHANNEL_VERSION} AS version
       FROM notification_channels c WHERE c.${column} = ANY($1::uuid[]) ORDER BY c.created_at, c.id`,
      values: [ids],
    });
    // Kept beside the cache, which may be too small for all of them.
    const found = new Map<string, CachedChannel>();
    for (const { id, version } of rows) {
      const cached = cache.get(id);
      if (cached?.version === version) found.set(id, cached);
    }
    const changed = rows.filter(({ id }) => !found.has(id));
    for (const read of changed.length > 0 ? await readAll(changed) : []) {
      found.set(read.channel.id, read);
      cache.set(read.channel.id, read);
    }
    return rows.flatMap(({ id }) => found.get(id) ?? []);
  }

  async function readAll(versions: readonly { id: string; version: string }[]): Promise<CachedChannel[]> {
    const { rows } = await db.query<ChannelRow>(SELECT_CHANNELS, [versions.map(({ id }) => id)]);
    const versionOf = new Map(versions.map(({ id, version }) => [id, version]));
    return rows.map((row) => ({ version: versionOf.get(row.id)!, channel: parseChannel(row, open) }));
  }

  return {
    findKnown: (projectId) => known.get(projectId),
    async listByProjects(projectIds) {
      const listed = await list('project_id', projectIds);
      for (const projectId of projectIds) {
        const own = listed.filter(({ channel }) => channel.projectId === projectId);
        known.set(projectId, {
          channels: own.map(({ channel }) => channel),
          versions: own.map(({ channel: { id }, version }) => ({ id, version })),
        });
      }
      return listed.map(({ channel }) => channel);
    },
    listByIds: async (channelIds) => (await list('id', channelIds)).map(({ channel }) => channel),
    async markUsed(channelIds) {
      const due = [...new Set(channelIds)].filter(
        (id) => (usedAt.get(id) ?? 0) < Date.now() - USED_PRECISION_MS,
      );
      if (due.length === 0) return;
      for (const id of due) usedAt.set(id, Date.now());
      await db.query(
        'UPDATE webhook_secrets SET last_used_at = now() WHERE channel_id = ANY($1::uuid[]) AND (expires_at IS NULL OR expires_at > now())',
        [due],
      );
    },
  };
}

/**
 * Version of a row `c` of notification_channels: changes with the row and with the secrets that sign for it.
 */
export const CHANNEL_VERSION = `c.xmin::text || coalesce((
  SELECT string_agg(s.id || s.xmin::text, ',' ORDER BY s.id) FROM webhook_secrets s
  WHERE s.channel_id = c.id AND (s.expires_at IS NULL OR s.expires_at > now())), '')`;

const SELECT_CHANNELS = `
  SELECT c.id, c.project_id, c.kind, c.status, c.is_archived, c.consecutive_failures, c.config, c.credentials_sealed,
    coalesce((SELECT json_agg(json_build_object('id', s.id, 'sealed', s.secret_sealed, 'expires_at', s.expires_at) ORDER BY s.state)
      FROM webhook_secrets s WHERE s.channel_id = c.id AND (s.expires_at IS NULL OR s.expires_at > now())), '[]') AS secrets
  FROM notification_channels c WHERE c.id = ANY($1::uuid[])`;
