// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Statement } from '../../api/statement-queries.ts';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tell } from '../../ui/toast.tsx';
import { ChainsChoice } from './chains-choice.tsx';
import { lastMonth, splitAddresses } from './describe-statement.ts';
import { SelectionFields, type Selection } from './selection-fields.tsx';

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
