// SPDX-License-Identifier: Apache-2.0
import { Panel } from '../../ui/panel.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { sayMean, sayP95, sayShare, type UsageSum } from './sum-usage.ts';

interface UsageTableProps {
  readonly title: string;
  readonly sums: readonly UsageSum[];
}

export function UsageTable({ title, sums }: UsageTableProps) {
  return (
    <Panel title={title} isFlush>
      <Table
        label={`Calls ${title.toLowerCase()}`}
        columns={COLUMNS}
        rows={sums}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<UsageSum>[] = [
  {
    name: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
  },
  { name: 'Calls', width: '5rem', isRight: true, cell: ({ requests }) => requests.toLocaleString() },
  {
    name: 'Cached',
    width: '6.5rem',
    isRight: true,
    cell: ({ cached, requests }) => sayShare(cached, requests),
  },
  {
    name: 'Failures',
    width: '4.5rem',
    isRight: true,
    cell: ({ failures, requests }) => sayShare(failures, requests),
  },
  { name: 'Mean latency', width: '5.5rem', isRight: true, cell: sayMean },
  { name: 'p95', width: '6rem', isRight: true, cell: sayP95 },
];
