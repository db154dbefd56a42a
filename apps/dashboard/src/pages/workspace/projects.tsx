// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { FolderKanban, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { projectsQuery, type Project } from '../../api/management-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { sessionQuery, useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Hash } from '../../ui/copy.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import type { Column } from '../../ui/table.tsx';
import { TextDialog } from '../../ui/text-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

export function ProjectsPage() {
  const query = useInfiniteQuery(projectsQuery);
  const { rows } = rowsOf(query.data?.pages);
  const refresh = useRefresh();
  const mayChange = useMay()('mgt:project:write');
  const [isAdding, setAdding] = useState(false);
  const add = mayChange && (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setAdding(true)}>
      Add project
    </Button>
  );
  return (
    <Page title="Projects" actions={rows.length > 0 && add}>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Projects"
          query={query}
          rows={rows}
          columns={mayChange ? [...COLUMNS, ACTIONS] : COLUMNS}
          waitingRows={6}
          empty={
            <Empty icon={<FolderKanban />} title="No projects yet" action={add} docs="guides/management">
              Addresses, channels, and API keys belong to one project. Projects are isolated from each other.
            </Empty>
          }
        />
      </Panel>
      {isAdding && (
        <TextDialog
          title="Add a project"
          label="Name"
          member="name"
          isRequired
          action="Add project"
          save={async (name) => {
            await bodyOf(api.POST('/management/projects', { body: { name } }));
            await refresh();
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  );
}

/** The session names the projects that may be chosen. */
function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => Promise.all([client.invalidateQueries(projectsQuery), client.invalidateQueries(sessionQuery)]);
}

const COLUMNS: readonly Column<Project>[] = [
  {
    name: 'Project',
    width: 'minmax(10rem, 1fr)',
    cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
  },
  { name: 'Id', width: 'minmax(13rem, 1fr)', cell: ({ id }) => <Hash text={id} /> },
  { name: 'Added', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const ACTIONS: Column<Project> = {
  name: 'Action',
  width: '11rem',
  isRight: true,
  cell: (project) => <Actions project={project} />,
};

function Actions({ project: { id, name } }: { readonly project: Project }) {
  const refresh = useRefresh();
  const [isNaming, setNaming] = useState(false);
  const params = { path: { project_id: id } };
  const deleting = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/management/projects/{project_id}', { params })),
    onSuccess: () => tell(`${name} is deleted`),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <span className="flex gap-2">
      <Button isSmall onClick={() => setNaming(true)}>
        Rename
      </Button>
      <ConfirmButton
        isSmall
        look="danger"
        isBusy={deleting.isPending}
        question={`Delete ${name}?`}
        consequence="Permanently deletes its keys and history. Projects with addresses, public keys, or channels cannot be deleted."
        onConfirm={() => deleting.mutate()}
      >
        Delete
      </ConfirmButton>
      {isNaming && (
        <TextDialog
          title={`Rename ${name}`}
          label="Name"
          member="name"
          value={name}
          isRequired
          save={async (text) => {
            await bodyOf(api.PATCH('/management/projects/{project_id}', { params, body: { name: text } }));
            await refresh();
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </span>
  );
}
