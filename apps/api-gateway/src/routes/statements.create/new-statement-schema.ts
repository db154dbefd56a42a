// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { groupNameSchema } from '@chainwatch/channels';
import { addressParams } from '../../records/address-input.ts';
import { STATEMENT_FORMATS } from '../../statements/statement-formats.ts';

const NAMED_MAX = 1_000;
const CHAINS_MAX = 100;
const DAYS_MAX = 366;
const DAY_MS = 86_400_000;
/** Clocks of clients may be ahead. */
const AHEAD_MS = 60_000;

const SELECTORS = ['addresses', 'group', 'public_key_id'] as const;

export const newStatementSchema = z
  .strictObject({
    addresses: z
      .array(addressParams.shape.address)
      .min(1)
      .max(NAMED_MAX)
      .optional()
      .meta({
        description:
          'Addresses of the project, maximum 1,000, in any supported format of their family. Exactly one of `addresses`, `group` and `public_key_id` selects the addresses.',
        examples: [['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']],
      }),
    group: groupNameSchema.optional().meta({
      description: 'All addresses of a group, at most 10,000.',
      examples: ['customers'],
    }),
    public_key_id: z
      .uuid()
      .optional()
      .meta({
        description: 'All addresses derived from a public key, at most 10,000.',
        examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
      }),
    chain_gids: z
      .array(chainGidSchema)
      .min(1)
      .max(CHAINS_MAX)
      .optional()
      .meta({
        description: 'Only these chains (CAIP-2). Default: all chains of the addresses.',
        examples: [['eip155:1']],
      }),
    from: z.iso.datetime({ offset: true }).meta({
      description: 'The beginning of the period, inclusive.',
      examples: ['2026-10-01T00:00:00Z'],
    }),
    to: z.iso.datetime({ offset: true }).meta({
      description: 'The end of the period, exclusive: at most 366 days later, and not in the future.',
      examples: ['2026-11-01T00:00:00Z'],
    }),
    format: z
      .enum(STATEMENT_FORMATS)
      .default('ndjson')
      .meta({
        description:
          'Of the document: `ndjson`, one JSON object a line, the last one its signature; `csv`, one table; `html`, one page to print.',
        examples: ['ndjson'],
      }),
  })
  .superRefine((body, ctx) => {
    const named = SELECTORS.filter((name) => body[name] !== undefined);
    if (named.length !== 1)
      ctx.addIssue({
        code: 'custom',
        path: [named[1] ?? 'addresses'],
        message: `expected exactly one of ${SELECTORS.join(', ')}, got ${named.length === 0 ? 'none' : named.join(' and ')}`,
      });
    const [from, to] = [Date.parse(body.from), Date.parse(body.to)];
    if (to <= from) ctx.addIssue({ code: 'custom', path: ['to'], message: 'expected a time after from' });
    if (to - from > DAYS_MAX * DAY_MS)
      ctx.addIssue({ code: 'custom', path: ['to'], message: `expected at most ${DAYS_MAX} days after from` });
    if (to > Date.now() + AHEAD_MS)
      ctx.addIssue({ code: 'custom', path: ['to'], message: 'expected a time that is not in the future' });
  });
