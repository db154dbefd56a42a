// SPDX-License-Identifier: Apache-2.0
import { API_KEY_CHECK_LENGTH, checksumOf } from './api-key.ts';
import { randomBase62, type RandomBytes } from './base62.ts';
import { checkNamespaceLabel } from './namespace-label.ts';

const RANDOM_LENGTH = 30;

/** What opens a portal session, `<label>_portal_<30 random><6 check>`. Shown once, stored as `hashApiKey` only. */
export function generatePortalToken(options: { label: string; randomBytes: RandomBytes }): string {
  const random = randomBase62(RANDOM_LENGTH, options.randomBytes);
  return portalTokenPrefix(options.label) + random + checksumOf(random);
}

/**
 * The portal token in an Authorization header; undefined where it carries something else, which is not for us. Its form
 * is not checked yet: `isPortalToken` does.
 */
export function findPortalToken(header: string | undefined, label: string): string | undefined {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  return token?.startsWith(portalTokenPrefix(label)) ? token : undefined;
}

/** Whether it has the form of a token, checksum included, before any look-up. Never throws on what a client sends. */
export function isPortalToken(token: string, label: string): boolean {
  const body = token.slice(portalTokenPrefix(label).length);
  return (
    token.startsWith(portalTokenPrefix(label)) &&
    body.length === RANDOM_LENGTH + API_KEY_CHECK_LENGTH &&
    /^[0-9A-Za-z]+$/.test(body) &&
    checksumOf(body.slice(0, RANDOM_LENGTH)) === body.slice(RANDOM_LENGTH)
  );
}

/** @throws InvalidNamespaceLabelError */
function portalTokenPrefix(label: string): string {
  checkNamespaceLabel(label);
  return `${label}_portal_`;
}
