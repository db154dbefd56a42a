import { cookieNameOf, type ReplyCookie } from '@chainwatch/http';
import { SealedValueError } from '@chainwatch/secrets';
import type { Sealer } from '@chainwatch/secrets';

const NAME = 'chainwatch_session';
const CONTEXT = 'dashboard_session';
const LIFETIME_MS = 12 * 3_600_000;

interface Session {
  readonly key: string;
  readonly until_ms: number;
}

/** Holds the key that was signed in with; only this installation reads it. */
export function makeSessionCookie(sealer: Pick<Sealer, 'seal'>, key: string): ReplyCookie {
  const session: Session = { key, until_ms: Date.now() + LIFETIME_MS };
  return cookieOf(sealer.seal(JSON.stringify(session), CONTEXT), LIFETIME_MS);
}

export function removedSessionCookie(): ReplyCookie {
  return cookieOf('', 0);
}

/** Sent to the API alone, where the prefix of secure cookies allows it: the dashboard's files need none. */
function cookieOf(value: string, maxAgeMs: number): ReplyCookie {
  return { name: NAME, value, path: '/v1', maxAgeMs };
}

/** The sealed session in a Cookie header, undefined if there is none. */
export function findSessionCookie(header: string | undefined, isSecure: boolean): string | undefined {
  const name = cookieNameOf(NAME, isSecure);
  return new RegExp(`(?:^|; ?)${name}=([^;]+)`).exec(header ?? '')?.[1];
}

/** Undefined if it has ended or was not made here. */
export function openSession(sealer: Pick<Sealer, 'open'>, sealed: string): Session | undefined {
  try {
    const session = JSON.parse(sealer.open(sealed, CONTEXT)) as Session;
    return session.until_ms > Date.now() ? session : undefined;
  } catch (error) {
    if (error instanceof SealedValueError) return undefined;
    throw error;
  }
}
