// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import {
  findChannelKind,
  loadExpressions,
  storedSelectionSchema,
  type ChannelFilters,
  type ChannelKind,
  type ChannelTarget,
  type Expression,
  type Shape,
} from '@chainwatch/channels';
import type { Sql } from '@chainwatch/data/db';

/** A row of notification_channels as the engine uses it. */
export interface Channel {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly status: 'active' | 'failing' | 'failed';
  readonly isArchived: boolean;
  readonly consecutiveFailures: number;
  /** Undefined for a kind of a newer release. */
  readonly kind: ChannelKind | undefined;
  /** Nobody knows which events it wants: they are kept for it until its config can be read. */
  readonly isUnreadable?: boolean;
  /** Undefined when there is a `fault`. */
  readonly target: ChannelTarget | undefined;
  readonly eventTypes: ReadonlySet<string>;
  readonly filters: ChannelFilters;
  /** `filters.expression`, compiled. */
  readonly expression?: Expression | undefined;
  /** It gets events of history, too. */
  readonly includesHistory?: boolean;
  /** Its transaction events have what shows that the transaction is in its block. */
  readonly includeProof?: 'link' | 'inline' | undefined;
  /** What has an order of its own, where a retry holds up what is behind it; undefined: a retry delays nothing. */
  readonly orderingKey?: 'channel' | 'address' | undefined;
  /** Undefined: it gets events as they are. */
  readonly shape?: Shape | undefined;
  readonly throttlePerSecond: number | undefined;
  /** Channels with the same group are paused together. */
  readonly pauseGroup: string | undefined;
  /** Why the service cannot use the channel for now: a secret that does not open, or a kind that it does not know. */
  readonly fault: string | undefined;
}

interface CachedChannel {
  readonly version: string;
  /** What it was parsed from, without the state of its breaker. */
  readonly source: string;
  readonly channel: Channel;
}

export interface ChannelStore {
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
 * and only rows that changed are fetched, and opened again if more than the state of the breaker did.
 */
export function createChannelStore(db: Sql, open: OpenSealed, { max = CACHED_MAX } = {}): ChannelStore {
  const usedAt = new LRUCache<string, number>({ max });
  const cache = new LRUCache<string, CachedChannel>({ max });

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
    const { rows } = await db.query<ChannelRow>({
      name: 'read_channels',
      text: SELECT_CHANNELS,
      values: [versions.map(({ id }) => id)],
    });
    const versionOf = new Map(versions.map(({ id, version }) => [id, version]));
    const usesExpressions = rows.some(({ has_expression: has }) => has);
    const compile = usesExpressions ? (await loadExpressions()).compileExpression : undefined;
    return rows.map((row) => {
      // Every failure changes the row; config and secrets are as they were. What did not open may open now.
      const { status, is_archived: isArchived, consecutive_failures: consecutiveFailures, ...lasting } = row;
      const source = JSON.stringify(lasting);
      const known = cache.get(row.id);
      const channel =
        known?.source === source && known.channel.fault === undefined
          ? { ...known.channel, status, isArchived, consecutiveFailures }
          : parseChannel(row, open, compile);
      return { version: versionOf.get(row.id)!, source, channel };
    });
  }

