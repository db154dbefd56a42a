// SPDX-License-Identifier: Apache-2.0
// Digits after a decimal point do not belong to an integer.
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}|(?<=[[,]\s*)0x[0-9a-f]{8,16}/g;
const LONG = /[:[,]\s*(?:-?\d{16,}|0x)/;

/**
 * JSON whose integers of 16 and more digits come as texts: amounts are 64-bit integers, and JSON.parse would round them.
 * In a list they keep a sign: in the lists that fields without a name come in, a text of digits is bytes. Java-tron writes
 * 4 and 8 bytes there as a bare `0x…`, which come as texts, too. Undefined when it is not JSON.
 */
export function parseJson(text: string): unknown {
  const exact = LONG.test(text)
    ? text.replace(STRING_OR_LONG, (token, at: number) =>
        token.startsWith('"') ? token : `"${isListed(text, at) && /^\d{16}/.test(token) ? '+' : ''}${token}"`,
      )
    : text;
  try {
    return JSON.parse(exact) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether the value at `at` is an item of a list, not a member of an object. */
function isListed(text: string, at: number): boolean {
  return !/:\s*$/.test(text.slice(Math.max(0, at - 20), at));
}
