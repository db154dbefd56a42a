// SPDX-License-Identifier: Apache-2.0
import { parseBody } from '../decode-transaction.ts';
import { toHashText } from '../hash.ts';

/** Whatever a network of the family may have beside the fields that the id covers. */
const ANY_FORMAT = { hasWitness: true, hasMweb: true, hasTokens: false } as const;

/** The id of a raw transaction, which covers neither witnesses (BIP-144) nor parts of extension blocks; undefined for other bytes. */
export function findTransactionId(raw: Buffer): string | undefined {
  try {
    return toHashText(parseBody(raw, ANY_FORMAT).txidBytes);
  } catch {
    return undefined;
  }
}
