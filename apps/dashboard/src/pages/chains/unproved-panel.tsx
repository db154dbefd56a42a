// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tell } from '../../ui/toast.tsx';

type Choice = Blockchain['unproved'];

const HINTS: Readonly<Record<Choice, string>> = {
  hold: 'Final transactions without a proof wait until another node agrees, a proof arrives, or you accept the incident.',
  deliver:
    'Final transactions without a proof are confirmed as trusted, on the word of one node. The incident stays open.',
};

/** The operator's decision about transactions that cannot be proved. */
export function UnprovedPanel({ chain }: { readonly chain: Blockchain }) {
  const may = useMay();
  return (
    <Panel title="Unproved transactions">
      {may('api:blockchain:write') ? (
        <UnprovedForm chain={chain} />
      ) : (
        <p className="text-[13px] text-soft">{HINTS[chain.unproved]}</p>
      )}
    </Panel>
  );
}

function UnprovedForm({ chain: { gid, family, unproved } }: { readonly chain: Blockchain }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Choice>();
  const choice = chosen ?? unproved;
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        // Each family has an operation of its own, with this member in all of them.
        api.PATCH(`/blockchains/{chain_gid}/${family}`, {
          params: { path: { chain_gid: gid } },
          body: { unproved: choice },
        }),
      ),
    onSuccess: async () => {
      tell(choice === 'hold' ? 'Unproved transactions are held' : 'Unproved transactions are delivered');
      await client.invalidateQueries({ queryKey: ['chains'] });
      // Unless another choice was made meanwhile.
      setChosen((now) => (now === choice ? undefined : now));
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Select
        label="After the block is final"
        value={choice}
        hint={HINTS[choice]}
        onChange={(event) => setChosen(event.target.value as Choice)}
      >
        <option value="hold">Hold</option>
        <option value="deliver">Deliver</option>
      </Select>
      {saving.error && <Problem error={saving.error} />}
      <Button type="submit" className="self-start" disabled={choice === unproved} isBusy={saving.isPending}>
        Save setting
      </Button>
    </form>
  );
}
