// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { GitFork, Plus } from 'lucide-react';
import { useState } from 'react';
import { publicKeysQuery, type PublicKey } from '../../api/public-key-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { GapBar } from './gap-bar.tsx';
import { api, bodyOf } from '../../api/client.ts';
import { reasonFor, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tell } from '../../ui/toast.tsx';

export function PublicKeysPage() {
  const query = useInfiniteQuery(publicKeysQuery);
  const { rows } = rowsOf(query.data?.pages);
  const [isAdding, setAdding] = useState(false);
  const add = useMay()('api:public_key:write') && (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setAdding(true)}>
      Add public key
    </Button>
  );
  return (
    <Page title="Public keys" actions={rows.length > 0 && add}>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Public keys"
          query={query}
          rows={rows}
          columns={COLUMNS}
          waitingRows={6}
          empty={
            <Empty
              icon={<GitFork />}
              title="No public keys yet"
              action={add}
              docs="cookbook/exchange-deposits"
            >
              Derive an address for each customer from an account's extended public key (xpub, zpub, …). No
              secret is needed.
            </Empty>
          }
        />
      </Panel>
      {isAdding && <AddPublicKeyDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<PublicKey>[] = [
  {
    name: 'Public key',
    width: 'minmax(10rem, 1fr)',
    cell: ({ id, label, fingerprint }) => (
      <Link to="/public-keys/$id" params={{ id }} className={`${ROW_LINK} truncate`}>
        {label ?? fingerprint}
      </Link>
    ),
  },
  {
    name: 'Path',
    width: '8rem',
    cell: ({ derivation_path }) => <code className="font-mono text-xs text-soft">{derivation_path}</code>,
  },
  { name: 'Chain', width: '9rem', cell: ({ chain_gid }) => <ChainName gid={chain_gid} /> },
  {
    name: 'Addresses',
    width: '6rem',
    isRight: true,
    cell: ({ address_count }) => address_count.toLocaleString(),
  },
  { name: 'Gap', width: 'minmax(12rem, 1fr)', cell: (publicKey) => <GapBar publicKey={publicKey} /> },
  { name: 'Added', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

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

function AddPublicKeyDialog({ onClose }: { readonly onClose: () => void }) {
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
