// SPDX-License-Identifier: Apache-2.0
import { CHANGE_REASONS, VERIFICATIONS } from '@chainwatch/sdk/catalogue';
import { reasonFor, Select, TextArea, TextField } from '../../../ui/field.tsx';
import { PickList } from '../../../ui/pick-list.tsx';
import { toWords } from '../../../ui/status.tsx';
import { ExpressionField } from '../expression-field.tsx';
import { AddressPick } from './address-pick.tsx';
import { AssetPick, ChainPick } from './chain-picks.tsx';
import type { FilterDraft } from './filter-draft.ts';

interface FilterFieldsProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
  readonly error: Error | null;
}

const DIRECTIONS = { in: 'Incoming', out: 'Outgoing', self: 'Between own addresses' };
const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, title: toWords(value) }));

/** Which of the chosen events are sent: an event has to pass all filters that are set. */
export function FilterFields({ draft, onChange, error }: FilterFieldsProps) {
  const reason = (name: keyof FilterDraft) => reasonFor(error, `filters.${name}`);
  const set = (change: Partial<FilterDraft>): void => onChange({ ...draft, ...change });
  const text = (name: 'groups' | 'metadata' | 'min_amount' | 'memo' | 'memo_prefix') => ({
    value: draft[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [name]: target.value }),
    error: reason(name),
  });
  const list = (name: 'chain_gids' | 'asset_gids' | 'address_ids' | 'verification' | 'reasons') => ({
    chosen: draft[name],
    onChange: (chosen: readonly string[]) => set({ [name]: chosen }),
    error: reason(name),
  });
  return (
    <>
      <TextField
        label="Groups"
        placeholder="shop-7, shop-8"
        hint="Separated by commas."
        {...text('groups')}
      />
      <AddressPick {...list('address_ids')} />
      <ChainPick {...list('chain_gids')} />
      <AssetPick {...list('asset_gids')} />
      <TextField
        label="Minimum amount"
        placeholder="0.01"
        inputMode="decimal"
        hint="In whole units of the asset. Transfers with unknown decimals pass."
        {...text('min_amount')}
      />
      <Select
        label="Direction"
        value={draft.direction}
        onChange={({ target }) => set({ direction: target.value })}
        error={reason('direction')}
      >
        <option value="">Any</option>
        {Object.entries(DIRECTIONS).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
      <TextArea
        label="Metadata"
        rows={2}
        placeholder="shop=7"
        hint="One name=value per line. The address must have all of them."
        className="font-mono"
        {...text('metadata')}
      />
      <TextField label="Memo" placeholder="order 1042" hint="The exact memo." {...text('memo')} />
      <TextField label="Memo begins with" placeholder="order " {...text('memo_prefix')} />
      <PickList
        legend="Verification"
        hint="None selected: any."
        options={optionsOf(VERIFICATIONS)}
        {...list('verification')}
      />
      <PickList
        legend="Reasons of balance changes"
        hint="None selected: any. Applies to balance.changed."
        options={optionsOf(CHANGE_REASONS)}
        {...list('reasons')}
      />
      <ExpressionField
        value={draft.expression}
        onChange={(expression) => set({ expression })}
        error={reason('expression')}
      />
    </>
  );
}
