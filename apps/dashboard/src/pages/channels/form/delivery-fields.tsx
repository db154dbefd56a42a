// SPDX-License-Identifier: Apache-2.0
import { Checkbox, reasonFor, Select, TextArea, TextField } from '../../../ui/field.tsx';
import type { Kind } from '../kinds.ts';
import { OrderingSelect } from '../ordering-select.tsx';
import { ProofChoice } from '../proof-choice.tsx';
import { takesProofs } from '../proofs.ts';
import { takes, type ChannelDraft } from './channel-draft.ts';

interface DeliveryFieldsProps {
  readonly kind: Kind;
  readonly draft: ChannelDraft;
  readonly onChange: (change: Partial<ChannelDraft>) => void;
  readonly error: Error | null;
}

/** How events are sent: order, rate, and what goes with them. */
export function DeliveryFields({ kind, draft, onChange, error }: DeliveryFieldsProps) {
  return (
    <>
      <OrderingSelect chosen={draft.ordering} onChange={(ordering) => onChange({ ordering })} />
      {takes(kind, 'throttle_per_second') && (
        <TextField
          label="Deliveries per second"
          type="number"
          min={1}
          max={1_000}
          placeholder="No limit"
          value={draft.perSecond}
          onChange={({ target }) => onChange({ perSecond: target.value })}
          error={reasonFor(error, 'throttle_per_second')}
        />
      )}
      {takes(kind, 'headers') && (
        <TextArea
          label="Headers"
          rows={2}
          placeholder="X-Team: payments"
          hint="One per line, maximum 20. Visible to everyone who can read the channel. Put credentials into Authentication."
          className="font-mono"
          value={draft.headers}
          onChange={({ target }) => onChange({ headers: target.value })}
          error={reasonFor(error, 'headers')}
        />
      )}
      {takes(kind, 'standard_webhooks') && (
        <Checkbox
          label="Standard Webhooks headers"
          hint="Adds webhook-id, webhook-timestamp, and webhook-signature to each delivery."
          checked={draft.isStandard}
          onChange={({ target }) => onChange({ isStandard: target.checked })}
        />
      )}
      <Checkbox
        label="Historical events"
        hint="Also sends payments found by a history import, after all other events."
        checked={draft.takesHistory}
        onChange={({ target }) => onChange({ takesHistory: target.checked })}
      />
      <Checkbox
        label="Sandbox"
        hint="Tests a receiver with rehearsals. Its answers never change the status of the channel."
        checked={draft.isSandbox}
        onChange={({ target }) => onChange({ isSandbox: target.checked })}
      />
    </>
  );
}

/** What a message contains. */
export function MessageFields({ kind, draft, onChange, error }: DeliveryFieldsProps) {
  return (
    <>
      {takesProofs(kind) && (
        <ProofChoice
          value={draft.proof}
          onChange={(proof) => onChange({ proof })}
          error={reasonFor(error, 'include_proof')}
        />
      )}
      <Select
        label="Format"
        value={draft.format}
        onChange={({ target }) => onChange({ format: target.value })}
        error={reasonFor(error, 'format')}
      >
        <option value="native">Events as in the API</option>
        <option value="cloudevents">CloudEvents 1.0</option>
      </Select>
      <TextArea
        label="Fields"
        rows={2}
        placeholder="data.transaction.hash"
        hint="Paths of the members of data to send, one per line. Empty: all."
        className="font-mono"
        value={draft.fields}
        onChange={({ target }) => onChange({ fields: target.value })}
        error={reasonFor(error, 'fields')}
      />
    </>
  );
}
