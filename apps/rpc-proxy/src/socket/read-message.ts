// SPDX-License-Identifier: Apache-2.0
import { NotACallError, scanBody, type ScannedBody } from '../json/scan-body.ts';

/** A message of a client: a call, or a batch of them. */
export interface ClientMessage extends ScannedBody {
  readonly bytes: Buffer;
  /** Ids of the calls as raw JSON; undefined for a call that wants no answer. */
  readonly ids: readonly (string | undefined)[];
  /** Why the message is not a valid call or batch; there are no calls then. */
  readonly fault: string | undefined;
}

export function readMessage(bytes: Buffer): ClientMessage {
  try {
    const { calls, isBatch } = scanBody(bytes);
    const ids = calls.map(({ idStart, idEnd }) =>
      idStart === -1 ? undefined : bytes.toString('utf8', idStart, idEnd),
    );
    return { bytes, calls, isBatch, ids, fault: undefined };
  } catch (error) {
    if (!(error instanceof NotACallError)) throw error;
    return { bytes, calls: [], isBatch: false, ids: [], fault: `protocol mismatch: ${error.message}` };
  }
}
