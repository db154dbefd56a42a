import { findIdNearStart, findReplyId, NO_ID } from '../json/find-reply-id.ts';
import { idKeyOf, idsEqual } from '../json/ids-equal.ts';
import type { ScannedCall } from '../json/scan-call.ts';
import { isNull, scanReplies, scanReply, type ScannedReply } from '../json/scan-reply.ts';
import { skipSpace, skipValue } from '../json/skip-value.ts';

/** The calls that were sent to a node, and the bytes that their offsets refer to. */
export interface Asked {
  readonly body: Buffer;
  readonly calls: readonly ScannedCall[];
  readonly isBatch: boolean;
}

/**
 * Whether a complete reply may answer `asked`: it has that id, or none. A connection that is off by one reply returns
 * somebody else's answers from then on. A null id is accepted in an error only: the node could not read the id.
 * Anything that is not JSON-RPC has nothing to compare.
 */
export function isReplyTo(asked: Asked, reply: Buffer): boolean {
  const start = skipSpace(reply, 0);
  if (reply[start] === 0x7b) return isObjectTo(asked, reply, start);
  return reply[start] !== 0x5b || (asked.isBatch && isListTo(asked, reply));
}

/** The same from the first bytes of a reply: false is certain; undefined means that the id comes later. */
export function startsReplyTo(asked: Asked, bytes: Buffer): boolean | undefined {
  const start = skipSpace(bytes, 0);
  const isList = bytes[start] === 0x5b;
  if (isList && !asked.isBatch) return false;
  const idStart = findIdNearStart(bytes, isList ? skipSpace(bytes, start + 1) : start);
  if (idStart === NO_ID) return undefined;
  return asked.isBatch
    ? isOneOf(asked, bytes, idStart, skipValue(bytes, idStart))
    : isOwnId(asked, bytes, idStart, skipValue(bytes, idStart));
}

/** Whether the id of a reply is that of the only call. */
export function isOwnId({ body, calls }: Asked, reply: Buffer, start: number, end: number): boolean {
  const { idStart, idEnd } = calls[0]!;
  return idStart === -1 ? isNull(reply, start, end) : idsEqual(body, idStart, idEnd, reply, start, end);
}

function isObjectTo(asked: Asked, reply: Buffer, start: number): boolean {
  const idStart = findReplyId(reply, start);
  if (idStart === NO_ID) return true;
  const idEnd = skipValue(reply, idStart);
  if (!asked.isBatch && isOwnId(asked, reply, idStart, idEnd)) return true;
  if (asked.isBatch && asked.calls.length === 1 && isOneOf(asked, reply, idStart, idEnd)) return true;
  if (!isNull(reply, idStart, idEnd) && !(asked.isBatch && isOneOf(asked, reply, idStart, idEnd)))
    return false;
  // The reply is about something that the node could not read, or about the batch as a whole.
  const scanned = scanReply(reply, start);
  return scanned === undefined || isError(reply, scanned);
}

function isListTo(asked: Asked, reply: Buffer): boolean {
  const replies = scanReplies(reply);
  if (replies === undefined) return true;
  const { body, calls } = asked;
  let next = 0;
  let keys: ReadonlySet<string> | undefined;
  return replies.every((item) => {
    if (item.idStart === -1) return true;
    while (next < calls.length && calls[next]!.idStart === -1) next += 1;
    const call = calls[next];
    next += 1;
    if (call !== undefined && idsEqual(body, call.idStart, call.idEnd, reply, item.idStart, item.idEnd))
      return true;
    keys ??= keysOf(asked);
    if (keys.has(idKeyOf(reply, item.idStart, item.idEnd))) return true;
    return isNull(reply, item.idStart, item.idEnd) && isError(reply, item);
  });
}

function isOneOf({ body, calls }: Asked, reply: Buffer, start: number, end: number): boolean {
  return calls.some(
    ({ idStart, idEnd }) => idStart !== -1 && idsEqual(body, idStart, idEnd, reply, start, end),
  );
}

function keysOf({ body, calls }: Asked): Set<string> {
  return new Set(
    calls.filter(({ idStart }) => idStart !== -1).map(({ idStart, idEnd }) => idKeyOf(body, idStart, idEnd)),
  );
}

function isError(reply: Buffer, { errorStart, errorEnd }: ScannedReply): boolean {
  return errorStart !== -1 && !isNull(reply, errorStart, errorEnd);
}
