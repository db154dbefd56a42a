// SPDX-License-Identifier: Apache-2.0
const TEXT_MAX = 128;

/**
 * A name or symbol that somebody gave to a token, made harmless: without control and format characters (a mark that turns
 * the direction of text shows another name), trimmed, at most 128 characters.
 */
export function cleanTokenText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  return Array.from(visible).slice(0, TEXT_MAX).join('');
}
