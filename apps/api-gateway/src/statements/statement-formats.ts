// SPDX-License-Identifier: Apache-2.0
import { csvFormat } from './format-csv.ts';
import { htmlFormat } from './format-html.ts';
import type { StatementFormat } from './statement-format.ts';

export const STATEMENT_FORMATS = ['csv', 'ndjson', 'html'] as const;
export type StatementFormatName = (typeof STATEMENT_FORMATS)[number];

const ndjsonFormat: StatementFormat = {
  ...{ mediaType: 'application/x-ndjson', head: '', tail: '', isSelfSigned: true },
  write: (line) => `${JSON.stringify(line)}\n`,
};

const FORMATS: Readonly<Record<StatementFormatName, () => StatementFormat>> = {
  csv: () => csvFormat,
  ndjson: () => ndjsonFormat,
  html: htmlFormat,
};

/** One for each document: a page of HTML remembers which table is open. */
export const openFormat = (name: StatementFormatName): StatementFormat => FORMATS[name]();
