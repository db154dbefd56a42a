// SPDX-License-Identifier: Apache-2.0
const PREFIX = '0x';

/**
 * A block hash as a person pastes it, written as the proof writes its own: sources differ in the prefix and in the case of
 * its letters, which mean nothing.
 * @returns undefined where nothing was pasted
 */
export function toTrustedHash(text: string, blockHash: string): string | undefined {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  if (digits === '') return undefined;
  return blockHash.startsWith(PREFIX) ? `${PREFIX}${digits}` : digits;
}
