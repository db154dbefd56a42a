// SPDX-License-Identifier: Apache-2.0
export interface SignatureHeader {
  /** The digits of `t` as they stand in the header: they are what is signed. */
  readonly t: string;
  /** Values of all `v1=` entries, whatever they hold. */
  readonly v1: readonly string[];
}

/** Room for dozens of entries of later versions; bounds the work that a stranger can cause. */
const HEADER_LENGTH_MAX = 4096;

/**
 * Reads `t=<digits>,v1=<hex>[,v1=<hex>…]`; undefined when the header is malformed.
 *
 * - Entries are `key=value`, divided by commas; spaces and tabs around an entry are ignored, inside one they are not.
 * - Keys are case-sensitive. Exactly one `t`, of 1 to 12 digits without leading zeros, anywhere in the header.
 * - Entries with any other key (`v2=`, later versions) are ignored.
 * - An entry without `=`, with an empty key, or nothing between two commas, is malformed.
 */
export function parseSignatureHeader(header: string): SignatureHeader | undefined {
  if (header.length > HEADER_LENGTH_MAX) return undefined;
  const entries = header.split(',').map(parseEntry);
  if (!entries.every((entry) => entry !== undefined)) return undefined;
  const [t, ...otherT] = valuesOf(entries, 't');
  if (t === undefined || otherT.length > 0 || !/^(?:0|[1-9]\d{0,11})$/.test(t)) return undefined;
  return { t, v1: valuesOf(entries, 'v1') };
}

type Entry = readonly [key: string, value: string];

function parseEntry(text: string): Entry | undefined {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '');
  const equals = trimmed.indexOf('=');
  return equals < 1 ? undefined : [trimmed.slice(0, equals), trimmed.slice(equals + 1)];
}

function valuesOf(entries: readonly Entry[], key: string): string[] {
  return entries.filter(([name]) => name === key).map(([, value]) => value);
}
