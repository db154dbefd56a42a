// SPDX-License-Identifier: Apache-2.0
/** The cells of each line (RFC 4180). */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') lines.push([]);
    if (end === '') break;
  }
  lines.pop();
  return lines;
}
