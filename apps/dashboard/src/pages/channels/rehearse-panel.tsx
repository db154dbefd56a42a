// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { components } from '@chainwatch/sdk';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

type Scenario = components['schemas']['Rehearsal']['scenario'];

const SCENARIOS: Readonly<Record<Scenario, string>> = {
  duplicate: 'The same event twice',
  reordered: 'Confirmed before detected',
  reorg: 'Undone after its confirmation',
  late: 'An event one hour late',
  burst: '1,000 events at once',
  slow: 'Resent because the response was lost',
  rotation: 'Two signatures during a rotation',
};

/** Of a sandbox: what a receiver meets on a bad day. */
export function RehearsePanel({ channelId }: { readonly channelId: string }) {
  const client = useQueryClient();
  const [scenario, setScenario] = useState<Scenario>('duplicate');
  const rehearsing = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/actions/rehearse', {
          params: { path: { notification_channel_id: channelId } },
          body: { scenario },
        }),
      ),
    onSuccess: async ({ deliveries }) => {
      tell(
        deliveries.length === 1
          ? 'Sending 1 event'
          : `Sending ${deliveries.length.toLocaleString('en')} events`,
      );
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'deliveries' });
    },
    onError: tellProblem,
  });
  return (
    <Panel title="Rehearsals">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          rehearsing.mutate();
        }}
      >
        <Select
          label="Scenario"
          hint="Synthetic events, marked as test messages."
          value={scenario}
          onChange={(event) => setScenario(event.target.value as Scenario)}
        >
          {Object.entries(SCENARIOS).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Select>
        <Button type="submit" isBusy={rehearsing.isPending} icon={<Play aria-hidden className="size-4" />}>
          Rehearse
        </Button>
      </form>
    </Panel>
  );
}
