import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { keysQuery, type Key } from '../../api/management-queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { RollDialog } from './roll-dialog.tsx';

const TYPES: Readonly<Record<Key['type'], string>> = {
  api: 'Platform API',
  rpc: 'RPC gateway',
  mgt: 'Management',
};

export function KeysPage() {
  const query = useQuery(keysQuery);
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  // Kept by the page: the row changes when its key is rolled, and the new key is shown once.
  const [rolled, setRolled] = useState<Key>();
  const columns = may('mgt:key:write') ? [...COLUMNS, actionColumn(setRolled)] : COLUMNS;
  return (
    <Page
      title="Keys"
      eyebrow="Of the workspace and its projects"
      actions={
        may('mgt:key:write') && (
          <Button
            look="primary"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() => setCreating(true)}
          >
            Make a key
          </Button>
        )
      }
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        {query.isPending ? (
          <Waiting rows={6} />
        ) : query.data === undefined || query.data.items.length === 0 ? (
          <Empty icon={<KeyRound />} title="No keys">
            Each program gets a key of its own, with the permissions that it needs.
          </Empty>
        ) : (
          <Table label="Keys" columns={columns} rows={query.data.items} keyOf={({ id }) => id} />
        )}
      </Panel>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {rolled && <RollDialog rolled={rolled} onClose={() => setRolled(undefined)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    name: 'Name',
    width: 'minmax(10rem, 1fr)',
    cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
  },
  {
    name: 'Key',
    width: 'minmax(11rem, 0.8fr)',
    cell: ({ mask }) => <code className="font-mono text-xs text-soft">{mask}</code>,
  },
  { name: 'For', width: '8rem', cell: ({ type }) => TYPES[type] },
  { name: 'Status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Permissions',
    width: '7rem',
    isRight: true,
    cell: ({ permissions }) => <span title={permissions.join('\n')}>{permissions.length}</span>,
  },
  {
    name: 'Last used',
    width: '7rem',
    isRight: true,
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="text-faint">never</span> : <Time at={last_used_at} />,
  },
];

const actionColumn = (onRoll: (key: Key) => void): Column<Key> => ({
  name: 'Action',
  width: '9.5rem',
  isRight: true,
  cell: (key) =>
    key.status === 'active' && (
      <span className="flex gap-2">
        {key.replaced_by === null && (
          <Button isSmall onClick={() => onRoll(key)}>
            Roll
          </Button>
        )}
        <RevokeButton revoked={key} />
      </span>
    ),
});

function RevokeButton({ revoked: { id, name, mask } }: { readonly revoked: Key }) {
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/management/keys/{key_id}', { params: { path: { key_id: id } } })),
    onSuccess: () => tell(`${name} is revoked`),
    onError: tellProblem,
    onSettled: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  return (
    <ConfirmButton
      isSmall
      look="danger"
      isBusy={revoking.isPending}
      question={`Revoke ${name}?`}
      consequence={`Whatever uses ${mask} is refused within a second. It does not come back.`}
      onConfirm={() => revoking.mutate()}
    >
      Revoke
    </ConfirmButton>
  );
}
