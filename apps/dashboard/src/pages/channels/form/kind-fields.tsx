// SPDX-License-Identifier: Apache-2.0
import { reasonFor, Select, TextField } from '../../../ui/field.tsx';
import { describeKind, type Kind, type KindField } from '../kinds.ts';

interface KindFieldsProps {
  readonly kind: Kind;
  readonly texts: Readonly<Record<string, string>>;
  /** A secret that is stored stays where nothing is written. */
  readonly isStored: boolean;
  readonly onWrite: (name: string, text: string) => void;
  readonly error: Error | null;
}

/** What this kind needs, and no other one. */
export function KindFields({ kind, texts, isStored, onWrite, error }: KindFieldsProps) {
  return describeKind(kind).fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      text={texts[field.name] ?? ''}
      isStored={isStored}
      onWrite={(text) => onWrite(field.name, text)}
      error={reasonFor(error, field.name)}
    />
  ));
}

interface OneFieldProps {
  readonly field: KindField;
  readonly text: string;
  readonly isStored: boolean;
  readonly onWrite: (text: string) => void;
  readonly error: string | undefined;
}

function OneField({ field, text, isStored, onWrite, error }: OneFieldProps) {
  const { label, placeholder, hint, isSecret = false, isOptional = false, choices } = field;
  if (choices !== undefined)
    return (
      <Select
        label={label}
        hint={hint}
        value={text || Object.keys(choices)[0]}
        onChange={({ target }) => onWrite(target.value)}
        error={error}
      >
        {Object.entries(choices).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
    );
  const isKept = isSecret && isStored;
  return (
    <TextField
      label={label}
      required={!isOptional && !isKept}
      placeholder={isKept ? 'Stored' : placeholder}
      hint={isKept ? 'Stored and never shown. Write a new value to replace it.' : hint}
      type={isSecret ? 'password' : 'text'}
      className="font-mono"
      value={text}
      onChange={({ target }) => onWrite(target.value)}
      error={error}
    />
  );
}
