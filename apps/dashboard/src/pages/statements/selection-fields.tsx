// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery } from '@tanstack/react-query';
import { publicKeysQuery } from '../../api/public-key-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Select, TextArea, TextField } from '../../ui/field.tsx';

/** Which addresses a statement is about: a member of its request, and what was written for it. */
export interface Selection {
  readonly by: 'addresses' | 'group' | 'public_key_id';
  readonly text: string;
}

interface SelectionFieldsProps {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
  readonly error: string | undefined;
}

export function SelectionFields({ selection, onChange, error }: SelectionFieldsProps) {
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
