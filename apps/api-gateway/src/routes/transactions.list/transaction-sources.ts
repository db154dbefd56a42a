import type { TransactionFilters } from './resolve-filters.ts';

/** A table that gives the transactions of one filter, in the order of its columns; a transaction may come several times. */
export interface TransactionSource {
  readonly from: string;
  readonly where: string;
  readonly values: unknown[];
  readonly columns: readonly ('detected_at' | 'block_position')[];
  /** No transaction comes twice. */
  readonly isDistinct: boolean;
}

/** The sources of the filters that have one. */
export function listSources({ projectId, addressIds, publicKeyId, assets }: TransactionFilters): TransactionSource[] {
  const sources: TransactionSource[] = [];
  const columns = ['detected_at', 'block_position'] as const;
  if (addressIds) sources.push({ from: 'transaction_addresses', ...isAmong('address_id', addressIds), columns, isDistinct: addressIds.length === 1 });
  if (publicKeyId !== undefined) {
    const where = 'public_key_id = $1::uuid AND project_id = $2';
    sources.push({ from: 'addresses a JOIN transaction_addresses ON address_id = a.id', where, values: [publicKeyId, projectId], columns, isDistinct: false });
  }
  if (assets) {
    const { where, values } = isAmong('asset_gid', assets);
    sources.push({ from: 'transfers', where: `${where} AND project_id = $2`, values: [...values, projectId], columns: ['detected_at'], isDistinct: false });
  }
  return sources;
}

/** One value is compared as one, so that an index gives the rows in order. */
function isAmong(column: string, values: readonly string[]): { where: string; values: unknown[] } {
  return values.length === 1 ? { where: `${column} = $1`, values: [values[0]] } : { where: `${column} = ANY ($1)`, values: [values] };
}
