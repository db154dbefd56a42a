import { invalidRequest } from '@chainwatch/problem';
import { hasUserInfo, readUserInfo } from '../../records/nats-config.ts';
import type { NatsAuth } from '../../records/nats-config.ts';

/** The credentials of a request: from the URL or from `auth`. @throws ProblemError 400 when both hold some */
export function chooseNatsAuth(url: string, auth: NatsAuth | undefined): NatsAuth {
  if (hasUserInfo(url) && auth !== undefined)
    throw invalidRequest([
      { name: 'auth', reason: 'expected credentials either in the URL or here, got both' },
    ]);
  return auth ?? readUserInfo(url) ?? { type: 'none' };
}
