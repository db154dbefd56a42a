// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient, useQuery, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Statement } from '../../api/statement-queries.ts';
import { reasonFor, Select, TextField, Checkbox, TextArea } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tell } from '../../ui/toast.tsx';
import { lastMonth, splitAddresses } from './describe-statement.ts';
import { chainsQuery, rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { publicKeysQuery } from '../../api/public-key-queries.ts';

const FORMATS: Readonly<Record<Statement['format'], string>> = {
  ndjson: 'JSON lines: for programs, with its own signature',
  csv: 'CSV: one table',
  html: 'HTML: one page to print',
};
const MEMBERS = ['addresses', 'group', 'public_key_id', 'chain_gids', 'from', 'to', 'format'];

export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [selection, setSelection] = useState<Selection>({ by: 'addresses', text: '' });
  const [chains, setChains] = useState<readonly string[]>([]);
  const [[from, to], setPeriod] = useState(() => lastMonth(Date.now()));
  const [format, setFormat] = useState<Statement['format']>('ndjson');
  const creating = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/statements', {
          body: {
            ...toMember(selection),
            chain_gids: chains.length === 0 ? undefined : [...chains],
            from: toMidnight(from),
            to: toMidnight(to),
            format,
          },
        }),
      ),
    onSuccess: async ({ id }) => {
      tell('Statement requested');
      await client.invalidateQueries({ queryKey: ['statements', 'list'] });
      await navigate({ to: '/statements/$id', params: { id } });
    },
  });
  const reason = (name: string): string | undefined => reasonFor(creating.error, name);
  return (
    <FormModal
      title="Create a statement"
      description="The period is in UTC, from midnight to midnight, at most 366 days."
      onClose={onClose}
      action="Create statement"
      sending={creating}
      reasons={MEMBERS.map(reason)}
    >
      <SelectionFields selection={selection} onChange={setSelection} error={reason(selection.by)} />
      <ChainsChoice chosen={chains} onChange={setChains} error={reason('chain_gids')} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="From"
          type="date"
          required
          hint="Inclusive"
          value={from}
          onChange={(event) => setPeriod([event.target.value, to])}
          error={reason('from')}
        />
        <TextField
          label="To"
          type="date"
          required
          hint="Exclusive: this day is not included"
          value={to}
          onChange={(event) => setPeriod([from, event.target.value])}
          error={reason('to')}
        />
      </div>
      <Select
        label="Format"
        value={format}
        onChange={(event) => setFormat(event.target.value as Statement['format'])}
      >
        {Object.entries(FORMATS).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
    </FormModal>
  );
}

function toMember({ by, text }: Selection): object {
  return { [by]: by === 'addresses' ? splitAddresses(text) : text.trim() };
}

function toMidnight(day: string): string {
  return `${day}T00:00:00Z`;
}

interface ChainsChoiceProps {
  /** None: all chains of the addresses. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

function ChainsChoice({ chosen, onChange, error }: ChainsChoiceProps) {
  const mayRead = useMay()('api:blockchain:read');
  const { data } = useQuery({ ...chainsQuery, enabled: mayRead });
  const chains = data?.items ?? [];
  if (chains.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-[13px] font-medium">Chains</legend>
      <div
        tabIndex={0}
        role="group"
        aria-label="Chains to include"
        className="flex max-h-36 flex-col gap-1.5 overflow-y-auto rounded-md border border-line-strong p-3"
      >
        {chains.map(({ gid, display_name: name }) => (
          <Checkbox
            key={gid}
            label={name}
            checked={chosen.includes(gid)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, gid] : chosen.filter((one) => one !== gid))
            }
          />
        ))}
      </div>
      <p className={`text-xs ${error === undefined ? 'text-faint' : 'text-bad'}`}>
        {error ?? 'None selected: all chains of the addresses.'}
      </p>
    </fieldset>
  );
}

/** Which addresses a statement is about: a member of its request, and what was written for it. */
interface Selection {
  readonly by: 'addresses' | 'group' | 'public_key_id';
  readonly text: string;
}

interface SelectionFieldsProps {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
  readonly error: string | undefined;
}

function SelectionFields({ selection, onChange, error }: SelectionFieldsProps) {
  const { by, text } = selection;
  const write = (event: { readonly target: { readonly value: string } }): void =>
    onChange({ by, text: event.target.value });
  return (
    <>
      <Select
        label="Select by"
        value={by}
        onChange={(event) => onChange({ by: event.target.value as Selection['by'], text: '' })}
      >
        <option value="addresses">Addresses</option>
        <option value="group">Group</option>
        <option value="public_key_id">Public key</option>
      </Select>
      {by === 'addresses' && (
        <TextArea
          label="Addresses"
          required
          className="font-mono"
          hint="Of this project, one per line. Maximum 1,000."
          value={text}
          onChange={write}
          error={error}
        />
      )}
      {by === 'group' && (
        <TextField
          label="Group"
          required
          placeholder="customers"
          hint="All addresses of the group. Maximum 10,000."
          value={text}
          onChange={write}
          error={error}
        />
      )}
      {by === 'public_key_id' && <PublicKeyField text={text} onWrite={write} error={error} />}
    </>
  );
}

interface PublicKeyFieldProps {
  readonly text: string;
  readonly onWrite: (event: { readonly target: { readonly value: string } }) => void;
  readonly error: string | undefined;
}

/** A list of them for whoever may read it, otherwise the ID. */
function PublicKeyField({ text, onWrite, error }: PublicKeyFieldProps) {
  const mayRead = useMay()('api:public_key:read');
  const query = useInfiniteQuery({ ...publicKeysQuery, enabled: mayRead });
  const { rows } = rowsOf(query.data?.pages);
  const hint = 'All addresses derived from it. Maximum 10,000.';
  if (!mayRead)
    return (
      <TextField
        label="Public key ID"
        required
        className="font-mono"
        hint={hint}
        value={text}
        onChange={onWrite}
        error={error}
      />
    );
  return (
    <Select label="Public key" required value={text} hint={hint} onChange={onWrite} error={error}>
      <option value="">
        {query.isPending ? 'Loading…' : rows.length === 0 ? 'No public keys' : 'Choose one'}
      </option>
      {rows.map(({ id, label, fingerprint }) => (
        <option key={id} value={id}>
          {label ?? fingerprint}
        </option>
      ))}
    </Select>
  );
}
