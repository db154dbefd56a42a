import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import type { Channel } from '../../api/queries.ts';

export type Kind = Channel['kind'];

interface KindField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly isSecret?: boolean;
  /** Left out of the body where it is empty. */
  readonly isOptional?: boolean;
  /** How what was written stands in the body; default as it is. */
  readonly toValue?: (text: string) => unknown;
}

interface KindText {
  readonly title: string;
  readonly about: string;
  readonly fields: readonly KindField[];
}

/** `user:password`, as the API takes it. */
function userField(type: string): KindField {
  return {
    name: 'auth',
    label: 'User and password',
    placeholder: 'chainwatch:correct horse',
    hint: 'With a colon between; empty where the server asks for none.',
    isSecret: true,
    isOptional: true,
    toValue(text) {
      const [username, password] = splitOnce(text);
      return { type, username, password };
    },
  };
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
    about: 'Published on a subject of your own server.',
    fields: [
      {
        name: 'url',
        label: 'Server',
        placeholder: 'tls://nats.example.com:4222',
        hint: 'With user and password in it where it asks for them.',
      },
      { name: 'subject', label: 'Subject', placeholder: 'payments.chainwatch' },
    ],
  },
  http_batch: {
    title: 'HTTP batch',
    about: 'Many events in one signed HTTP POST, a line each.',
    fields: [{ name: 'url', label: 'URL', placeholder: 'https://ingest.example.com/chainwatch' }],
  },
  kafka: {
    title: 'Kafka',
    about: 'Written to a topic of your cluster, keyed by address.',
    fields: [
      {
        name: 'brokers',
        label: 'Brokers',
        placeholder: 'kafka-1.example.com:9093, kafka-2.example.com:9093',
        hint: 'Separated by commas. They must speak TLS; the API can turn it off.',
        toValue: toList,
      },
      { name: 'topic', label: 'Topic', placeholder: 'payments' },
      userField('scram-sha-512'),
    ],
  },
  rabbitmq: {
    title: 'RabbitMQ',
    about: 'Published with confirms to your own server.',
    fields: [
      { name: 'url', label: 'Server', placeholder: 'amqps://rabbitmq.example.com:5671/payments' },
      {
        name: 'routing_key',
        label: 'Routing key',
        placeholder: 'payments',
        hint: 'The name of a queue, where no exchange is given.',
      },
      {
        name: 'exchange',
        label: 'Exchange',
        placeholder: 'chainwatch',
        hint: 'Empty: the default exchange.',
        isOptional: true,
      },
      userField('user'),
    ],
  },
  redis_stream: {
    title: 'Redis stream',
    about: 'Added to a stream of your Redis or Valkey server.',
    fields: [
      { name: 'url', label: 'Server', placeholder: 'rediss://redis.example.com:6379/0' },
      { name: 'stream', label: 'Stream', placeholder: 'payments' },
      userField('user'),
    ],
  },
  sqs: {
    title: 'Amazon SQS',
    about: 'Sent to a queue, in order of address where it is a FIFO queue.',
    fields: [
      {
        name: 'queue_url',
        label: 'Queue URL',
        placeholder: 'https://sqs.eu-central-1.amazonaws.com/123456789012/payments.fifo',
      },
      {
        name: 'auth',
        label: 'Access key',
        placeholder: 'AKIAIOSFODNN7EXAMPLE:secret',
        hint: 'Its id and its secret, with a colon between; it needs sqs:SendMessage.',
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
      { name: 'bot_token', label: 'Token of the bot', isSecret: true },
      { name: 'chat_id', label: 'Chat id', placeholder: '42000000', toValue: Number },
    ],
  },
  email: {
    title: 'E-mail',
    about: 'A mail to people, who confirm it by a link first.',
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

function toList(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== '');
}

/** Members of a body from what was written. */
export function valuesOf(kind: Kind, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const written = describeKind(kind).fields.map((field) => ({
    ...field,
    text: (texts[field.name] ?? '').trim(),
  }));
  return Object.fromEntries(
    written
      .filter(({ isOptional, text }) => !isOptional || text !== '')
      .map(({ name, toValue = String, text }) => [name, toValue(text)]),
  );
}

/** `bot_token` → `Bot token` */
function toWords(name: string): string {
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
