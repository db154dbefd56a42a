// SPDX-License-Identifier: Apache-2.0
/**
 * Lamports are 64 bits, and JSON.parse rounds beyond 2^53 (9 million SOL, which some accounts hold): turns
 * balances of 16 digits and more into texts. Quotes inside a JSON text are escaped, so no log line can look
 * like one of these fields.
 */
export function quoteLargeBalances(text: string): string {
  return text
    .replace(LARGE_BALANCES, (list) => list.replace(/\d{16,}/g, '"$&"'))
    .replace(LARGE_LAMPORTS, '$1"$2"');
}

const LARGE_BALANCES = /"(?:pre|post)Balances":\s*\[[\d,\s]*\d{16}[\d,\s]*\]/g;
const LARGE_LAMPORTS = /("(?:lamports|postBalance)":\s*)(\d{16,})/g;
