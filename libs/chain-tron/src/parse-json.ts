// Digits after a point are no integer's.
const stringOrLongNumber = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}/g;
const longNumber = /[:[,]\s*-?\d{16,}/;

/**
 * JSON whose integers of 16 and more digits come as texts: amounts are 64-bit integers, and JSON.parse would round them.
 * Undefined when it is not JSON.
 */
export function parseJson(text: string): unknown {
  const exact = longNumber.test(text) ? text.replace(stringOrLongNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)) : text;
  try {
    return JSON.parse(exact) as unknown;
  } catch {
    return undefined;
  }
}
