// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

/** Whether a channel of any kind is there to be tried: a member of its create and update bodies, and of what is stored. */
export const sandbox = {
  sandbox: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the receiver is only tried. `actions/rehearse` needs `true`. What such a receiver answers never changes the status of the channel. Absent: false.',
      examples: [true],
    }),
};
