import { NOT_JSON, skipSpace, skipString, skipValue } from './skip-value.ts';

/** Members of a node's reply; a start of -1 is an absent one. */
export interface ScannedReply {
  readonly start: number;
  readonly end: number;
  readonly resultStart: number;
  readonly resultEnd: number;
  readonly errorStart: number;
  readonly errorEnd: number;
  readonly idStart: number;
  readonly idEnd: number;
}

/** Finds the members of the reply that starts at `from`; undefined if there is no complete object. */
export function scanReply(bytes: Buffer, from: number): ScannedReply | undefined {
  const reply = {
    start: from,
    end: -1,
    resultStart: -1,
    resultEnd: -1,
    errorStart: -1,
    errorEnd: -1,
    idStart: -1,
    idEnd: -1,
  };
  if (bytes[from] !== 0x7b) return undefined;
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] !== 0x7d) {
    const nameEnd = bytes[at] === 0x22 ? skipString(bytes, at) : NOT_JSON;
    if (nameEnd === NOT_JSON) return undefined;
    const name = bytes.toString('latin1', at + 1, nameEnd - 1);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== 0x3a) return undefined;
    const start = skipSpace(bytes, at + 1);
    const end = skipValue(bytes, start);
    if (end === NOT_JSON) return undefined;
    if (name === 'result') [reply.resultStart, reply.resultEnd] = [start, end];
    else if (name === 'error') [reply.errorStart, reply.errorEnd] = [start, end];
    else if (name === 'id') [reply.idStart, reply.idEnd] = [start, end];
    at = skipSpace(bytes, end);
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== 0x7d) return undefined;
  }
  reply.end = at + 1;
  return reply;
}

/** The replies of an array; undefined if it is no array, or not complete. */
export function scanReplies(bytes: Buffer): ScannedReply[] | undefined {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== 0x5b) return undefined;
  const replies: ScannedReply[] = [];
  at = skipSpace(bytes, at + 1);
  while (bytes[at] !== 0x5d) {
    const reply = scanReply(bytes, at);
    if (reply === undefined) return undefined;
    replies.push(reply);
    at = skipSpace(bytes, reply.end);
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== 0x5d) return undefined;
  }
  return replies;
}

export function isNull(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 4 && bytes[start] === 0x6e;
}

export function spansEqual(
  one: Buffer,
  start: number,
  end: number,
  other: Buffer,
  otherStart: number,
  otherEnd: number,
): boolean {
  return end - start === otherEnd - otherStart && one.compare(other, otherStart, otherEnd, start, end) === 0;
}
