// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus, Send } from 'lucide-react';
import { useState } from 'react';
import { channelsQuery, type Channel } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { useDialogRequest } from '../../app/dialog-request.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { ROW_LINK, Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { describeKind, targetOf, KIND_NAMES, type Kind } from './kinds.ts';
import { Modal } from '../../ui/modal.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { CreateForm, type MadeChannel } from './form/create-form.tsx';

export function ChannelsPage() {
  const query = useQuery(channelsQuery);
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  useDialogRequest(() => setCreating(may('api:notification_channel:write')));
  const create = may('api:notification_channel:write') && (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setCreating(true)}>
      Add channel
    </Button>
  );
  const hasSome = query.data !== undefined && query.data.items.length > 0;
  return (
    <Page title="Channels" actions={hasSome && create}>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        {query.isPending ? (
          <Waiting rows={6} />
        ) : hasSome ? (
          <Table label="Channels" columns={COLUMNS} rows={query.data.items} keyOf={({ id }) => id} />
        ) : (
          <Empty icon={<Send />} title="No channels yet" action={create} docs="guides/webhooks">
            A channel notifies your systems, or people, of payments as they happen. Add a webhook and send it
            a test message.
          </Empty>
        )}
      </Panel>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Channel>[] = [
  {
    name: 'Channel',
    width: 'minmax(11rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to="/channels/$id" params={{ id }} className={`${ROW_LINK} truncate`}>
        {name}
      </Link>
    ),
  },
  { name: 'Kind', width: '7rem', cell: ({ kind }) => describeKind(kind).title },
  { name: 'Status', width: '8rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Target',
    width: 'minmax(14rem, 1.6fr)',
    cell: (channel) => <span className="truncate font-mono text-xs text-soft">{targetOf(channel)}</span>,
  },
  { name: 'Added', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The kind first, then what that kind asks for, then its secret, once. */
function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<Kind>();
  const [made, setMade] = useState<MadeChannel>();
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/channels/$id', params: { id } });
  if (made?.webhook_secret !== undefined)
    return (
      <SecretDialog
        title="Channel created"
        label="Signing secret"
        secret={made.webhook_secret}
        onClose={() => open(made.id)}
      >
        Your server verifies the signature of each delivery with it. It is shown only once.
      </SecretDialog>
    );
  return (
    <Modal
      title={kind === undefined ? 'Add a channel' : `Add a channel: ${describeKind(kind).title}`}
      description={kind === undefined ? 'Choose how you want to be notified.' : describeKind(kind).about}
      isWide
      onClose={onClose}
    >
      {kind === undefined ? (
        <KindChoice onChoose={setKind} />
      ) : (
        <CreateForm
          kind={kind}
          onBack={() => setKind(undefined)}
          onMade={(channel) => (channel.webhook_secret === undefined ? open(channel.id) : setMade(channel))}
        />
      )}
    </Modal>
  );
}

function KindChoice({ onChoose }: { readonly onChoose: (kind: Kind) => void }) {
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {KIND_NAMES.map((kind) => (
        <li key={kind}>
          <button
            type="button"
            onClick={() => onChoose(kind)}
            className="flex h-full w-full flex-col rounded-lg border border-line p-3 text-left hover:border-accent hover:bg-hover"
          >
            <span className="font-medium">{describeKind(kind).title}</span>
            <span className="text-[13px] text-soft">{describeKind(kind).about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
