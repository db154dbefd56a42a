// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

/** In which order a channel of any kind gets its events: members of its create and update bodies, and of what is stored. */
export const ordering = {
  ordering: z
    .enum(['best_effort', 'strict'])
    .optional()
    .meta({
      description:
        'Order of events. `best_effort`: first attempts start in order, and a retry delays nothing. `strict`: an event is sent once every earlier one has been acknowledged, so that a retry holds up what is behind it. Absent: `best_effort`. A change applies to events that come after it.',
      examples: ['strict'],
    }),
  ordering_key: z
    .enum(['channel', 'address'])
    .optional()
    .meta({
      description:
        'With `ordering: strict`, what has an order of its own. `channel`: all events of the channel. `address`: the events of each address; an event of several addresses counts for the first one, an event of none for its chain. Absent: `channel`.',
      examples: ['address'],
    }),
};
