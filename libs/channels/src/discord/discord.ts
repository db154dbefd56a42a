// SPDX-License-Identifier: Apache-2.0
import type { Markup } from '../format-events.ts';
import { defineServiceKind } from '../http/define-service-kind.ts';
import { sendToDiscord } from './send-to-discord.ts';

/** https://support.discord.com/hc/articles/210298617: any punctuation of Markdown may be escaped. */
const markdown: Markup = {
  bold: (text) => `**${text}**`,
  // Code has no way to write its own mark.
  code: (text) => `\`${text.replaceAll('`', "'")}\``,
  escape: (text) => text.replaceAll(/[\\*_~`|<>[\]()#:@+.-]/g, '\\$&'),
  link: ({ text, url }) => `[${text}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
  separator: ' · ',
};

/** A webhook of a channel in Discord. */
export const discord = defineServiceKind({
  kind: 'discord',
  service: 'Discord',
  webhook: 'a webhook',
  hosts: ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'],
  path: /^\/api(\/v\d+)?\/webhooks\/\d{5,25}\/[\w-]{8,}$/,
  example: 'https://discord.com/api/webhooks/223704706495545344/XXXXXXXXXXXXXXXXXXXXXXXX',
  hides: /(?<=\/webhooks\/\d+\/)[\w-]+/g,
  // Five requests in two seconds for each webhook; its answers say when that is used up.
  intervalMs: 400,
  markup: markdown,
  // Of an embed's description (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
  lengthMax: 4_096,
  send: sendToDiscord,
});
