// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { membersQuery, type Member } from '../../api/management-queries.ts';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { toWords } from '../../ui/status.tsx';

type Role = Member['role'];
const ROLES: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

interface MemberDialogProps {
  /** Undefined: a new one. */
  readonly member?: Member;
  readonly onClose: () => void;
}

export function MemberDialog({ member, onClose }: MemberDialogProps) {
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
