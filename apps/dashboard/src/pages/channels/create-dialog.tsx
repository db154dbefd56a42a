// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Modal } from '../../ui/modal.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { CreateForm, type MadeChannel } from './form/create-form.tsx';
import { describeKind, KIND_NAMES, type Kind } from './kinds.ts';

/** The kind first, then what that kind asks for, then its secret, once. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
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
