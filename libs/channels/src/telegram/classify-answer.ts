// SPDX-License-Identifier: Apache-2.0
import type { ErrorCode } from '../attempt.ts';

/** What the Bot API answers (https://core.telegram.org/bots/api#making-requests), not checked. */
export interface BotAnswer {
  readonly ok?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown } | null;
}

/**
 * Refusals that no other attempt mends, by their description. Telegram publishes no list and sends most of them with 400:
 * these are the texts of its Bot API server (https://github.com/tdlib/telegram-bot-api, Client::fail_query_with_error) and the
 * errors of its own protocol that the server passes on in capitals.
 */
const REFUSALS: readonly (readonly [text: RegExp, code: ErrorCode])[] = [
  [/deactivated|group chat was deleted|supergroup chat was deleted|chat was deleted/i, 'chat_deactivated'],
  [/TOPIC_(CLOSED|DELETED)|topic (is )?(closed|deleted)|message thread not found/i, 'topic_closed'],
  [/(chat|user|group|channel) not found|(PEER|CHAT|CHANNEL|USER)_ID_INVALID/i, 'chat_not_found'],
  [/not enough rights|have no rights|need administrator rights|CHAT_ADMIN_REQUIRED/i, 'chat_forbidden'],
  [
    /CHAT_(WRITE|SEND_\w+)_FORBIDDEN|CHAT_RESTRICTED|CHANNEL_PRIVATE|USER_(BANNED|IS_BLOCKED)\w*/i,
    'chat_forbidden',
  ],
  [/bot (was|is) (blocked|kicked|banned)|bot is not a member|bot can't/i, 'chat_forbidden'],
];

export function classifyAnswer(status: number, answer: BotAnswer | undefined): ErrorCode | undefined {
  if (status >= 200 && status < 300) return answer?.ok === true ? undefined : 'invalid_response';
  if (status === 429) return 'rate_limited';
  // A token whose form it does not know is a path that it does not know.
  if (status === 401 || (status === 404 && answer?.ok === false)) return 'authentication_failed';
  if (status === 400 || status === 403) {
    const description = String(answer?.description ?? '');
    const refusal = REFUSALS.find(([text]) => text.test(description));
    if (refusal !== undefined) return refusal[1];
    if (status === 403) return 'chat_forbidden';
  }
  return status >= 300 && status < 400 ? 'redirect_refused' : 'http_error';
}

export function parseAnswer(body: string | undefined): BotAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
