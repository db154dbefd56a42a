// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findExplanation, type Upgrade } from '@chainwatch/chain-core';

const name = z.string().meta({ description: 'Name of the upgrade.', examples: ['Lagoon'] });
const date = z
  .union([z.iso.datetime(), z.iso.date()])
  .nullable()
  .meta({
    description:
      'When it takes effect: a moment, or a day (UTC) if only the day is known. Null without a date.',
    examples: ['2026-12-08T02:30:00Z', '2026-10-21'],
  });
const state = z.enum(['ready', 'generated', 'not']).meta({
  description:
    'State of this release. `ready`: tested with a recorded block after the upgrade. `generated`: tested with blocks generated in the published format. `not`: not supported; `reason` says what is missing.',
  examples: ['generated'],
});

export const upgradeRecordSchema = z
  .object({
    name,
    date,
    height: z
      .int()
      .nullable()
      .meta({
        description:
          'The first block or slot under the new rules. Null where a time decides, or none is known.',
        examples: [null, 459_652_999],
      }),
    certainty: z.enum(['verified', 'one-source', 'unverified']).meta({
      description:
        'Of date and height. `verified`: two sources, or the configuration of a client. `one-source`: one. `unverified`: a roadmap or a calculation.',
      examples: ['verified'],
    }),
    changes: z.string().meta({
      description: 'What changes in the blocks and in the answers of nodes.',
      examples: ['CAS20 tokens (BEP-702): a Memo event after the Transfer it belongs to.'],
    }),
    state,
    reason: z
      .string()
      .nullable()
      .meta({
        description: 'What is missing in this release. Null unless `state` is `not`.',
        examples: [null],
      }),
    sources: z.array(z.url()).meta({
      description: 'Where it is announced or specified.',
      examples: [['https://github.com/bnb-chain/bsc/releases/tag/v1.8.2']],
    }),
  })
  .meta({ id: 'Upgrade' });

/** What an incident shows of the upgrade that explains it. */
export const explanationSchema = z
  .object({ name, date, state })
  .nullable()
  .meta({
    description:
      'The upgrade of the chain that explains the incident. Update the service if its `state` is `not`. Null where none is known.',
    examples: [null, { name: 'Everest', date: null, state: 'generated' }],
  });

export function toUpgradeRecord(row: Upgrade): z.infer<typeof upgradeRecordSchema> {
  const { name: called, date: at, height, certainty, changes, state: own, sources } = row;
  const reason = row.state === 'not' ? row.reason : null;
  return { name: called, date: at, height, certainty, changes, state: own, reason, sources: [...sources] };
}

/** @param atMs when the incident was opened */
export function toExplanation(
  upgrades: readonly Upgrade[],
  incident: { readonly kind: string; readonly atMs: number },
): z.infer<typeof explanationSchema> {
  const found = findExplanation(upgrades, incident);
  return found === undefined ? null : { name: found.name, date: found.date, state: found.state };
}
