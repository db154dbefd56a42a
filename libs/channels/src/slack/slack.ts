// SPDX-License-Identifier: Apache-2.0
import type { Markup } from '../format-events.ts';
import { defineServiceKind } from '../http/define-service-kind.ts';
import { sendToSlack } from './send-to-slack.ts';

/** https://docs.slack.dev/messaging/formatting-message-text: three characters are escaped, nothing else may be. */
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const mrkdwn: Markup = {
  // Bold has no way to write its own mark.
  bold: (text) => (text.includes('*') ? text : `*${text}*`),
  // Code has no way to write its own mark.
  code: (text) => `\`${escape(text).replaceAll('`', "'")}\``,
  escape,
  link: ({ text, url }) => `<${escape(url).replaceAll('|', '%7C')}|${escape(text)}>`,
  separator: ' · ',
};

/** An incoming webhook of Slack, or of what takes its messages. */
export const slack = defineServiceKind({
  kind: 'slack',
  service: 'Slack',
  webhook: 'an incoming webhook',
  hosts: ['hooks.slack.com', 'hooks.slack-gov.com'],
  // Mattermost and others take the same messages at /hooks/<id>, where the operator allows their host.
  path: /^\/(services\/\w+\/\w+|hooks)\/\w{8,}$/,
  example: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  hides: /(?<=\/services\/\w+\/\w+\/|\/hooks\/)\w{8,}/g,
  // https://docs.slack.dev/apis/web-api/rate-limits: one message a second for each webhook.
  intervalMs: 1_000,
  markup: mrkdwn,
  // Slack shows at most that much of a text without folding it (https://docs.slack.dev/changelog/2018-truncating-really-long-messages).
  lengthMax: 4_000,
  send: sendToSlack,
});
