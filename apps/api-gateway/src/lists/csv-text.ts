// SPDX-License-Identifier: Apache-2.0
/**
 * What a spreadsheet would compute (OWASP, CSV injection), in the full width of East Asian keyboards too, and what was
 * marked already: then taking the mark away gives back what it was.
 */
const COMPUTED = /^'*[=+\-@\t\uFF1D\uFF0B\uFF0D\uFF20]/;

/** The text of a CSV cell that no spreadsheet takes for a formula. */
export function markText(text: string): string {
  return COMPUTED.test(text) ? `'${text}` : text;
}

/** The text that was marked. */
export function unmarkText(text: string): string {
  return text.startsWith("'") && COMPUTED.test(text) ? text.slice(1) : text;
}
