// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Disclosure } from '../../../ui/disclosure.tsx';
import { isPlaced, reasonFor, TextField, Select, TextArea } from '../../../ui/field.tsx';
import { ModalActions } from '../../../ui/modal.tsx';
import { Problem } from '../../../ui/notice.tsx';
import { EventChoice } from '../event-choice.tsx';
import { describeKind, type Kind, type KindField } from '../kinds.ts';
import { PreviewLine } from '../preview-line.tsx';
import { UntoldChoice, useUntold } from '../untold-choice.tsx';
import { takesAuth, fieldsOf, KEEP, listAuthTypes, type AuthDraft } from './auth-draft.ts';
import { changesOf, takes, type ChannelDraft } from './channel-draft.ts';
import { DeliveryFields, MessageFields } from './delivery-fields.tsx';
import { filtersOf } from './filter-draft.ts';
import { FilterFields } from './filter-fields.tsx';

interface ChannelFormProps {
  readonly kind: Kind;
  /** What the form begins with; it sends what differs from it. */
  readonly before: ChannelDraft;
  /** The type of the credentials that are stored. */
  readonly storedAuth?: string | undefined;
  readonly isStored?: boolean;
  /** What the button says that sends the form. */
  readonly action: string;
  readonly sending: {
    readonly error: Error | null;
    readonly isPending: boolean;
    readonly mutate: (body: Readonly<Record<string, unknown>>) => void;
  };
  readonly back: string;
  readonly onBack: () => void;
}

const DELIVERY = ['ordering', 'ordering_key', 'throttle_per_second', 'headers'];
const MESSAGE = ['include_proof', 'format', 'fields'];

/** Everything that a channel of the kind has: the same form makes one and changes one. */
export function ChannelForm(props: ChannelFormProps) {
  const { kind, before, storedAuth, isStored = false, action, sending, back, onBack } = props;
  const { error } = sending;
  const [draft, setDraft] = useState(before);
  const set = (change: Partial<ChannelDraft>): void => setDraft({ ...draft, ...change });
  const changes = changesOf(kind, draft, before);
  const parts = { kind, draft, onChange: set, error };
  const placed = ['name', ...describeKind(kind).fields.map(({ name }) => name), 'auth', 'event_types'];
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate(changes);
      }}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={255}
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
        error={reasonFor(error, 'name')}
      />
      <KindFields
        kind={kind}
        texts={draft.texts}
        isStored={isStored}
        onWrite={(name, text) => set({ texts: { ...draft.texts, [name]: text } })}
        error={error}
      />
      {takesAuth(kind) && (
        <AuthFields
          kind={kind}
          draft={draft.auth}
          stored={storedAuth}
          onChange={(auth) => set({ auth })}
          error={error}
        />
      )}
      <Selection {...parts} />
      <Disclosure title="Delivery" isOpen={isAbout(error, DELIVERY)}>
        <DeliveryFields {...parts} />
      </Disclosure>
      {takes(kind, 'format') && (
        <Disclosure title="Message" isOpen={isAbout(error, MESSAGE)}>
          <MessageFields {...parts} />
        </Disclosure>
      )}
      <PreviewLine kind={kind} selection={{ event_types: draft.events, filters: filtersOf(draft.filters) }} />
      {error && !isPlaced(error, [...placed, 'filters', ...DELIVERY, ...MESSAGE]) && (
        <Problem error={error} />
      )}
      <ModalActions>
        <Button onClick={onBack}>{back}</Button>
        <Button
          type="submit"
          look="primary"
          disabled={Object.keys(changes).length === 0}
          isBusy={sending.isPending}
        >
          {action}
        </Button>
      </ModalActions>
    </form>
  );
}

interface SelectionProps {
  readonly kind: Kind;
  readonly draft: ChannelDraft;
  readonly onChange: (change: Partial<ChannelDraft>) => void;
  readonly error: Error | null;
}

/** Which events the channel gets. */
function Selection({ kind, draft: { events, filters }, onChange, error }: SelectionProps) {
  const untold = useUntold();
  const count = Object.keys(filtersOf(filters)).length;
  const isChosen = untold !== undefined && untold.reasons.every((reason) => filters.reasons.includes(reason));
  return (
    <>
      <EventChoice
        kind={kind}
        chosen={events}
        onChange={(chosen) => onChange({ events: chosen })}
        error={reasonFor(error, 'event_types')}
      />
      {untold !== undefined && (
        <UntoldChoice
          untold={untold}
          isChosen={isChosen}
          onChange={(isOn) =>
            onChange({
              filters: { ...filters, reasons: isOn ? untold.reasons : [] },
              ...(isOn && { events: [...new Set([...events, 'balance.changed'])] }),
            })
          }
        />
      )}
      <Disclosure
        title="Filters"
        note={count === 0 ? undefined : `${count} set`}
        isOpen={count > 0 || reasonFor(error, 'filters') !== undefined}
      >
        <FilterFields draft={filters} onChange={(changed) => onChange({ filters: changed })} error={error} />
      </Disclosure>
    </>
  );
}

function isAbout(error: Error | null, names: readonly string[]): boolean {
  return names.some((name) => reasonFor(error, name) !== undefined);
}

interface AuthFieldsProps {
  readonly kind: Kind;
  readonly draft: AuthDraft;
  /** The type of the credentials that are stored. */
  readonly stored: string | undefined;
  readonly onChange: (draft: AuthDraft) => void;
  readonly error: Error | null;
}

/** Credentials for the receiver: what is stored is never shown, and stays until it is replaced. */
function AuthFields({ kind, draft, stored, onChange, error }: AuthFieldsProps) {
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

interface KindFieldsProps {
  readonly kind: Kind;
  readonly texts: Readonly<Record<string, string>>;
  /** A secret that is stored stays where nothing is written. */
  readonly isStored: boolean;
  readonly onWrite: (name: string, text: string) => void;
  readonly error: Error | null;
}

/** What this kind needs, and no other one. */
function KindFields({ kind, texts, isStored, onWrite, error }: KindFieldsProps) {
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
