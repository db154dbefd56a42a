// SPDX-License-Identifier: Apache-2.0
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Waiting } from './notice.tsx';
import { Table, type Column } from './table.tsx';

interface LoadedTableProps<T> {
  readonly label: string;
  readonly query: Pick<
    UseInfiniteQueryResult,
    'isPending' | 'isFetchingNextPage' | 'hasNextPage' | 'fetchNextPage'
  >;
  /** Of the pages that were loaded. */
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly card?: (row: T) => ReactNode;
  /** Lines that stand for the first page while it is on its way. */
  readonly waitingRows: number;
  /** What is shown where there is no row. */
  readonly empty: ReactNode;
}

/** A list of the API: its first page, and each next one as its end comes near. */
export function LoadedTable<T extends { readonly id: string }>({
  label,
  query,
  rows,
  columns,
  card,
  waitingRows,
  empty,
}: LoadedTableProps<T>) {
  if (query.isPending) return <Waiting rows={waitingRows} />;
  if (rows.length === 0) return empty;
  return (
    <Table
      label={label}
      columns={columns}
      card={card}
      rows={rows}
      keyOf={({ id }) => id}
      isLoadingMore={query.isFetchingNextPage}
      onEnd={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
    />
  );
}
