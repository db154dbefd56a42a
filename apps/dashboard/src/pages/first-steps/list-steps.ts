// SPDX-License-Identifier: Apache-2.0
import type { Stats } from '../../api/queries.ts';

type StepName = 'address' | 'channel' | 'event' | 'verified';

/** What of the first steps the project has done, by the API's figures; undefined: they do not show it to this session. */
export function listSteps({
  address_count,
  channels,
  deliveries,
}: Pick<Stats, 'address_count' | 'channels' | 'deliveries'>):
  | Readonly<Record<StepName, boolean>>
  | undefined {
  if (address_count === null || channels === null || deliveries === null) return undefined;
  const sent = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  return {
    address: address_count > 0,
    channel: channels.active + channels.failing + channels.failed > 0,
    event: sent > 0,
    verified: deliveries.delivered > 0,
  };
}
