// SPDX-License-Identifier: Apache-2.0
const NULL = Buffer.from('null');
/** Members that a block, a receipt or a trace always has. Others may be null: `to`, `contractAddress`, a call's `result`. */
const NEEDED = /"(?:transactions|logs|receipts|structLogs|trace|txHash)"\s*:\s*$/;
const NAME_BYTES_MAX = 64;

/**
 * Whether a part of a result is missing: null in a list, such as the receipt of a transaction that the node has not
 * stored yet, or null in the place of a whole list.
 */
export function isPartial(result: Buffer): boolean {
  for (let at = result.indexOf(NULL); at !== -1; at = result.indexOf(NULL, at + 4)) {
    let before = at - 1;
    while (before >= 0 && isSpace(result[before]!)) before -= 1;
    // A member's name ends in a colon. What follows a bracket or a comma is an item of a list.
    if (result[before] === 0x5b || result[before] === 0x2c) return true;
    if (
      result[before] === 0x3a &&
      NEEDED.test(result.toString('latin1', Math.max(0, at - NAME_BYTES_MAX), at))
    )
      return true;
  }
  return false;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
