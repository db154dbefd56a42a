import { z } from 'zod';

export const DEFAULT_WEBHOOK_EVENT_TYPES: readonly string[] = [
  'transaction.detected',
  'transaction.confirmed',
];

/** Names that the notifier writes itself, or that HTTP needs: refused among a channel's own headers. Lower case. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-webhook-delivery-id',
  'x-webhook-event',
  'x-webhook-event-id',
  'x-webhook-signature',
]);

const list = z.array(z.string()).nullish();

export const channelFiltersSchema = z.object({
  chain_gids: list,
  asset_gids: list,
  address_ids: list,
  direction: z.union([z.string(), z.array(z.string())]).nullish(),
  /** Whole units of the asset. */
  min_amount: z.string().nullish(),
});
export type ChannelFilters = z.infer<typeof channelFiltersSchema>;

const selection = { event_types: z.array(z.string()).nullish(), filters: channelFiltersSchema.nullish() };

/** `notification_channels.config` by kind, as the notifier reads it. The gateway validates more strictly. */
export const channelConfigSchemas = {
  webhook: z.object({
    ...selection,
    url: z.string(),
    headers: z.record(z.string(), z.string()).nullish(),
    throttle_per_second: z.number().positive().nullish(),
  }),
  nats: z.object({ ...selection, url: z.string(), subject: z.string() }),
  telegram: z.object({ ...selection, chat_id: z.number() }),
} as const;
export type ChannelKind = keyof typeof channelConfigSchemas;

/** What `notification_channels.credentials_sealed` holds as JSON, context `channel:<id>`. */
export const webhookCredentialsSchema = z.object({
  auth: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('none') }),
      z.object({ type: z.literal('basic'), username: z.string(), password: z.string() }),
      z.object({ type: z.literal('bearer'), token: z.string() }),
      z.object({ type: z.literal('header'), name: z.string(), value: z.string() }),
    ])
    .default({ type: 'none' }),
});
export type WebhookAuth = z.infer<typeof webhookCredentialsSchema>['auth'];

export const natsCredentialsSchema = z.object({
  auth: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('none') }),
      z.object({ type: z.literal('user'), username: z.string(), password: z.string() }),
      z.object({ type: z.literal('token'), token: z.string() }),
      z.object({ type: z.literal('nkey'), seed: z.string() }),
      z.object({ type: z.literal('creds'), creds: z.string() }),
    ])
    .default({ type: 'none' }),
});
export type NatsAuth = z.infer<typeof natsCredentialsSchema>['auth'];

export const telegramCredentialsSchema = z.object({ bot_token: z.string() });

export interface SigningSecret {
  readonly secret: string;
  /** Signs until then. */
  readonly expiresAtMs: number | undefined;
}

export interface WebhookTarget {
  readonly kind: 'webhook';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: WebhookAuth;
  /** The current one first; two during a rotation. */
  readonly secrets: readonly SigningSecret[];
}

export interface NatsTarget {
  readonly kind: 'nats';
  /** Without credentials that work: masked ones may stand in it. */
  readonly url: string;
  readonly subject: string;
  readonly auth: NatsAuth;
}

export interface TelegramTarget {
  readonly kind: 'telegram';
  readonly botToken: string;
  readonly chatId: number;
}

export type ChannelTarget = WebhookTarget | NatsTarget | TelegramTarget;

export interface Channel {
  readonly id: string;
  readonly projectId: string;
  readonly status: 'active' | 'failing' | 'failed';
  readonly isArchived: boolean;
  readonly consecutiveFailures: number;
  readonly target: ChannelTarget;
  readonly eventTypes: ReadonlySet<string>;
  readonly filters: ChannelFilters;
  readonly throttlePerSecond: number | undefined;
  /** Why the channel cannot be used for now through a fault of the service: a secret that does not open. */
  readonly fault: string | undefined;
}

/** An open channel gets its events at once; those of another wait in the database as held. */
export function isOpen(channel: Pick<Channel, 'status' | 'isArchived'>): boolean {
  return channel.status === 'active' && !channel.isArchived;
}
