// SPDX-License-Identifier: Apache-2.0
import type { Full } from './tenants.ts';

export interface FullAnswer {
  readonly status: 429 | 503;
  readonly error: string;
}

export const FULL_RETRY_SECONDS = '1';

const UNREAD = 'bodies, calls under way and answers that are not read hold too much memory';

const ANSWERS: Readonly<Record<Full, FullAnswer>> = {
  connection: { status: 429, error: `too much under way on this connection: ${UNREAD}` },
  key: { status: 429, error: `too much under way for this key: ${UNREAD}` },
  workspace: { status: 429, error: `too much under way for this workspace: ${UNREAD}` },
  process: { status: 503, error: 'the gateway has too much under way' },
};

/** The answer to a client for which no more memory may be held. */
export function answerFull(full: Full): FullAnswer {
  return ANSWERS[full];
}
