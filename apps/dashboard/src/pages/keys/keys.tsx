// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { keysQuery, type Key } from '../../api/management-queries.ts';
import { sessionQuery, useMay, type Session } from '../../api/session.ts';
import { withoutEmpty, type KeySearch } from '../../app/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceChip, ClearButton, orNone, TextChip } from '../../ui/chips.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status, toWords } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

const TYPES: Readonly<Record<Key['type'], string>> = {
  api: 'Platform API',
  rpc: 'RPC gateway',
  mgt: 'Management',
};

export function KeysPage() {
  const search = useSearch({ from: '/shell/keys' });
  const query = useQuery({ ...keysQuery(search), placeholderData: keepPreviousData });
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  // Kept by the page: the row changes when its key is rolled, and the new key is shown once.
  const [rolled, setRolled] = useState<Key>();
  const own = useColumns();
  const columns = may('mgt:key:write') ? [...own, actionColumn(setRolled)] : own;
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title="Keys"
      eyebrow="This workspace and its projects"
      actions={
        may('mgt:key:write') && (
          <Button
            look="primary"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() => setCreating(true)}
          >
            Create key
          </Button>
        )
      }
    >
      <Filters search={search} />
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        {query.isPending ? (
          <Waiting rows={6} />
        ) : query.data === undefined || query.data.items.length === 0 ? (
          <Empty icon={<KeyRound />} title={isFiltered ? 'No key matches these filters' : 'No keys'}>
            {isFiltered
              ? 'Remove a filter to see more keys.'
              : 'Create one key for each program, with the permissions that it needs.'}
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

function useProjects(): Session['projects'] {
  return useQuery(sessionQuery).data?.projects ?? [];
}

const STATUSES = ['active', 'expired', 'revoked'];

function Filters({ search }: { readonly search: KeySearch }) {
  const navigate = useNavigate({ from: '/keys' });
  const projects = useProjects();
  const set = (change: KeySearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <TextChip
        name="Search"
        placeholder="Name or key"
        value={search.search}
        onChange={(text) => set({ search: text })}
      />
      <ChoiceChip
        name="Type"
        options={Object.entries(TYPES).map(([value, title]) => ({ value, title }))}
        chosen={search.types ?? []}
        onChange={(types) => set({ types: orNone(types) })}
      />
      {projects.length > 0 && (
        <ChoiceChip
          name="Project"
          options={projects.map(({ id, name }) => ({ value: id, title: name }))}
          chosen={search.projects ?? []}
          onChange={(chosen) => set({ projects: orNone(chosen) })}
        />
      )}
      <ChoiceChip
        name="Status"
        options={STATUSES.map((value) => ({ value, title: toWords(value) }))}
        chosen={search.statuses ?? []}
        onChange={(statuses) => set({ statuses: orNone(statuses) })}
      />
      {Object.keys(search).length > 0 && (
        <ClearButton onClear={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}

function useColumns(): readonly Column<Key>[] {
  const projects = useProjects();
  return [
    {
      name: 'Name',
      width: 'minmax(9rem, 1fr)',
      cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
    },
    {
      name: 'Key',
      width: 'minmax(10rem, 0.8fr)',
      cell: ({ mask }) => <code className="font-mono text-xs text-soft">{mask}</code>,
    },
    { name: 'Type', width: '7.5rem', cell: ({ type }) => TYPES[type] },
    {
      name: 'Project',
      width: 'minmax(6rem, 0.6fr)',
      cell: ({ project_id: id }) => (
        <span className="truncate text-soft">
          {id === null ? 'All projects' : (projects.find((project) => project.id === id)?.name ?? id)}
        </span>
      ),
    },
    { name: 'Status', width: '6rem', cell: ({ status }) => <Status of={status} /> },
    {
      name: 'Permissions',
      width: '6rem',
      isRight: true,
      cell: ({ permissions }) => <span title={permissions.join('\n')}>{permissions.length}</span>,
    },
    { name: 'Expires', width: '5rem', isRight: true, cell: ({ expires_at: at }) => <When at={at} /> },
    { name: 'Last used', width: '5rem', isRight: true, cell: ({ last_used_at: at }) => <When at={at} /> },
  ];
}

function When({ at }: { readonly at: string | null }) {
  return at === null ? <span className="text-faint">never</span> : <Time at={at} />;
}

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
      consequence={`Requests with ${mask} are rejected within a second. This cannot be undone.`}
      onConfirm={() => revoking.mutate()}
    >
      Revoke
    </ConfirmButton>
  );
}

const GRACES = [
  [0, 'Not at all'],
  [3_600, 'An hour'],
  [86_400, 'A day'],
  [7 * 86_400, 'A week'],
  [30 * 86_400, '30 days'],
] as const;

interface RollDialogProps {
  readonly rolled: Key;
  readonly onClose: () => void;
}

/** A new key with the same permissions; the old one goes on for a while, so that programs can change over. */
function RollDialog({ rolled: { id, name, mask }, onClose }: RollDialogProps) {
  const client = useQueryClient();
  const [grace, setGrace] = useState<number>(GRACES[2][0]);
  const rolling = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/management/keys/{key_id}/actions/roll', {
          params: { path: { key_id: id } },
          body: { grace_seconds: grace },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (rolling.data)
    return (
      <SecretDialog
        title={`The new ${rolling.data.name}`}
        label="Key"
        secret={rolling.data.key}
        onClose={onClose}
      >
        Store it in the program that uses the old key. It is shown only once.
      </SecretDialog>
    );
  return (
    <Modal
      title={`Roll ${name}`}
      description="Replaces the key with a new one that has the same permissions."
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Select
          label={`${mask} goes on for`}
          value={grace}
          onChange={(event) => setGrace(Number(event.target.value))}
        >
          {GRACES.map(([seconds, title]) => (
            <option key={seconds} value={seconds}>
              {title}
            </option>
          ))}
        </Select>
        {rolling.error && <Problem error={rolling.error} />}
      </div>
      <ModalActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={rolling.isPending} onClick={() => rolling.mutate()}>
          Roll
        </Button>
      </ModalActions>
    </Modal>
  );
}
