// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { networksQuery } from '../../api/chain-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { reasonFor, Select } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { toTitle } from '../addresses/families.ts';

/** Every network that the service knows and has no chain of, those that an operator added too. */
export function AddChainDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const networks = useQuery(networksQuery);
  const [chosen, setChosen] = useState('');
  const adding = useMutation({
    mutationFn: () => bodyOf(api.POST('/blockchains', { body: { chain_gid: chosen } })),
    onSuccess: async ({ gid }) => {
      await client.invalidateQueries({ queryKey: ['chains'] });
      await client.invalidateQueries({ queryKey: networksQuery.queryKey });
      await navigate({ to: '/chains/$gid', params: { gid } });
    },
  });
  const reason = reasonFor(adding.error, 'chain_gid');
  const free = networks.data?.items.filter((network) => !network.is_used) ?? [];
  const families = [...Map.groupBy(free, ({ family }) => family)];
  return (
    <FormModal
      title="Add a chain"
      onClose={onClose}
      action="Add chain"
      sending={adding}
      reasons={[reason]}
      isDisabled={chosen === ''}
    >
      {networks.isPending && <Waiting rows={1} />}
      {networks.error && <Problem error={networks.error} onRetry={() => void networks.refetch()} />}
      {networks.data && (
        <Select
          label="Chain"
          required
          autoFocus
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          error={reason}
          hint="You add a node next. To add a network that is not listed, use `chainwatch networks set`."
        >
          <option value="">Choose one</option>
          {families.map(([family, members]) => (
            <optgroup key={family} label={toTitle(family)}>
              {members.map(({ gid, display_name: name }) => (
                <option key={gid} value={gid}>
                  {name} ({gid})
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </FormModal>
  );
}
