// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Key } from '../../api/management-queries.ts';
import { sessionQuery, type Session } from '../../api/session.ts';
import { reasonFor, Select, TextField, Checkbox } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

type KeyType = 'api' | 'mgt';

export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [name, setName] = useState('');
  const [type, setType] = useState<KeyType>('api');
  const [projectId, setProjectId] = useState(session.projects[0]?.id);
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const offered = listOffered(session, type);
  const permissions = offered.filter((permission) => !refused.has(permission));
  const making = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/management/keys', {
          body: { type, name: name.trim(), permissions, ...(type === 'api' && { project_id: projectId }) },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (making.data)
    return (
      <SecretDialog
        title={`${making.data.name} is ready`}
        label="Key"
        secret={making.data.key}
        onClose={onClose}
      >
        Store it in the program that uses it. It is shown only once.
      </SecretDialog>
    );
  const reason = reasonFor(making.error, 'name');
  return (
    <FormModal
      title="Create key"
      description="The key has only the selected permissions."
      onClose={onClose}
      action="Create key"
      sending={making}
      reasons={[reason]}
      isDisabled={permissions.length === 0}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={reason}
      />
      <Select label="For" value={type} onChange={(event) => setType(event.target.value as KeyType)}>
        <option value="api">The platform API of a project</option>
        <option value="mgt">The management of this workspace</option>
      </Select>
      {type === 'api' && (
        <Select label="Project" value={projectId} onChange={(event) => setProjectId(event.target.value)}>
          {session.projects.map((project) => (
            <option key={project.id} value={project.id}>
              {project.name}
            </option>
          ))}
        </Select>
      )}
      <PermissionChoice offered={offered} refused={refused} onChange={setRefused} />
    </FormModal>
  );
}

/** A key grants no management permission that it does not hold. */
function listOffered({ permissions, project_permissions }: Session, type: KeyType): Key['permissions'] {
  return type === 'api' ? project_permissions : permissions.filter((one) => one.startsWith('mgt:'));
}

interface PermissionChoiceProps {
  readonly offered: Key['permissions'];
  readonly refused: ReadonlySet<string>;
  readonly onChange: (refused: ReadonlySet<string>) => void;
}

function PermissionChoice({ offered, refused, onChange }: PermissionChoiceProps) {
  const toggle = (permission: string, isOn: boolean): void => {
    const next = new Set(refused);
    if (isOn) next.delete(permission);
    else next.add(permission);
    onChange(next);
  };
  const count = offered.filter((permission) => !refused.has(permission)).length;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-[13px] font-medium">
        Permissions: {count} of {offered.length}
      </legend>
      <div className="grid max-h-56 gap-1.5 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
        {offered.map((permission) => (
          <Checkbox
            key={permission}
            label={permission.slice(permission.indexOf(':') + 1).replaceAll('_', ' ')}
            checked={!refused.has(permission)}
            onChange={(event) => toggle(permission, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
