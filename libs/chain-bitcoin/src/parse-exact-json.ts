// SPDX-License-Identifier: Apache-2.0
import { parseJson } from '@chainwatch/chain-core';

/** A number with a fraction and 8 digits before it, or an integer of 16: where doubles begin to lose digits. */
const LARGE = /[:[,]\s*(?:\d{8,}\.\d|\d{16})/;
const LARGE_OR_TEXT = /"(?:[^"\\]|\\.)*"|-?(?:\d{8,}\.\d+|\d{16,})(?![\d.eE])/g;

/** As `parseJson`; numbers that may have more digits than a double holds are texts. */
export function parseExactJson(text: string): unknown {
  return parseJson(
    LARGE.test(text)
      ? text.replace(LARGE_OR_TEXT, (found) => (found.startsWith('"') ? found : `"${found}"`))
      : text,
  );
}
