// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { reasonFor, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tell } from '../../ui/toast.tsx';

const FIELDS = [
  {
    name: 'extended_public_key',
    label: 'Extended public key',
    hint: 'xpub, ypub, zpub, or the form of a test network. Never paste a private key (xprv).',
    placeholder: 'zpub…',
    isRequired: true,
  },
  {
    name: 'derivation_path',
    label: 'Derivation path',
    hint: 'Path from the wallet to the account. Determines address format and network.',
    placeholder: "m/84'/0'/0'",
    isRequired: true,
  },
  {
    name: 'chain_gid',
    label: 'Chain',
    hint: 'CAIP-2 ID. Needed only if the path fits several test networks.',
    placeholder: '',
    isRequired: false,
  },
  {
    name: 'label',
    label: 'Label',
    hint: 'Optional. Shown instead of the address.',
    placeholder: '',
    isRequired: false,
  },
] as const;

export function AddPublicKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const textOf = (name: string): string | undefined => texts[name]?.trim() || undefined;
  const adding = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/public_keys', {
          body: {
            extended_public_key: textOf('extended_public_key') ?? '',
            derivation_path: textOf('derivation_path') ?? '',
            chain_gid: textOf('chain_gid'),
            label: textOf('label'),
          },
        }),
      ),
    onSuccess: async ({ id }) => {
      tell('Public key added');
      await client.invalidateQueries({ queryKey: ['public-keys'] });
      await navigate({ to: '/public-keys/$id', params: { id } });
    },
  });
  const reasons = FIELDS.map(({ name }) => reasonFor(adding.error, name));
  return (
    <FormModal
      title="Add a public key"
      onClose={onClose}
      action="Add public key"
      sending={adding}
      reasons={reasons}
    >
      {FIELDS.map(({ name, label, hint, placeholder, isRequired }, index) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          placeholder={placeholder}
          required={isRequired}
          autoFocus={index === 0}
          className={name === 'label' ? undefined : 'font-mono'}
          value={texts[name] ?? ''}
          onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
          error={reasons[index]}
        />
      ))}
    </FormModal>
  );
}
