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

/** What each kind of channel asks for. */
export const KINDS: Readonly<Record<Kind, KindText>> = {
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

/** Where a channel delivers to, in one line; its secrets are masked by the API. */
export function targetOf({ kind, config }: Channel): string {
  switch (kind) {
    case 'nats':
      return `${config.url} · ${config.subject}`;
    case 'telegram':
      return `chat ${config.chat_id}`;
    case 'email':
      return config.recipients.map(({ address }) => address).join(', ');
    case 'webhook':
    case 'slack':
    case 'discord':
      return config.url;
  }
}
