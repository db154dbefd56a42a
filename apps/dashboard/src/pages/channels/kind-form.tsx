import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PAYMENT_EVENTS } from '@chainwatch/sdk/catalogue';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, reasonFor, TextField } from '../../ui/field.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { EventChoice } from './event-choice.tsx';
import { ExpressionField } from './expression-field.tsx';
import { describeKind, valuesOf, type Kind } from './kinds.ts';
import { OrderingSelect } from './ordering-select.tsx';
import { ORDERINGS, type OrderingChoice } from './ordering.ts';
import { PreviewLine } from './preview-line.tsx';
import { ProofChoice } from './proof-choice.tsx';
import { takesProofs, type IncludedProof } from './proofs.ts';
import { UntoldChoice, useUntold } from './untold-choice.tsx';

export interface MadeChannel {
  readonly id: string;
  /** Of a webhook channel. */
  readonly webhook_secret?: string;
}

interface KindFormProps {
  readonly kind: Kind;
  readonly onBack: () => void;
  readonly onMade: (channel: MadeChannel) => void;
}

const EXPRESSION = 'filters.expression';

export function KindForm({ kind, onBack, onMade }: KindFormProps) {
  const { fields } = describeKind(kind);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [events, setEvents] = useState<ReadonlySet<string>>();
  const [proof, setProof] = useState<IncludedProof>('none');
  const [isSandbox, setSandbox] = useState(false);
  const [takesUntold, setTakesUntold] = useState(false);
  const [ordering, setOrdering] = useState<OrderingChoice>('best_effort');
  const untold = useUntold();
  const textOf = (name: string): string => texts[name] ?? '';
  const set = (name: string, text: string): void => setTexts({ ...texts, [name]: text });
  const selection = {
    ...(events !== undefined && { event_types: [...events] }),
    ...filtersOf({ expression: textOf(EXPRESSION), reasons: takesUntold ? untold?.reasons : undefined }),
  };
  const creating = useCreating(kind, onMade);
  const reasons = ['name', ...fields.map(({ name }) => name), EXPRESSION].map((name) =>
    reasonFor(creating.error, name),
  );
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        creating.mutate({
          name: textOf('name').trim(),
          ...valuesOf(kind, texts),
          ...(proof !== 'none' && { include_proof: proof }),
          ...selection,
          ...ORDERINGS[ordering].members,
          ...(isSandbox && { sandbox: true }),
        });
      }}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={255}
        value={textOf('name')}
        onChange={(event) => set('name', event.target.value)}
        error={reasons[0]}
      />
      <KindFields kind={kind} texts={texts} onWrite={set} error={creating.error} />
      {takesProofs(kind) && (
        <ProofChoice value={proof} onChange={setProof} error={reasonFor(creating.error, 'include_proof')} />
      )}
      <EventChoice chosen={events} onChange={setEvents} />
      {untold !== undefined && (
        <UntoldChoice
          untold={untold}
          isChosen={takesUntold}
          onChange={(isChosen) => {
            setTakesUntold(isChosen);
            if (isChosen) setEvents(new Set([...(events ?? PAYMENT_EVENTS), 'balance.changed']));
          }}
        />
      )}
      <ExpressionField
        value={textOf(EXPRESSION)}
        onChange={(text) => set(EXPRESSION, text)}
        error={reasons.at(-1)}
      />
      <OrderingSelect chosen={ordering} onChange={setOrdering} />
      <SandboxChoice isChosen={isSandbox} onChange={setSandbox} />
      <PreviewLine kind={kind} selection={selection} />
      {creating.error && reasons.every((reason) => reason === undefined) && (
        <Problem error={creating.error} />
      )}
      <ModalActions>
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" look="primary" isBusy={creating.isPending}>
          Add channel
        </Button>
      </ModalActions>
    </form>
  );
}

interface SandboxChoiceProps {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

function SandboxChoice({ isChosen, onChange }: SandboxChoiceProps) {
  return (
    <Checkbox
      label="Sandbox"
      hint="To try a receiver: rehearsals, and no answer changes the status."
      checked={isChosen}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

function useCreating(kind: Kind, onMade: KindFormProps['onMade']) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: object): Promise<MadeChannel> => {
      // Each kind has an operation of its own, and the fields of the form are that kind's.
      const path = `/notification_channels/${kind}` as '/notification_channels/webhook';
      return bodyOf(api.POST(path, { body: body as never }));
    },
    onSuccess: async (channel) => {
      await client.invalidateQueries({ queryKey: ['channels'] });
      onMade(channel);
    },
  });
}

interface KindFieldsProps {
  readonly kind: Kind;
  readonly texts: Readonly<Record<string, string>>;
  readonly onWrite: (name: string, text: string) => void;
  readonly error: Error | null;
}

/** What this kind needs, and no other one. */
function KindFields({ kind, texts, onWrite, error }: KindFieldsProps) {
  return describeKind(kind).fields.map(({ name, label, placeholder, hint, isSecret, isOptional }) => (
    <TextField
      key={name}
      label={label}
      required={!isOptional}
      placeholder={placeholder}
      hint={hint}
      type={isSecret ? 'password' : 'text'}
      className="font-mono"
      value={texts[name] ?? ''}
      onChange={(event) => onWrite(name, event.target.value)}
      error={reasonFor(error, name)}
    />
  ));
}

/** Absent where nothing is filtered. */
function filtersOf({
  expression,
  reasons,
}: {
  readonly expression: string;
  readonly reasons: readonly string[] | undefined;
}): object {
  const text = expression.trim();
  const filters = { ...(text !== '' && { expression: text }), ...(reasons && { reasons: [...reasons] }) };
  return Object.keys(filters).length > 0 ? { filters } : {};
}
