import {
  channelConfigSchemas,
  DEFAULT_WEBHOOK_EVENT_TYPES,
  natsCredentialsSchema,
  telegramCredentialsSchema,
  webhookCredentialsSchema,
  type Channel,
  type ChannelKind,
  type ChannelTarget,
} from './channel-config.ts';

/** Opens what libs/secrets sealed. @throws when the key is missing or the text was changed */
export type OpenSealed = (sealed: string, context: string) => string;

export interface ChannelRow {
  readonly id: string;
  readonly project_id: string;
  readonly kind: ChannelKind;
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

const DEFAULT_EVENT_TYPES: Readonly<Record<ChannelKind, readonly string[]>> = {
  webhook: DEFAULT_WEBHOOK_EVENT_TYPES,
  nats: [...DEFAULT_WEBHOOK_EVENT_TYPES, 'balance.changed'],
  telegram: [...DEFAULT_WEBHOOK_EVENT_TYPES, 'balance.changed'],
};

/** A row as the engine uses it. What cannot be read or opened makes a channel with a fault, that waits and spends no attempt. */
export function parseChannel(row: ChannelRow, open: OpenSealed): Channel {
  const common = {
    id: row.id,
    projectId: row.project_id,
    status: row.status,
    isArchived: row.is_archived,
    consecutiveFailures: row.consecutive_failures,
  };
  const parsed = channelConfigSchemas[row.kind].safeParse(row.config);
  if (!parsed.success) {
    const fault = `the config of the channel is not readable: ${parsed.error.message}`;
    return {
      ...common,
      target: unusable(row.kind),
      eventTypes: new Set(DEFAULT_EVENT_TYPES[row.kind]),
      filters: {},
      throttlePerSecond: undefined,
      fault,
    };
  }
  const { event_types: eventTypes, filters } = parsed.data;
  const throttle = 'throttle_per_second' in parsed.data ? parsed.data.throttle_per_second : undefined;
  return {
    ...common,
    ...openTarget(row, open),
    eventTypes: new Set(eventTypes ?? DEFAULT_EVENT_TYPES[row.kind]),
    filters: filters ?? {},
    throttlePerSecond: throttle ?? undefined,
  };
}

// A key that this replica lacks is the operator's fault, not the receiver's: the channel waits, and spends no attempt.
function openTarget(row: ChannelRow, open: OpenSealed): Pick<Channel, 'target' | 'fault'> {
  try {
    const target = readTarget(row, open);
    const hasSecret = target.kind !== 'webhook' || target.secrets.length > 0;
    return { target, fault: hasSecret ? undefined : 'the channel has no webhook secret' };
  } catch {
    return { target: unusable(row.kind), fault: 'a sealed secret of the channel could not be opened' };
  }
}

function readTarget(row: ChannelRow, open: OpenSealed): ChannelTarget {
  const credentials: unknown =
    row.credentials_sealed === null ? {} : JSON.parse(open(row.credentials_sealed, `channel:${row.id}`));
  switch (row.kind) {
    case 'webhook': {
      const { url, headers } = channelConfigSchemas.webhook.parse(row.config);
      const secrets = row.secrets.map(({ id, sealed, expires_at }) => ({
        secret: open(sealed, `webhook_secret:${id}`),
        expiresAtMs: expires_at === null ? undefined : Date.parse(expires_at),
      }));
      return {
        kind: 'webhook',
        url,
        headers: headers ?? {},
        auth: webhookCredentialsSchema.parse(credentials).auth,
        secrets,
      };
    }
    case 'nats': {
      const { url, subject } = channelConfigSchemas.nats.parse(row.config);
      return { kind: 'nats', url, subject, auth: natsCredentialsSchema.parse(credentials).auth };
    }
    case 'telegram': {
      const { chat_id: chatId } = channelConfigSchemas.telegram.parse(row.config);
      return { kind: 'telegram', chatId, botToken: telegramCredentialsSchema.parse(credentials).bot_token };
    }
  }
}

function unusable(kind: ChannelKind): ChannelTarget {
  switch (kind) {
    case 'webhook':
      return { kind, url: '', headers: {}, auth: { type: 'none' }, secrets: [] };
    case 'nats':
      return { kind, url: '', subject: '', auth: { type: 'none' } };
    case 'telegram':
      return { kind, botToken: '', chatId: 0 };
  }
}
