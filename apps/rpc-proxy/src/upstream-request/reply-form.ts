// SPDX-License-Identifier: Apache-2.0
import { NOT_JSON, skipSpace, skipString, skipValue } from '../json/skip-value.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { inflate } from './inflate.ts';
import type { WholeReply } from './outcome.ts';

/**
 * What a body has to be. `reply`: an object with `result` or `error`; `notification`: the same, or nothing; `path`: an
 * object or a list.
 */
export type ReplyForm = 'reply' | 'notification' | 'path';

/** A body without its content encoding, or the beginning of it. */
export interface Plain {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Bodies up to this size, compressed or not, are read to their end. */
const WHOLE_BYTES_MAX = 16_384;
/** Of larger ones only the beginning is read: of plain bytes, and of compressed ones. */
const START_BYTES = 4_096;
const COMPRESSED_START_BYTES = 512;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;

/**
 * The body, or its beginning where it is large.
 * @param isWhole whether `body` has the last byte
 * @returns undefined if it cannot be read
 */
export function toPlain(body: Buffer, encoding: string | undefined, isWhole: boolean): Plain | undefined {
  if (encoding === undefined) return { bytes: body, isWhole };
  const plain = isWhole && body.length <= WHOLE_BYTES_MAX ? inflate(body, encoding) : undefined;
  if (plain !== undefined) return { bytes: plain, isWhole: true };
  const start = inflate(body.subarray(0, COMPRESSED_START_BYTES), encoding);
  return start && { bytes: start, isWhole: false };
}

/** The same reply as it reads without its content encoding; unchanged where it is not read to its end. */
export function withoutEncoding(reply: WholeReply, plain: Plain | undefined): WholeReply {
  if (reply.contentEncoding === undefined || plain?.isWhole !== true) return reply;
  return { ...reply, contentEncoding: undefined, contentLength: plain.bytes.length, body: plain.bytes };
}

/** Whether a short reply is a JSON-RPC error. */
export function isRefusal(body: Buffer): boolean {
  if (body.length > WHOLE_BYTES_MAX || !body.includes('"error"')) return false;
  const reply = scanReply(body, skipSpace(body, 0));
  return reply !== undefined && reply.errorStart !== -1 && !isNull(body, reply.errorStart, reply.errorEnd);
}

/**
 * Whether a body may be an answer. A short body is read to its end. Of a longer one the members are read until `result`
 * or `error`, within the first 4 KiB, and the last byte is looked at, so that the cost does not grow with the body.
 */
export function hasForm(form: ReplyForm, { bytes, isWhole }: Plain): boolean {
  const start = skipSpace(bytes, 0);
  if (form === 'notification' && isWhole && start >= bytes.length) return true;
  if (isWhole && bytes.length <= WHOLE_BYTES_MAX) return isAnswer(form, bytes, start);
  return startsAnswer(form, bytes, start) && (!isWhole || endsAs(bytes, bytes[start]!));
}

/** Whether the last bytes of a body close what its first byte opened. */
export function endsAs(tail: Buffer, first: number): boolean {
  let at = tail.length - 1;
  while (isSpace(tail[at])) at -= 1;
  return tail[at] === first + 2;
}

function isAnswer(form: ReplyForm, bytes: Buffer, start: number): boolean {
  if (form === 'path') return isContainer(bytes[start]) && endsAt(bytes, skipValue(bytes, start));
  const reply = scanReply(bytes, start);
  if (reply === undefined || !endsAt(bytes, reply.end)) return false;
  return reply.resultStart !== -1 || reply.errorStart !== -1;
}

function startsAnswer(form: ReplyForm, body: Buffer, start: number): boolean {
  if (form === 'path') return isContainer(body[start]);
  if (body[start] !== OPEN_OBJECT) return false;
  const bytes = body.subarray(0, start + START_BYTES);
  let isTold = false;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === 0x22) {
    const nameEnd = skipString(bytes, at);
    const name = bytes.toString('latin1', at + 1, nameEnd - 1);
    const colon = skipSpace(bytes, nameEnd);
    if (nameEnd === NOT_JSON || bytes[colon] !== 0x3a) return isTold;
    const value = skipSpace(bytes, colon + 1);
    isTold ||= name === 'result' || name === 'error';
    const valueEnd = skipValue(bytes, value);
    // It goes on behind these bytes. Clients choose the length of an id.
    if (valueEnd === NOT_JSON || valueEnd >= bytes.length) return isTold || name === 'id';
    at = skipSpace(bytes, valueEnd);
    if (at >= bytes.length) return isTold || name === 'id';
    // What stands behind the end of the object is no part of a reply.
    if (bytes[at] !== 0x2c) return isTold && bytes[at] === 0x7d && isSpaceFrom(body, at + 1);
    at = skipSpace(bytes, at + 1);
  }
  return isTold;
}

function isSpaceFrom(bytes: Buffer, from: number): boolean {
  return skipSpace(bytes, from) >= bytes.length;
}

function isContainer(byte: number | undefined): boolean {
  return byte === OPEN_OBJECT || byte === OPEN_LIST;
}

function endsAt(bytes: Buffer, end: number): boolean {
  return end !== NOT_JSON && isSpaceFrom(bytes, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
