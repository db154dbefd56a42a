import { BaseError } from '@chainwatch/problem';

/** The bytes received are not an unambiguous HTTP/1.x reply (RFC 9112). */
export class MalformedReplyError extends BaseError {
  readonly code = 'malformed_reply';
  readonly retryable = true;
}

/** How a reply's body ends: there is none, after a number of bytes, after the last chunk, or with the connection. */
export type Framing = 'none' | 'length' | 'chunked' | 'close';

/** What is read of a server's reply besides its body. */
export interface ReplyHead {
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  readonly retryAfter: string | undefined;
  /** -1 if the server did not say. */
  readonly contentLength: number;
}

export interface WireHead extends ReplyHead {
  readonly framing: Framing;
  /** How long the connection may be reused; 0: not at all. */
  readonly keepAliveMs: number;
}

/**
 * Used if the server does not say. Shorter than the servers' own defaults (Go 120 s, libevent 30 s, nginx 60 s, Node 5
 * s).
 */
export const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MS_MAX = 25_000;
/** Subtracted from the server's own value: its clock already runs while the reply and the next request travel. */
const KEEP_ALIVE_MARGIN_MS = 2_000;
export const LF = 0x0a;
export const CR = 0x0d;
export const COLON = 0x3a;

/** RFC 9110, section 5.6.2: the bytes of names. */
export const IS_TOKEN = tableOf((byte) => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)));
/** RFC 9110, section 5.5: the bytes of values, blanks included. */
export const IS_VALUE = tableOf((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));

const JSON_TYPE = 'application/json';
const KEEP_ALIVE = 'keep-alive';
const TIMEOUT = 'timeout=';

interface Draft {
  status: number;
  isVersion10: boolean;
  contentType: string;
  contentEncoding: string | undefined;
  retryAfter: string | undefined;
  contentLength: number;
  isChunked: boolean;
  isClosing: boolean;
  isKept: boolean;
  keepAliveMs: number;
}

/**
 * Reads a complete head, from the status line to the empty line (RFC 9112, sections 4 to 6). Bytes are compared as
 * bytes: decoding each name and value would cost as much as all other work for a small reply.
 * @throws MalformedReplyError
 */
export function readReplyHead(bytes: Buffer, start: number, end: number): WireHead {
  const draft: Draft = {
    status: 0,
    isVersion10: false,
    contentType: JSON_TYPE,
    contentEncoding: undefined,
    retryAfter: undefined,
    contentLength: -1,
    isChunked: false,
    isClosing: false,
    isKept: false,
    keepAliveMs: KEEP_ALIVE_MS,
  };
  let at = readStatusLine(bytes, start, draft);
  while (at < end - 2) at = readField(bytes, at, draft);
  if (endOfLine(bytes, at) !== end)
    throw new MalformedReplyError('expected an empty line behind the headers');
  const framing = frame(draft);
  const isReusable = framing !== 'close' && !draft.isClosing && (!draft.isVersion10 || draft.isKept);
  const { status, contentType, contentEncoding, retryAfter, contentLength } = draft;
  return {
    status,
    contentType,
    contentEncoding,
    retryAfter,
    contentLength,
    framing,
    keepAliveMs: isReusable ? draft.keepAliveMs : 0,
  };
}

const VERSION = Buffer.from('HTTP/1.');

/** Whether the bytes can be the beginning of a reply, however few there are. */
export function mayBeReply(bytes: Buffer, start: number, end: number): boolean {
  const length = Math.min(VERSION.length, end - start);
  for (let at = 0; at < length; at += 1) if (bytes[start + at] !== VERSION[at]) return false;
  return true;
}

function readStatusLine(bytes: Buffer, start: number, draft: Draft): number {
  const minor = bytes[start + 7];
  if (
    !mayBeReply(bytes, start, start + VERSION.length) ||
    (minor !== 0x31 && minor !== 0x30) ||
    bytes[start + 8] !== 0x20
  )
    throw new MalformedReplyError('expected HTTP/1.1 and a status');
  draft.isVersion10 = minor === 0x30;
  for (let at = start + 9; at < start + 12; at += 1) {
    const digit = bytes[at]! - 0x30;
    if (!(digit >= 0 && digit <= 9)) throw new MalformedReplyError('expected a status of three digits');
    draft.status = draft.status * 10 + digit;
  }
  if (draft.status < 100) throw new MalformedReplyError(`expected a status from 100 on, got ${draft.status}`);
  let at = start + 12;
  // The reason phrase, after a space.
  if (bytes[at] === 0x20) while (IS_VALUE[bytes[at]!] === 1) at += 1;
  return endOfLine(bytes, at);
}

/** @returns where the next line starts */
function readField(bytes: Buffer, start: number, draft: Draft): number {
  let at = start;
  while (IS_TOKEN[bytes[at]!] === 1) at += 1;
  // Readers disagree about a space before the colon and about folded lines (RFC 9112, sections 5.1 and 5.2).
  if (at === start || bytes[at] !== COLON) throw new MalformedReplyError('expected a header with its name');
  const nameEnd = at;
  at += 1;
  while (isBlank(bytes[at]!)) at += 1;
  const valueStart = at;
  while (IS_VALUE[bytes[at]!] === 1) at += 1;
  if (bytes[at] !== CR) throw new MalformedReplyError('expected a header value of text');
  const next = endOfLine(bytes, at);
  while (at > valueStart && isBlank(bytes[at - 1]!)) at -= 1;
  note(bytes, start, nameEnd, valueStart, at, draft);
  return next;
}

