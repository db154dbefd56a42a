// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { membersQuery, type Member } from '../../api/management-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { toWords } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';

export function MembersPage() {
  const query = useInfiniteQuery(membersQuery);
  const { rows } = rowsOf(query.data?.pages);
  const mayChange = useMay()('mgt:member:write');
  const [isAdding, setAdding] = useState(false);
  const add = mayChange && (
    <Button look="primary" icon={<UserPlus aria-hidden className="size-4" />} onClick={() => setAdding(true)}>
      Add member
    </Button>
  );
  return (
    <Page title="Members" actions={rows.length > 0 && add}>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Members"
          query={query}
          rows={rows}
          columns={mayChange ? [...COLUMNS, ACTIONS] : COLUMNS}
          waitingRows={6}
          empty={
            <Empty icon={<Users />} title="No members yet" action={add} docs="guides/management">
              Invite people and choose their roles.
            </Empty>
          }
        />
      </Panel>
      {isAdding && <MemberDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Member>[] = [
  {
    name: 'E-mail',
    width: 'minmax(13rem, 1fr)',
    cell: ({ email }) => <span className="truncate font-medium">{email}</span>,
  },
  { name: 'Role', width: '8rem', cell: ({ role }) => toWords(role) },
  { name: 'Added', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const ACTIONS: Column<Member> = {
  name: 'Action',
  width: '11rem',
  isRight: true,
  cell: (member) => <Actions member={member} />,
};

function Actions({ member }: { readonly member: Member }) {
  const client = useQueryClient();
  const [isChanging, setChanging] = useState(false);
  const removing = useMutation({
    mutationFn: () =>
      bodyOf(api.DELETE('/management/members/{member_id}', { params: { path: { member_id: member.id } } })),
    onSuccess: () => tell(`${member.email} is no longer a member`),
    onError: tellProblem,
    onSettled: () => client.invalidateQueries(membersQuery),
  });
  return (
    <span className="flex gap-2">
      <Button isSmall onClick={() => setChanging(true)}>
        Change
      </Button>
      <ConfirmButton
        isSmall
        look="danger"
        isBusy={removing.isPending}
        question={`Remove ${member.email}?`}
        consequence="Keys stay valid. Revoke the keys that this person knows."
        onConfirm={() => removing.mutate()}
      >
        Remove
      </ConfirmButton>
      {isChanging && <MemberDialog member={member} onClose={() => setChanging(false)} />}
    </span>
  );
}

type Role = Member['role'];
const ROLES: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

interface MemberDialogProps {
  /** Undefined: a new one. */
  readonly member?: Member;
  readonly onClose: () => void;
}

function MemberDialog({ member, onClose }: MemberDialogProps) {
  const client = useQueryClient();
  const [email, setEmail] = useState(member?.email ?? '');
  const [role, setRole] = useState<Role>(member?.role ?? 'viewer');
  const saving = useMutation({
    mutationFn: async () => {
      const body = { email: email.trim(), role };
      if (member === undefined) return bodyOf(api.POST('/management/members', { body }));
      const params = { path: { member_id: member.id } };
      return bodyOf(api.PATCH('/management/members/{member_id}', { params, body }));
    },
    onSuccess: async () => {
      await client.invalidateQueries(membersQuery);
      onClose();
    },
  });
  const reason = reasonFor(saving.error, 'email');
  return (
    <FormModal
      title={member === undefined ? 'Add a member' : `Change ${member.email}`}
      onClose={onClose}
      action="Save"
      sending={saving}
      reasons={[reason]}
    >
      <TextField
        label="E-mail"
        type="email"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={reason}
      />
      <Select label="Role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {toWords(each)}
          </option>
        ))}
      </Select>
    </FormModal>
  );
}
