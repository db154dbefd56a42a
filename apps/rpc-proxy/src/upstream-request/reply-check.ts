// SPDX-License-Identifier: Apache-2.0
import type { ScannedCall } from '../json/scan-body.ts';
import {
  findIdAtEnd,
  findIdNearStart,
  findReplyId,
  idsEqual,
  isNull,
  NO_ID,
  scanReply,
  type ScannedReply,
} from '../json/scan-reply.ts';
import { skipSpace, skipValue } from '../json/skip-value.ts';
import { endsAs, type Plain } from './reply-form.ts';

/** The call that was sent to a node, and the bytes that its offsets refer to. */
export interface Asked {
  readonly body: Buffer;
  readonly call: ScannedCall;
}

/** How far an id is searched for at either end of a streamed reply. */
const END_BYTES = 512;

/** Whether a reply may answer `asked`; undefined if it is read in part only, and that part does not decide it. */
export function fits(asked: Asked, { bytes, isWhole }: Plain): boolean | undefined {
  return isWhole ? isReplyTo(asked, bytes) : startsReplyTo(asked, bytes.subarray(0, END_BYTES));
}

/** The last bytes of a streamed reply: many nodes put the id there, and a reply that is cut does not end as it began. */
export class TailCheck {
  readonly #asked: Asked | undefined;
  /** The first byte of the reply. */
  readonly #first: number;
  readonly #tail = Buffer.allocUnsafe(END_BYTES);
  #length = 0;

  /** @param asked undefined if the id is known already, or replies have none */
  constructor(asked: Asked | undefined, first: number) {
    this.#asked = asked;
    this.#first = first;
  }

  add(piece: Buffer): void {
    const taken = Math.min(piece.length, END_BYTES);
    const kept = Math.min(this.#length, END_BYTES - taken);
    this.#tail.copyWithin(0, this.#length - kept, this.#length);
    piece.copy(this.#tail, kept, piece.length - taken);
    this.#length = kept + taken;
  }

  /** Read after the last piece. If there is no id here either, there is nothing to compare. */
  get fault(): 'foreign' | 'broken' | undefined {
    const tail = this.#tail.subarray(0, this.#length);
    if (!endsAs(tail, this.#first)) return 'broken';
    const start = this.#asked === undefined ? NO_ID : findIdAtEnd(tail);
    if (start === NO_ID) return undefined;
    const isOwn = isOwnId(this.#asked!, { reply: tail, start, end: skipValue(tail, start) });
    return isOwn ? undefined : 'foreign';
  }
}

/**
 * Whether a complete reply may answer `asked`: it has that id, or none. A connection that is off by one reply returns
 * somebody else's answers from then on. A null id is accepted in an error only: the node could not read the id.
 * Anything that is not JSON-RPC has nothing to compare.
 */
function isReplyTo(asked: Asked, reply: Buffer): boolean {
  const start = skipSpace(reply, 0);
  if (reply[start] === 0x7b) return isObjectTo(asked, reply, start);
  return reply[start] !== 0x5b;
}

/** The same from the first bytes of a reply: false is certain; undefined means that the id comes later. */
function startsReplyTo(asked: Asked, bytes: Buffer): boolean | undefined {
  const start = skipSpace(bytes, 0);
  if (bytes[start] === 0x5b) return false;
  const idStart = findIdNearStart(bytes, start);
  return idStart === NO_ID
    ? undefined
    : isOwnId(asked, { reply: bytes, start: idStart, end: skipValue(bytes, idStart) });
}

/** Whether the id of a reply is that of the call. */
function isOwnId(
  { body, call: { idStart, idEnd } }: Asked,
  { reply, start, end }: { readonly reply: Buffer; readonly start: number; readonly end: number },
): boolean {
  return idStart === -1 ? isNull(reply, start, end) : idsEqual(body, idStart, idEnd, reply, start, end);
}

function isObjectTo(asked: Asked, reply: Buffer, start: number): boolean {
  const idStart = findReplyId(reply, start);
  if (idStart === NO_ID) return true;
  const idEnd = skipValue(reply, idStart);
  if (isOwnId(asked, { reply, start: idStart, end: idEnd })) return true;
  if (!isNull(reply, idStart, idEnd)) return false;
  // The reply is about something that the node could not read.
  const scanned = scanReply(reply, start);
  return scanned === undefined || isError(reply, scanned);
}

function isError(reply: Buffer, { errorStart, errorEnd }: ScannedReply): boolean {
  return errorStart !== -1 && !isNull(reply, errorStart, errorEnd);
}