  return {
    listByProjects: async (projectIds) =>
      (await list('project_id', projectIds)).map(({ channel }) => channel),
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
const CHANNEL_VERSION = `c.xmin::text || coalesce((
  SELECT string_agg(s.id || s.xmin::text, ',' ORDER BY s.id) FROM webhook_secrets s
  WHERE s.channel_id = c.id AND (s.expires_at IS NULL OR s.expires_at > now())), '')`;

const SELECT_CHANNELS = `
  SELECT c.id, c.project_id, (SELECT p.workspace_id FROM projects p WHERE p.id = c.project_id) AS workspace_id, c.kind, c.status, c.is_archived, c.consecutive_failures, c.config, c.credentials_sealed,
    coalesce(jsonb_typeof(c.config #> '{filters,expression}') = 'string', false) AS has_expression,
    coalesce((SELECT json_agg(json_build_object('id', s.id, 'sealed', s.secret_sealed, 'expires_at', s.expires_at) ORDER BY s.state)
      FROM webhook_secrets s WHERE s.channel_id = c.id AND (s.expires_at IS NULL OR s.expires_at > now())), '[]') AS secrets
  FROM notification_channels c WHERE c.id = ANY($1::uuid[])`;

/** An open channel gets its events at once; those of a closed one wait in the database as held. */
export function isOpen(channel: Pick<Channel, 'status' | 'isArchived'>): boolean {
  return channel.status === 'active' && !channel.isArchived;
}

/** Opens what libs/platform/src/secrets sealed. @throws when the key is missing or the text was changed */
export type OpenSealed = (sealed: string, context: string) => string;

interface ChannelRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly kind: string;
  readonly status: Channel['status'];
  readonly is_archived: boolean;
  readonly consecutive_failures: number;
  readonly config: unknown;
  readonly credentials_sealed: string | null;
  readonly has_expression: boolean;
  readonly secrets: readonly {
    readonly id: string;
    readonly sealed: string;
    readonly expires_at: string | null;
  }[];
}

/** The part of a channel that depends on its kind. */
type Usage = Pick<Channel, 'kind' | 'target' | 'pauseGroup' | 'fault'>;

/**
 * A row as the engine uses it. A row that cannot be read or opened becomes a channel with a fault, which
 * waits and spends no attempt.
 */
export function parseChannel(row: ChannelRow, open: OpenSealed, compile: Compile | undefined): Channel {
  const kind = findChannelKind(row.kind);
  const selection = storedSelectionSchema.safeParse(row.config);
  const compiled = compileFilter(selection.data?.filters?.expression ?? undefined, compile);
  const fault = selection.success
    ? compiled.fault
    : `the config of the channel is not readable: ${describeIssues(selection.error)}`;
  const {
    event_types: eventTypes,
    filters,
    throttle_per_second: throttle,
    include_proof: proof,
    ordering,
    ordering_key: orderingKey,
    fields,
    format,
  } = selection.data ?? {};
  const includesHistory = selection.data?.include_historical === true;
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    status: row.status,
    isArchived: row.is_archived,
    consecutiveFailures: row.consecutive_failures,
    // A kind of a newer release always stores its event types, so its events are held for it meanwhile.
    eventTypes: new Set(fault === undefined ? (eventTypes ?? kind?.defaultEventTypes) : []),
    isUnreadable: fault !== undefined,
    filters: filters ?? {},
    expression: compiled.expression,
    includesHistory,
    includeProof: proof === 'link' || proof === 'inline' ? proof : undefined,
    orderingKey: ordering !== 'strict' ? undefined : orderingKey === 'address' ? 'address' : 'channel',
    shape:
      fields || format === 'cloudevents'
        ? { fields: fields ?? undefined, format: format ?? 'native' }
        : undefined,
    throttlePerSecond: throttle ?? undefined,
    ...(fault === undefined ? readUsage(row, kind, open) : unusable(kind, fault)),
  };
}

type Compile = (text: string) => Expression;

/** What a release cannot read matches nothing, and never everything: the channel waits, and says so. */
function compileFilter(
  text: string | undefined,
  compile: Compile | undefined,
): { readonly expression?: Expression; readonly fault?: string } {
  if (text === undefined) return {};
  try {
    return { expression: compile!(text) };
  } catch (error) {
    return { fault: `the expression of the channel cannot be used: ${(error as Error).message}` };
  }
}

/** The members that are not readable, without what they hold. */
function describeIssues({
  issues,
}: {
  readonly issues: readonly { readonly path: readonly PropertyKey[] }[];
}): string {
  return [...new Set(issues.map(({ path }) => String(path[0] ?? 'all of it')))].join(', ');
}

// A key that this replica lacks is the operator's fault, not the receiver's: the channel waits, and spends no attempt.
function readUsage(row: ChannelRow, kind: ChannelKind | undefined, open: OpenSealed): Usage {
  if (kind === undefined) return unusable(kind, `this release does not know the channel kind "${row.kind}"`);
  if (kind.isSigned && row.secrets.length === 0)
    return unusable(kind, `the channel has no ${kind.kind} secret`);
  let opened: ReturnType<typeof openSecrets>;
  try {
    opened = openSecrets(row, open);
  } catch {
    return unusable(kind, 'failed to decrypt a secret of the channel');
  }
  try {
    const target = kind.open(row.config, opened.credentials, opened.secrets);
    return { kind, target, pauseGroup: kind.pauseGroupOf(target), fault: undefined };
  } catch (error) {
    return unusable(kind, `the channel is not readable: ${String(error)}`);
  }
}

function openSecrets(
  { id, credentials_sealed: sealed, secrets }: ChannelRow,
  open: OpenSealed,
): { credentials: unknown; secrets: ChannelTarget['secrets'] } {
  return {
    credentials: sealed === null ? {} : JSON.parse(open(sealed, `channel:${id}`)),
    secrets: secrets.map((secret) => ({
      secret: open(secret.sealed, `webhook_secret:${secret.id}`),
      expiresAtMs: secret.expires_at === null ? undefined : Date.parse(secret.expires_at),
    })),
  };
}

function unusable(kind: ChannelKind | undefined, fault: string): Usage {
  return { kind, target: undefined, pauseGroup: undefined, fault };
}
