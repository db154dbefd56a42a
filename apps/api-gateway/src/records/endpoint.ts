// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

export const endpointUrlSchema = z
  .url({
    protocol: /^(https?|wss?)$/,
    error: 'expected a URL that begins with https:, http:, wss: or ws:',
  })
  .max(2_048)
  .meta({
    description: 'URL of the node. Write-only: it may hold a password.',
    examples: ['https://user:password@node-2.example.com:8545'],
  });

export const weightSchema = z
  .int()
  .min(1)
  .max(1_000)
  .meta({
    description:
      'Share of the calls of the RPC gateway. Of two endpoints, services try the one with the greater weight first.',
    examples: [1],
  });

export const endpointSchema = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Of the endpoint.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'Its chain as CAIP-2.', examples: ['eip155:1'] }),
    url: z.string().meta({
      description: 'Scheme, host, and port of its URL. The rest may hold a password and is never shown.',
      examples: ['https://node-2.example.com:8545'],
    }),
    weight: weightSchema,
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
  })
  .meta({
    id: 'ChainEndpoint',
    description: 'A further node of a blockchain, beside the one that is set with `PATCH`.',
  });

export interface EndpointRow {
  readonly id: string;
  readonly chain_gid: string;
  readonly url_shown: string;
  readonly weight: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function toEndpointRecord(row: EndpointRow): z.infer<typeof endpointSchema> {
  return {
    id: row.id,
    chain_gid: row.chain_gid,
    url: row.url_shown,
    weight: row.weight,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
