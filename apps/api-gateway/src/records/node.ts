// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

const time = z.iso.datetime().nullable();

const healthSchema = z.object({
  at: z.iso
    .datetime()
    .meta({ description: 'Begin of the quarter of an hour.', examples: ['2026-01-01T00:00:00.000Z'] }),
  samples: z.int().meta({ description: 'Reports of the node, one every 10 s.', examples: [90] }),
  failures: z.int().meta({ description: 'Reports in which it was `failing`.', examples: [0] }),
  latency_ms: z
    .number()
    .nullable()
    .meta({ description: 'Mean latency in milliseconds. Null: it told no head.', examples: [42] }),
});
export type NodeHealth = z.infer<typeof healthSchema>;

export const nodeSchema = z
  .object({
    url: z.string().meta({
      description: 'Scheme, host and port of its URL; what may hold a credential is never shown.',
      examples: ['https://node.example.com:443'],
    }),
    is_in_use: z.boolean().meta({ description: 'Whether the chain is read from it now.' }),
    status: z.enum(['serving', 'failing', 'unknown']).meta({
      description:
        '`serving`: it answered when it was asked last; `failing`: it did not, or serves another chain; `unknown`: it was not asked yet.',
    }),
    head_number: z
      .int()
      .nullable()
      .meta({
        description: 'The last head that the node reported. Null before the first one.',
        examples: [21_000_002],
      }),
    latency_ms: z
      .number()
      .nullable()
      .meta({
        description: 'How many milliseconds it took to tell a head when it was asked last. Null before.',
        examples: [42],
      }),
    last_success_at: time.meta({
      description: 'When it answered last, since the ingestor began to read the chain. Null: never.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    last_error_at: time.meta({
      description: 'When it failed last, since then. Null: never.',
      examples: [null],
    }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed then. Null: it never did.', examples: [null] }),
    history: z.array(healthSchema).meta({
      description:
        'The last 24 hours in quarters of an hour, oldest first. Quarters without a report are missing. Nodes at the same host share it.',
    }),
  })
  .meta({ id: 'Node' });

/** As the ingestor writes it (libs/ingestor/src/start-beating.ts). */
export type NodeReport = Omit<z.infer<typeof nodeSchema>, 'status' | 'history'>;

export function toNodeRecord(report: NodeReport, history: readonly NodeHealth[]): z.infer<typeof nodeSchema> {
  const { url, is_in_use, head_number, latency_ms, last_success_at, last_error_at, last_error } = report;
  return {
    url,
    is_in_use,
    status: statusOf(report),
    head_number,
    latency_ms,
    last_success_at,
    last_error_at,
    last_error,
    history: [...history],
  };
}

function statusOf({ last_success_at, last_error_at }: NodeReport): 'serving' | 'failing' | 'unknown' {
  if (last_error_at !== null && (last_success_at === null || last_error_at > last_success_at))
    return 'failing';
  return last_success_at === null ? 'unknown' : 'serving';
}
