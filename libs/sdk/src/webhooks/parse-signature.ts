// SPDX-License-Identifier: Apache-2.0
export interface ParsedSignature {
  /** The digits of `t` as they stand in the header: they are what is signed. */
  readonly t: string;
  /** Values of all `v1=` entries, whatever they hold. */
  readonly v1: readonly string[];
}

/** Bounds the work that a stranger can cause. */
const HEADER_LENGTH_MAX = 4_096;

/**
 * Reads `t=<digits>,v1=<hex>[,v1=<hex>…]`; undefined when the header is malformed. Entries of other versions are
 * ignored. It is written a second time beside `@chainwatch/webhook-signature`, which needs Node; the same vectors hold both.
 */
export function parseSignature(header: string): ParsedSignature | undefined {
  if (header.length > HEADER_LENGTH_MAX) return undefined;
  const entries = header.split(',').map((text) => {
    const entry = text.replace(/^[ \t]+|[ \t]+$/g, '');
    const equals = entry.indexOf('=');
    return [entry.slice(0, Math.max(equals, 0)), entry.slice(equals + 1)] as const;
  });
  if (entries.some(([key]) => key === '')) return undefined;
  const valuesOf = (name: string): string[] =>
    entries.filter(([key]) => key === name).map(([, value]) => value);
  const [t, ...otherT] = valuesOf('t');
  if (t === undefined || otherT.length > 0 || !/^(?:0|[1-9]\d{0,11})$/.test(t)) return undefined;
  return { t, v1: valuesOf('v1') };
}
