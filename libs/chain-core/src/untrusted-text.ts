// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError } from './errors.ts';

const TEXT_MAX = 128;

/**
 * A name or symbol that somebody gave to a token, made harmless: without control and format characters (a mark that turns
 * the direction of text shows another name), trimmed, at most 128 characters.
 */
export function cleanTokenText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  return Array.from(visible).slice(0, TEXT_MAX).join('');
}

/**
 * Names the fault of a Base58 address before a library reads it. Libraries name no character and no length,
 * repeat input that may be a private key, and take time that grows with the square of the length.
 * @param characters least and greatest count
 * @throws InvalidAddressError, whose message never holds the input
 */
export function checkBase58Text(
  input: string,
  [min, max]: readonly [min: number, max: number],
  encoding: 'Base58' | 'Base58Check',
): void {
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/u.exec(input);
  if (wrong) {
    throw new InvalidAddressError(
      `address has an illegal character: expected letters and digits other than 0, O, I and l (${encoding}), got ${JSON.stringify(wrong[0])} as character ${wrong.index + 1}`,
    );
  }
  if (input.length < min || input.length > max) {
    const expected = min === max ? String(min) : `${min} to ${max}`;
    throw new InvalidAddressError(
      `address has a wrong length: expected ${expected} characters (${encoding}), got ${input.length}`,
    );
  }
}

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