function note(bytes: Buffer, start: number, nameEnd: number, from: number, to: number, draft: Draft): void {
  switch (nameEnd - start) {
    case 10:
      if (isText(bytes, start, 'connection')) noteConnection(bytes, from, to, draft);
      else if (isText(bytes, start, 'keep-alive')) draft.keepAliveMs = readKeepAlive(bytes, from, to);
      break;
    case 11:
      if (isText(bytes, start, 'retry-after')) draft.retryAfter = textOf(bytes, from, to);
      break;
    case 12:
      if (isText(bytes, start, 'content-type') && !isJsonType(bytes, from, to))
        draft.contentType = textOf(bytes, from, to);
      break;
    case 14:
      if (isText(bytes, start, 'content-length')) noteLength(readLength(bytes, from, to), draft);
      break;
    case 16:
      if (isText(bytes, start, 'content-encoding')) draft.contentEncoding = textOf(bytes, from, to);
      break;
    case 17:
      if (isText(bytes, start, 'transfer-encoding')) noteCoding(textOf(bytes, from, to).toLowerCase(), draft);
      break;
    default:
      break;
  }
}

/**
 * Case-insensitive. `text` is in lower case: of the bytes that names may have, only a letter's own capital becomes one
 * of its characters when the case bit is set.
 */
function isText(bytes: Buffer, start: number, text: string): boolean {
  for (let at = 0; at < text.length; at += 1)
    if ((bytes[start + at]! | 0x20) !== text.charCodeAt(at)) return false;
  return true;
}

/** Nearly every reply has this type, so it is not decoded each time. */
function isJsonType(bytes: Buffer, from: number, to: number): boolean {
  if (to - from !== JSON_TYPE.length) return false;
  for (let at = 0; at < JSON_TYPE.length; at += 1)
    if (bytes[from + at] !== JSON_TYPE.charCodeAt(at)) return false;
  return true;
}

function textOf(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

function noteConnection(bytes: Buffer, from: number, to: number, draft: Draft): void {
  if (to - from === KEEP_ALIVE.length && isText(bytes, from, KEEP_ALIVE)) {
    draft.isKept = true;
    return;
  }
  const options = textOf(bytes, from, to)
    .toLowerCase()
    .split(',')
    .map((option) => option.trim());
  draft.isClosing ||= options.includes('close');
  draft.isKept ||= options.includes(KEEP_ALIVE);
}

function readKeepAlive(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && !(isText(bytes, at, TIMEOUT) && (at === from || IS_TOKEN[bytes[at - 1]!] === 0))) at += 1;
  let seconds = 0;
  let digits = 0;
  for (at += TIMEOUT.length; at < to && digits < 9; at += 1, digits += 1) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) break;
    seconds = seconds * 10 + digit;
  }
  return digits === 0
    ? KEEP_ALIVE_MS
    : Math.min(KEEP_ALIVE_MS_MAX, Math.max(0, seconds * 1_000 - KEEP_ALIVE_MARGIN_MS));
}

function readLength(bytes: Buffer, from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) throw new MalformedReplyError('expected a length in digits');
    length = length * 10 + digit;
  }
  if (from === to || length > Number.MAX_SAFE_INTEGER)
    throw new MalformedReplyError('expected a length in digits');
  return length;
}

function noteLength(length: number, draft: Draft): void {
  if (draft.contentLength !== -1 && draft.contentLength !== length)
    throw new MalformedReplyError(`expected one length, got ${draft.contentLength} and ${length}`);
  draft.contentLength = length;
}

function noteCoding(value: string, draft: Draft): void {
  if (value !== 'chunked' || draft.isChunked)
    throw new MalformedReplyError('expected no transfer coding but chunked, once');
  draft.isChunked = true;
}

/** RFC 9112, section 6.3, for a reply to GET or POST. */
function frame(draft: Draft): Framing {
  if (draft.isChunked && draft.contentLength !== -1)
    throw new MalformedReplyError('expected a length or chunks, got both');
  if (draft.isChunked && draft.isVersion10) throw new MalformedReplyError('expected no chunks of HTTP/1.0');
  const { status } = draft;
  if (status < 200 || status === 204 || status === 304) return 'none';
  if (draft.isChunked) return 'chunked';
  if (draft.contentLength === -1) return 'close';
  return draft.contentLength === 0 ? 'none' : 'length';
}

export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}

/**
 * The place after the end of a line. A line feed alone does not end a line, because readers disagree about it.
 * @throws MalformedReplyError
 */
function endOfLine(bytes: Buffer, at: number): number {
  if (bytes[at] !== CR || bytes[at + 1] !== LF) throw new MalformedReplyError('expected the end of a line');
  return at + 2;
}

function tableOf(isIn: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isIn(byte) ? 1 : 0));
}
