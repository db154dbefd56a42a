// SPDX-License-Identifier: Apache-2.0
/** Bytes of a memo in UTF-8. A longer one is none: half of it could be taken for the whole of another. */
const MEMO_BYTES_MAX = 1_024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Controls other than tab and line ends. No terminal and no database takes them for text. */
const UNPRINTABLE = /(?![\t\n\r])\p{Cc}/u;

/**
 * The text that a sender put into a transaction, from the places where it may stand, in their order, one to a line.
 * What is no printable UTF-8 is left out. Undefined: there is none.
 */
export function decodeMemo(parts: Iterable<Uint8Array>): string | undefined {
  const texts: string[] = [];
  let bytes = 0;
  for (const part of parts) {
    const text = part.length > MEMO_BYTES_MAX ? undefined : decodeText(part);
    if (text === undefined) continue;
    texts.push(text);
    bytes += part.length + (texts.length > 1 ? 1 : 0);
  }
  return texts.length === 0 || bytes > MEMO_BYTES_MAX ? undefined : texts.join('\n');
}

function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const text = decoder.decode(bytes);
    return UNPRINTABLE.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
