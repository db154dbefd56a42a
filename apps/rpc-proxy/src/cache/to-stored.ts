import type { WholeReply } from '../upstream-request/response-sink.ts';
import { idsEqual } from '../json/ids-equal.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { StoredReply } from './memory-store.ts';

/**
 * The reply in a form that can be sent under other ids: only a result, under the id that was sent. Undefined for
 * everything else, because an error may concern only the caller.
 */
export function toStored(
  { status, body, contentType, contentEncoding }: WholeReply,
  id: Buffer,
): StoredReply | undefined {
  if (status !== 200 || contentEncoding !== undefined) return undefined;
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || skipSpace(body, reply.end) < body.length) return undefined;
  const { idStart, idEnd, resultStart, errorStart, errorEnd } = reply;
  if (resultStart === -1 || (errorStart !== -1 && !isNull(body, errorStart, errorEnd))) return undefined;
  if (idStart === -1 || !idsEqual(body, idStart, idEnd, id, 0, id.length)) return undefined;
  return { body, idStart, idEnd, contentType };
}
