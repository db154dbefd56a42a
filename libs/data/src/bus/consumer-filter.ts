// SPDX-License-Identifier: Apache-2.0
import { streamOf, subjectOf, type SubjectKind } from '@chainwatch/events';

/** A consumer reads one stream, and server 2.9 takes a single subject for it. */
export interface ConsumerFilter {
  readonly stream: string;
  readonly subject: string;
}

/** `['tx.detected', 'tx.reorged']` with `['eip155:1']` → `tx.*.eip155:1.*` of stream `tx`. */
export function filterOf(
  kinds: readonly [SubjectKind, ...SubjectKind[]],
  tokens: readonly string[],
): ConsumerFilter {
  const [first, ...others] = kinds;
  const stream = streamOf(first);
  const stranger = others.find((kind) => streamOf(kind) !== stream);
  if (stranger !== undefined) throw new TypeError(`expected kinds of stream ${stream}, got ${stranger}`);
  const subject = subjectOf(first, tokens);
  if (others.length === 0) return { stream, subject };
  return { stream, subject: [stream, '*', ...subject.split('.').slice(2)].join('.') };
}
