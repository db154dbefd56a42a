// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { cookieNameOf, type ReplyCookie } from '@chainwatch/platform/http';
import { SealedValueError } from '@chainwatch/platform/secrets';
import type { Sealer } from '@chainwatch/platform/secrets';

const NAME = 'chainwatch_session';
const CONTEXT = 'dashboard_session';
const LIFETIME_MS = 12 * 3_600_000;

interface KeySession {
  readonly key: string;
}

/** Of the person whom the issuer vouches for. */
interface PersonSession {
  readonly email: string;
  /** As it was configured then. */
  readonly issuer: string | undefined;
  /** What only this session has: answers that it alone may see again are sealed with it. */
  readonly secret: string;
}

type SealedSession = (KeySession | PersonSession) & {
  /** Absent in those of a release that did not end them. */
  readonly id?: string;
  readonly until_ms: number;
};

/** Holds the key that was signed in with; only this installation reads it. */
export function makeSessionCookie(sealer: Pick<Sealer, 'seal'>, key: string): ReplyCookie {
  return sealCookie(sealer, { key });
}

/** @param person whose address is verified, and in lower case */
export function makePersonCookie(
  sealer: Pick<Sealer, 'seal'>,
  person: Pick<PersonSession, 'email' | 'issuer'>,
): ReplyCookie {
  return sealCookie(sealer, { ...person, secret: randomBytes(32).toString('base64url') });
}

export function removedSessionCookie(): ReplyCookie {
  return cookieOf('', 0);
}

function sealCookie(sealer: Pick<Sealer, 'seal'>, signedIn: KeySession | PersonSession): ReplyCookie {
  const session: SealedSession = { ...signedIn, id: randomUUID(), until_ms: Date.now() + LIFETIME_MS };
  return cookieOf(sealer.seal(JSON.stringify(session), CONTEXT), LIFETIME_MS);
}

/** Sent to the API alone, where the prefix of secure cookies allows it: the dashboard's files need none. */
function cookieOf(value: string, maxAgeMs: number): ReplyCookie {
  return { name: NAME, value, path: '/v1', maxAgeMs };
}

/** The sealed session in a Cookie header, undefined if there is none. */
export function findSessionCookie(header: string | undefined, isSecure: boolean): string | undefined {
  return findCookie(header, cookieNameOf(NAME, isSecure));
}

export function findCookie(header: string | undefined, name: string): string | undefined {
  return new RegExp(`(?:^|; ?)${name}=([^;]+)`).exec(header ?? '')?.[1];
}

/** Undefined if it has ended or was not made here. */
export function openSession(sealer: Pick<Sealer, 'open'>, sealed: string): SealedSession | undefined {
  return openSealed<SealedSession>(sealer, sealed, CONTEXT);
}

/** What a browser keeps for us until a time; undefined after it, and where it was not made here. */
export function openSealed<T extends { readonly until_ms: number }>(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
  context: string,
): T | undefined {
  try {
    const value = JSON.parse(sealer.open(sealed, context)) as T;
    return value.until_ms > Date.now() ? value : undefined;
  } catch (error) {
    if (error instanceof SealedValueError) return undefined;
    throw error;
  }
}
