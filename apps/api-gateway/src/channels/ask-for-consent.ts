// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { AskContext, ChannelKind } from '@chainwatch/channels';
import type { Principal } from '@chainwatch/data/key-store';
import { tooManyRequests } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';

const DAY_SECONDS = 86_400;
/** Questions of one workspace a day: its projects cost nothing, so each of them may not ask as many. */
const ASKS_MAX = 100;
/** Questions to one person a day: from one workspace, and whoever asks. One workspace does not use up what others need. */
const ASKED_BY_ONE_MAX = 3;
const ASKED_MAX = 9;

type Asked = Parameters<NonNullable<ChannelKind['consent']>['ask']>[0];

/** Whatever stands behind a `+`, the mail comes to the same person (RFC 5233). */
const mailboxOf = (address: string): string => address.replace(/\+[^@]*(?=@)/, '');

/** Asks the people whom a create or an update brought to a channel. @throws ProblemError */
export async function askForConsent(
  kind: ChannelKind,
  {
    channel,
    principal: { workspaceId },
    deps: { cache, settings },
  }: {
    readonly channel: Asked;
    readonly principal: Principal;
    readonly deps: Pick<ApiDeps, 'cache' | 'settings'>;
  },
): Promise<void> {
  const take = (key: string, limit: number) =>
    cache.consumeToken({ key: `ask:${key}`, limit, windowSeconds: DAY_SECONDS });
  const context: AskContext = {
    async mayAsk(address) {
      const own = await take(workspaceId, ASKS_MAX);
      if (!own.allowed) throw tooManyRequests(own.retryAfterSeconds);
      const person = createHash('sha256').update(mailboxOf(address)).digest('hex');
      if (!(await take(`${workspaceId}:${person}`, ASKED_BY_ONE_MAX)).allowed) return false;
      return (await take(person, ASKED_MAX)).allowed;
    },
  };
  await kind.consent?.ask(channel, context, settings.channelOptions[kind.kind] ?? {});
}
