// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import type { Channel } from '../../api/queries.ts';

export type Kind = Channel['kind'];

export interface KindField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly hint?: string;
  /** Write-only: what is stored is never shown. */
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  /** What an empty optional field means. */
  readonly empty?: unknown;
  /** Values to choose from, with their titles; the first is the default. */
  readonly choices?: Readonly<Record<string, string>>;
  /** How what was written stands in the body; default as it is. */
  readonly toValue?: (text: string) => unknown;
}

interface KindText {
  readonly title: string;
  readonly about: string;
  readonly fields: readonly KindField[];
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(':');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** What kinds ask for, in words for people; `describeKind` has those of all. */
const KINDS: Readonly<Record<string, KindText>> = {
  webhook: {
    title: 'Webhook',
    about: 'A signed HTTP POST to your server, retried for days.',
    fields: [{ name: 'url', label: 'URL', placeholder: 'https://example.com/hooks/payments' }],
  },
  nats: {
    title: 'NATS',
    about: 'Published to a subject on your NATS server.',
    fields: [
      {
        name: 'url',
        label: 'Server',
        placeholder: 'tls://nats.example.com:4222',
      },
      { name: 'subject', label: 'Subject', placeholder: 'payments.chainwatch' },
    ],
  },
  http_batch: {
    title: 'HTTP batch',
    about: 'Many events in one signed HTTP POST, one per line.',
    fields: [
      { name: 'url', label: 'URL', placeholder: 'https://ingest.example.com/chainwatch' },
      {
        name: 'max_events',
        label: 'Events per request',
        placeholder: '500',
        hint: 'At most 500.',
        isOptional: true,
        empty: 500,
        toValue: toNumber,
      },
    ],
  },
  kafka: {
    title: 'Kafka',
    about: 'Written to a topic of your cluster, keyed by address.',
    fields: [
      {
        name: 'brokers',
        label: 'Brokers',
        placeholder: 'kafka-1.example.com:9093, kafka-2.example.com:9093',
        hint: 'Separated by commas.',
        toValue: toList,
      },
      { name: 'topic', label: 'Topic', placeholder: 'payments' },
      {
        name: 'tls',
        label: 'TLS',
        isOptional: true,
        empty: true,
        choices: { true: 'On', false: 'Off' },
        toValue: (text) => text === 'true',
      },
    ],
  },
  rabbitmq: {
    title: 'RabbitMQ',
    about: 'Published with confirms to your RabbitMQ server.',
    fields: [
      { name: 'url', label: 'Server', placeholder: 'amqps://rabbitmq.example.com:5671/payments' },
      {
        name: 'routing_key',
        label: 'Routing key',
        placeholder: 'payments',
        hint: 'The queue name if no exchange is given.',
      },
      {
        name: 'exchange',
        label: 'Exchange',
        placeholder: 'chainwatch',
        hint: 'Empty: the default exchange.',
        isOptional: true,
        empty: '',
      },
    ],
  },
  redis_stream: {
    title: 'Redis stream',
    about: 'Added to a stream of your Redis or Valkey server.',
    fields: [
      { name: 'url', label: 'Server', placeholder: 'rediss://redis.example.com:6379/0' },
      { name: 'stream', label: 'Stream', placeholder: 'payments' },
      {
        name: 'max_length',
        label: 'Maximum length',
        placeholder: '1000000',
        hint: 'Redis removes older entries. Empty: nothing is removed.',
        isOptional: true,
        empty: null,
        toValue: toNumber,
      },
    ],
  },
  sqs: {
    title: 'Amazon SQS',
    about: 'Sent to a queue. FIFO queues keep the order of each address.',
    fields: [
      {
        name: 'queue_url',
        label: 'Queue URL',
        placeholder: 'https://sqs.eu-central-1.amazonaws.com/123456789012/payments.fifo',
      },
      {
        name: 'region',
        label: 'Region',
        placeholder: 'eu-central-1',
        hint: 'Empty: the region in the URL.',
        isOptional: true,
        empty: null,
      },
      {
        name: 'auth',
        label: 'Access key',
        placeholder: 'AKIAIOSFODNN7EXAMPLE:secret',
        hint: 'Key ID and secret, separated by a colon. Needs sqs:SendMessage.',
        isSecret: true,
        toValue(text) {
          const [id, secret] = splitOnce(text);
          return { access_key_id: id, secret_access_key: secret };
        },
      },
    ],
  },
  slack: {
    title: 'Slack',
    about: 'A message in a channel of your workspace.',
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
      },
    ],
  },
  discord: {
    title: 'Discord',
    about: 'A message in a channel of your server.',
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        placeholder: 'https://discord.com/api/webhooks/…',
        isSecret: true,
      },
    ],
  },
  telegram: {
    title: 'Telegram',
    about: 'A message of your bot in a chat.',
    fields: [
      { name: 'bot_token', label: 'Bot token', isSecret: true },
      { name: 'chat_id', label: 'Chat ID', placeholder: '42000000', toValue: Number },
    ],
  },
  email: {
    title: 'E-mail',
    about: 'An e-mail to people, who first confirm by a link.',
    fields: [
      {
        name: 'recipients',
        label: 'Recipients',
        placeholder: 'ops@example.com, finance@example.com',
        hint: 'Separated by commas.',
        toValue: toList,
      },
    ],
  },
};

/** Those with words of their own first. */
export const KIND_NAMES = [...new Set([...Object.keys(KINDS), ...Object.keys(CHANNEL_KINDS)])] as Kind[];

/** A kind without words of its own asks for what the API needs; a newer API may have kinds that are not known here. */
export function describeKind(
  kind: Kind,
  kinds: Readonly<Record<string, Described | undefined>> = CHANNEL_KINDS,
): KindText {
  const own = KINDS[kind];
  if (own !== undefined) return own;
  const { summary, fields } = kinds[kind] ?? { summary: '', fields: [] };
  return { title: toWords(kind), about: summary, fields: fields.map(toField) };
}

interface Described {
  readonly summary: string;
  readonly fields: readonly Member[];
}

interface Member {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
}

/** What is no text is written as JSON. */
function toField({ name, type, description }: Member): KindField {
  const isText = type === 'string';
  return { name, label: toWords(name), hint: description, ...(!isText && { toValue: parseLoosely }) };
}

/** The API says what it expected instead. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What is no number stays text: the API says what it expected. */
function toNumber(text: string): unknown {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

function toList(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== '');
}

/** `bot_token` → `Bot token` */
export function toWords(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Where a channel delivers to, in one line; its secrets are masked by the API. */
export function targetOf({ kind, config }: Channel): string {
  if (kind === 'nats') return `${config.url} · ${config.subject}`;
  if (kind === 'redis_stream') return `${config.url} · ${config.stream}`;
  if (kind === 'rabbitmq')
    return `${config.url} · ${[config.exchange, config.routing_key].filter((name) => name !== '').join(' / ')}`;
  if (kind === 'kafka') return `${config.brokers.join(', ')} · ${config.topic}`;
  if (kind === 'sqs') return config.queue_url;
  if (kind === 'telegram') return `chat ${config.chat_id}`;
  if (kind === 'email') return config.recipients.map(({ address }) => address).join(', ');
  return 'url' in config && typeof config.url === 'string' ? config.url : toWords(kind);
}
