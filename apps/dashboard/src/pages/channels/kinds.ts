import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import type { Channel } from '../../api/queries.ts';

export type Kind = Channel['kind'];

interface KindField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly isSecret?: boolean;
  /** How what was written stands in the body; default as it is. */
  readonly toValue?: (text: string) => unknown;
}

interface KindText {
  readonly title: string;
  readonly about: string;
  readonly fields: readonly KindField[];
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
        toValue: (text) => text.split(/[\s,]+/).filter((one) => one !== ''),
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

/** `bot_token` → `Bot token` */
function toWords(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Where a channel delivers to, in one line; its secrets are masked by the API. */
export function targetOf({ kind, config }: Channel): string {
  if (kind === 'nats') return `${config.url} · ${config.subject}`;
  if (kind === 'telegram') return `chat ${config.chat_id}`;
  if (kind === 'email') return config.recipients.map(({ address }) => address).join(', ');
  return 'url' in config && typeof config.url === 'string' ? config.url : toWords(kind);
}
