// SPDX-License-Identifier: Apache-2.0
import { SignaturesFirst } from './signatures-first.ts';
import { SignaturesLast } from './signatures-last.ts';
import { unknownVersion } from './unknown-transaction-error.ts';
import { VERSION_FLAG, type WireTransaction } from './wire-transaction.ts';

/**
 * A signed transaction of legacy, version 0 or version 1 from its bytes. In the first two the first byte is a
 * count of signatures, which never reaches 0x80, so that it tells the layouts apart.
 * @throws RangeError when the bytes are not what they claim to be, UnknownTransactionError for another version or an
 *   unknown configuration value
 */
export function readWire(bytes: Buffer): WireTransaction {
  const first = bytes[0] ?? 0;
  if (first < VERSION_FLAG) return new SignaturesFirst(bytes);
  const version = first & ~VERSION_FLAG;
  if (version === 0) throw new RangeError('expected signatures before a message of version 0, got none');
  if (version === 1) return new SignaturesLast(bytes);
  throw unknownVersion(version);
}
