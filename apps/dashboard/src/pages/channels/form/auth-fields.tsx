// SPDX-License-Identifier: Apache-2.0
import { reasonFor, Select, TextArea, TextField } from '../../../ui/field.tsx';
import type { Kind } from '../kinds.ts';
import { fieldsOf, KEEP, listAuthTypes, type AuthDraft } from './auth-draft.ts';

interface AuthFieldsProps {
  readonly kind: Kind;
  readonly draft: AuthDraft;
  /** The type of the credentials that are stored. */
  readonly stored: string | undefined;
  readonly onChange: (draft: AuthDraft) => void;
  readonly error: Error | null;
}

/** Credentials for the receiver: what is stored is never shown, and stays until it is replaced. */
export function AuthFields({ kind, draft, stored, onChange, error }: AuthFieldsProps) {
  const fields = fieldsOf(kind, draft.type);
  const reasons = fields.map(({ name }) => reasonFor(error, `auth.${name}`));
  const write = (name: string, text: string): void =>
    onChange({ ...draft, values: { ...draft.values, [name]: text } });
  return (
    <>
      <Select
        label="Authentication"
        hint={draft.type === KEEP ? 'Stored and never shown. Choose another type to replace it.' : undefined}
        value={draft.type}
        onChange={({ target }) => onChange({ type: target.value, values: {} })}
        error={reasons.every((reason) => reason === undefined) ? reasonFor(error, 'auth') : undefined}
      >
        {listAuthTypes(kind, stored).map(([type, title]) => (
          <option key={type} value={type}>
            {title}
          </option>
        ))}
      </Select>
      {fields.map(({ name, label, placeholder, isSecret, isLong }, index) => {
        const given = {
          label,
          placeholder,
          required: true,
          className: 'font-mono',
          value: draft.values[name] ?? '',
          onChange: ({ target }: { readonly target: { readonly value: string } }) =>
            write(name, target.value),
          error: reasons[index],
        };
        return isLong ? (
          <TextArea key={name} {...given} />
        ) : (
          <TextField key={name} {...given} type={isSecret ? 'password' : 'text'} />
        );
      })}
    </>
  );
}
