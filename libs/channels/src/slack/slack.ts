// SPDX-License-Identifier: Apache-2.0
import type { Markup } from '../format-events.ts';
import { defineServiceKind } from '../http/define-service-kind.ts';
import type { ErrorCode } from '../attempt.ts';
import { classifyStatus } from '../http/post-once.ts';
import { postToService, type ServiceTarget } from '../http/service-webhook.ts';
import type { SenderContext, SendRequest, SentMessage } from '../sender.ts';

/** Answers with other statuses than 404 and 410 after which the webhook never works again. */
const GONE =
  /^(invalid_webhook|invalid_token|no_service|no_service_id|no_team|team_disabled|team_not_found|no_active_hooks|account_inactive|token_revoked|token_expired|channel_is_archived|channel_not_found|user_not_found|is_archived)$/;
/** The administrators of the workspace do not let it write (https://docs.slack.dev/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks). */
const FORBIDDEN = /^(action_prohibited|restricted_action|org_login_required|ekm_access_denied)$/;

/** One message (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
async function sendToSlack(
  request: SendRequest<ServiceTarget>,
  context: Pick<SenderContext, 'http' | 'userAgent'>,
): Promise<SentMessage> {
  const json = { text: request.body, mrkdwn: true, unfurl_links: false, unfurl_media: false };
  const sent = await postToService(request, { json }, context);
  const { statusCode, responseBody } = sent.outcome;
  const errorCode =
    statusCode === undefined ? sent.outcome.errorCode : classify(statusCode, responseBody?.trim() ?? '');
  return { request: sent.request, ...sent.outcome, errorCode };
}

/** Slack answers a word as text. */
function classify(status: number, answer: string): ErrorCode | undefined {
  if (status >= 200 && status < 300) return answer === 'ok' ? undefined : 'invalid_response';
  if (status === 429) return 'rate_limited';
  if (status === 404 || status === 410 || GONE.test(answer)) return 'webhook_gone';
  if (FORBIDDEN.test(answer)) return 'webhook_forbidden';
  return classifyStatus(status);
}

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
