import { Panel } from '../../ui/panel.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { sayShare, type UsageSum } from './sum-usage.ts';

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
    width: 'minmax(11rem, 1fr)',
    cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
  },
  { name: 'Calls', width: '6rem', isRight: true, cell: ({ requests }) => requests.toLocaleString() },
  {
    name: 'From the cache',
    width: '7rem',
    isRight: true,
    cell: ({ cached, requests }) => sayShare(cached, requests),
  },
  {
    name: 'Failures',
    width: '6rem',
    isRight: true,
    cell: ({ failures, requests }) => sayShare(failures, requests),
  },
];
