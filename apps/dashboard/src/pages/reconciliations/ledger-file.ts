// SPDX-License-Identifier: Apache-2.0
/** What the API takes. */
export const LEDGER_BYTES_MAX = 256 * 1_024 * 1_024;

export const LEDGER_TYPES = {
  'text/csv': 'CSV',
  'application/x-ndjson': 'JSON lines',
} as const;
export type LedgerType = keyof typeof LEDGER_TYPES;

/** By the name of the file; what has no telling name is CSV. */
export function guessType(fileName: string): LedgerType {
  return /\.(ndjson|jsonl|json)$/i.test(fileName) ? 'application/x-ndjson' : 'text/csv';
}

/** @returns why a file cannot be sent, before any of it is */
export function findFault({ size }: Pick<File, 'size'>): string | undefined {
  if (size === 0) return 'The file is empty.';
  if (size > LEDGER_BYTES_MAX) return 'The file is larger than 256 MiB. Split it by time.';
  return undefined;
}
