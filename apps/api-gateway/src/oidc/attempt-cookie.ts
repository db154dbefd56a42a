// SPDX-License-Identifier: Apache-2.0
import { cookieNameOf, type ReplyCookie } from '@chainwatch/http';
import type { Sealer } from '@chainwatch/secrets';
import { findCookie, openSealed } from '../auth/session-cookie.ts';
import type { SignInAttempt } from './oidc-client.ts';

const NAME = 'chainwatch_sign_in';
const CONTEXT = 'sign_in_attempt';
/** For a password, a second factor and a consent. */
const LIFETIME_MS = 600_000;

/** Kept by the browser that began, so that an answer that was meant for another one counts for nothing. */
interface SealedAttempt extends SignInAttempt {
  /** The page that wanted the sign-in. */
  readonly to: string;
  readonly until_ms: number;
}

export function makeAttemptCookie(
  sealer: Pick<Sealer, 'seal'>,
  attempt: Omit<SealedAttempt, 'until_ms'>,
): ReplyCookie {
  const sealed: SealedAttempt = { ...attempt, until_ms: Date.now() + LIFETIME_MS };
  return cookieOf(sealer.seal(JSON.stringify(sealed), CONTEXT), LIFETIME_MS);
}

export function removedAttemptCookie(): ReplyCookie {
  return cookieOf('', 0);
}

/** The issuer leads the browser here from its own site. */
function cookieOf(value: string, maxAgeMs: number): ReplyCookie {
  return { name: NAME, value, path: '/ui/oidc', maxAgeMs, isForArrivals: true };
}

/** Undefined where the browser has none that counts. */
export function findAttempt(
  sealer: Pick<Sealer, 'open'>,
  header: string | undefined,
  isSecure: boolean,
): SealedAttempt | undefined {
  const sealed = findCookie(header, cookieNameOf(NAME, isSecure));
  return sealed === undefined ? undefined : openSealed<SealedAttempt>(sealer, sealed, CONTEXT);
}
