// SPDX-License-Identifier: Apache-2.0
/** Words that a reader of a Markdown page reads: its code blocks, comments, and targets of links are not counted. */
export function countWords(text: string): number {
  return text
    .replace(/^ *```[^]*?^ *```$/gm, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
