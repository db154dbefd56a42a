// SPDX-License-Identifier: Apache-2.0
import type { ValueSource } from '../../lists/read-ids-by-value.ts';
import type { TransactionFilters } from './types.ts';

export interface TransactionSource extends ValueSource {
  /** The columns by which the source returns the rows of a value in order. */
  readonly columns: readonly ('detected_at' | 'block_position')[];
}

const COLUMNS = ['detected_at', 'block_position'] as const;

/** The source that serves these filters, if they consist of one that has a source. */
export function findSource(
  { projectId, statuses, chains, addressIds, publicKeyId, assets }: TransactionFilters,
  name: string | undefined,
): TransactionSource | undefined {
  const ownRows = { type: 'text', where: 'project_id = $2', parameters: [projectId] } as const;
  const addresses = {
    table: 'transaction_addresses',
    id: 'transaction_id',
    type: 'uuid',
    columns: COLUMNS,
  } as const;
  if (name === 'statuses' && statuses)
    return {
      ...ownRows,
      table: 'transactions',
      id: 'id',
      key: 'status',
      values: statuses,
      columns: ['detected_at'],
    };
  if (name === 'chains' && chains)
    return {
      ...ownRows,
      table: 'transactions',
      id: 'id',
      key: 'chain_gid',
      values: chains,
      columns: COLUMNS,
    };
  if (name === 'addressIds' && addressIds)
    return { ...addresses, key: 'address_id', values: addressIds, isOverlapping: true };
  if (name === 'publicKeyId' && publicKeyId !== undefined)
    return { ...addresses, key: 'public_key_id', values: [publicKeyId], isRepeated: true };
  if (name === 'assets' && assets)
    return {
      ...ownRows,
      table: 'transfers',
      id: 'transaction_id',
      key: 'asset_gid',
      values: assets,
      columns: ['detected_at'],
      isRepeated: true,
      isOverlapping: true,
    };
  return undefined;
}
