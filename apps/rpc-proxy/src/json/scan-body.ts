// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import { NOT_JSON, skipSpace, skipStrictString, skipStrictValue } from './skip-value.ts';

export interface ScannedBody {
  readonly isBatch: boolean;
  readonly calls: readonly ScannedCall[];
}

/** Offsets of the members of one JSON-RPC call in its body; a start of -1 is an absent member. */
export interface ScannedCall {
  readonly start: number;
  readonly end: number;
  readonly method: string;
  readonly paramsStart: number;
  readonly paramsEnd: number;
  readonly idStart: number;
  readonly idEnd: number;
  readonly versionStart: number;
  readonly versionEnd: number;
  /** There are no other members, so these four say everything that the call asks. */
  readonly isPlain: boolean;
}

/** Why a body is not a JSON-RPC call; the text is for the client. */
export class NotACallError extends BaseError {
  readonly code = 'not_a_call';
  readonly retryable = false;
}

const BATCH_ITEMS_MAX = 1_000;
const MEMBERS = ['method', 'params', 'id', 'jsonrpc'] as const;
type Member = (typeof MEMBERS)[number];

/**
 * The call of a request body, or the calls of a batch; `[]` is a batch without calls.
 * @throws NotACallError
 */
export function scanBody(bytes: Buffer): ScannedBody {
  const start = skipSpace(bytes, 0);
  if (bytes[start] === 0x5b) return { isBatch: true, calls: scanBatch(bytes, start) };
  const call = scanCall(bytes, start);
  expectEnd(bytes, call.end);
  return { isBatch: false, calls: [call] };
}

function scanBatch(bytes: Buffer, start: number): ScannedCall[] {
  const calls: ScannedCall[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === 0x5d) {
    expectEnd(bytes, at + 1);
    return calls;
  }
  for (;;) {
    if (calls.length === BATCH_ITEMS_MAX)
      throw new NotACallError(`expected at most ${BATCH_ITEMS_MAX} calls in a batch`);
    const call = scanCall(bytes, at);
    calls.push(call);
    at = skipSpace(bytes, call.end);
    if (bytes[at] === 0x5d) break;
    if (bytes[at] !== 0x2c) throw new NotACallError('expected JSON');
    at = skipSpace(bytes, at + 1);
  }
  expectEnd(bytes, at + 1);
  return calls;
}

function expectEnd(bytes: Buffer, at: number): void {
  if (skipSpace(bytes, at) < bytes.length) throw new NotACallError('expected nothing behind the JSON');
}

/**
 * Finds `jsonrpc`, `method`, `params` and `id` of the object that starts at `from`, without parsing their values.
 * Everything must be strict JSON to the last byte, other members included, so that no node reads it differently from
 * the gateway. A member that occurs twice, or in another spelling that some node treats as the same, is refused: the
 * node might use another one than the permission check did.
 * @throws NotACallError
 */
export function scanCall(bytes: Buffer, from: number): ScannedCall {
  const starts = { method: -1, params: -1, id: -1, jsonrpc: -1 };
  const ends = { method: -1, params: -1, id: -1, jsonrpc: -1 };
  if (bytes[from] !== 0x7b) throw new NotACallError('expected an object');
  let isPlain = true;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === 0x7d) throw new NotACallError('expected a method');
  for (;;) {
    const nameEnd = bytes[at] === 0x22 ? skipStrictString(bytes, at) : NOT_JSON;
    if (nameEnd === NOT_JSON) throw new NotACallError('expected JSON');
    const member = memberOf(bytes, at + 1, nameEnd - 1);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== 0x3a) throw new NotACallError('expected JSON');
    const valueStart = skipSpace(bytes, at + 1);
    const valueEnd = skipStrictValue(bytes, valueStart);
    if (valueEnd === NOT_JSON) throw new NotACallError('expected JSON');
    if (member === undefined) isPlain = false;
    else {
      if (starts[member] !== -1) throw new NotACallError(`expected one ${member}, got two`);
      starts[member] = valueStart;
      ends[member] = valueEnd;
    }
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === 0x7d) break;
    if (bytes[at] !== 0x2c) throw new NotACallError('expected JSON');
    at = skipSpace(bytes, at + 1);
  }
  return {
    start: from,
    end: at + 1,
    method: readMethod(bytes, starts.method, ends.method),
    paramsStart: starts.params,
    paramsEnd: ends.params,
    idStart: starts.id,
    idEnd: ends.id,
    versionStart: starts.jsonrpc,
    versionEnd: ends.jsonrpc,
    isPlain,
  };
}

function memberOf(bytes: Buffer, start: number, end: number): Member | undefined {
  switch (end - start) {
    case 2:
      if (bytes[start] === 0x69 && bytes[start + 1] === 0x64) return 'id';
      break;
    case 6:
      if (isName(bytes, start, 'method')) return 'method';
      if (isName(bytes, start, 'params')) return 'params';
      break;
    case 7:
      if (isName(bytes, start, 'jsonrpc')) return 'jsonrpc';
      break;
    default:
      break;
  }
  return memberOfUnusualName(bytes.toString('utf8', start, end));
}

/** Whether a name stands at `start`, byte by byte: cheaper than a text. */
export function isName(bytes: Buffer, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) if (bytes[start + at] !== name.charCodeAt(at)) return false;
  return true;
}

// Every parser decodes escapes to the same name. Go's encoding/json also ignores case, and folds ſ and the Kelvin sign.
function memberOfUnusualName(raw: string): Member | undefined {
  const name = raw.includes('\\') ? parseString(`"${raw}"`) : raw;
  const folded = name.toLowerCase().replaceAll('\u017f', 's').replaceAll('\u212a', 'k');
  const member = MEMBERS.find((candidate) => candidate === folded);
  if (member !== undefined && member !== name)
    throw new NotACallError(`expected ${member}, got it in another spelling`);
  return member;
}

function readMethod(bytes: Buffer, start: number, end: number): string {
  if (start === -1) throw new NotACallError('expected a method');
  if (bytes[start] !== 0x22) throw new NotACallError('expected a method that is a string');
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? parseString(`"${text}"`) : text;
}

function parseString(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new NotACallError('expected JSON');
  }
}
