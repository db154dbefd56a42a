import {
  findChannelKind,
  storedSelectionSchema,
  type ChannelKind,
  type ChannelTarget,
} from '@chainwatch/channels';
import type { Channel } from './channel.ts';

/** Opens what libs/secrets sealed. @throws when the key is missing or the text was changed */
export type OpenSealed = (sealed: string, context: string) => string;

export interface ChannelRow {
  readonly id: string;
  readonly project_id: string;
  readonly kind: string;
  readonly status: Channel['status'];
  readonly is_archived: boolean;
  readonly consecutive_failures: number;
  readonly config: unknown;
  readonly credentials_sealed: string | null;
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
export function parseChannel(row: ChannelRow, open: OpenSealed): Channel {
  const kind = findChannelKind(row.kind);
  const selection = storedSelectionSchema.safeParse(row.config);
  const { event_types: eventTypes, filters, throttle_per_second: throttle } = selection.data ?? {};
  const includesHistory = selection.data?.include_historical === true;
  return {
    id: row.id,
    projectId: row.project_id,
    status: row.status,
    isArchived: row.is_archived,
    consecutiveFailures: row.consecutive_failures,
    // A kind of a newer release always stores its event types, so its events are held for it meanwhile.
    eventTypes: new Set(eventTypes ?? kind?.defaultEventTypes),
    filters: filters ?? {},
    includesHistory,
    throttlePerSecond: throttle ?? undefined,
    ...(selection.success
      ? readUsage(row, kind, open)
      : unusable(kind, `the config of the channel is not readable: ${selection.error.message}`)),
  };
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
    return unusable(kind, 'a sealed secret of the channel could not be opened');
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
