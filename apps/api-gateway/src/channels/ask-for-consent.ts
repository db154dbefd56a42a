import { createHash } from 'node:crypto';
import type { AskContext, ChannelKind } from '@chainwatch/channels';
import type { Principal } from '@chainwatch/key-store';
import { tooManyRequests } from '@chainwatch/problem';
import type { ApiDeps } from '../server/api-deps.ts';

const DAY_SECONDS = 86_400;
/** Questions to one address a day, whoever asks, and from one project. */
const ASKED_MAX = 3;
const ASKS_MAX = 100;

type Asked = Parameters<NonNullable<ChannelKind['consent']>['ask']>[0];

/** Asks the people whom a create or an update brought to a channel. @throws ProblemError */
export async function askForConsent(
  kind: ChannelKind,
  channel: Asked,
  { projectId }: Principal,
  { cache, settings }: Pick<ApiDeps, 'cache' | 'settings'>,
): Promise<void> {
  const take = (key: string, limit: number) =>
    cache.consumeToken({ key: `ask:${key}`, limit, windowSeconds: DAY_SECONDS });
  const context: AskContext = {
    async mayAsk(address) {
      const own = await take(projectId, ASKS_MAX);
      if (!own.allowed) throw tooManyRequests(own.retryAfterSeconds);
      return (await take(createHash('sha256').update(address).digest('hex'), ASKED_MAX)).allowed;
    },
  };
  await kind.consent?.ask(channel, context, settings.channelOptions[kind.kind] ?? {});
}
