// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { networkSchema, toNetworkDocument, type Network } from '@chainwatch/chain-core';
import { logoOf } from './logo.ts';

export const networkSourceSchema = z.enum(['built_in', 'file', 'api']).meta({
  description:
    'Who says so: `built_in`: this release; `file`: the `NETWORKS_FILE` of the operator, which the API does not change; `api`: `PUT /networks/{chain_gid}`.',
  examples: ['built_in'],
});
export type NetworkSource = z.infer<typeof networkSourceSchema>;

export const networkRecordSchema = networkSchema
  .extend({
    is_local: z.boolean().meta({
      description: 'A local chain of a developer: it starts anew with its node.',
      examples: [false],
    }),
    image_url: z.string().meta({
      description: 'URL of its logo.',
      examples: ['https://chainwatch.example.com/logos/ethereum.svg'],
    }),
    source: networkSourceSchema,
    is_used: z.boolean().meta({
      description:
        'Whether this service has the blockchain, active or not. Its id, family, native coin and token namespace are then fixed.',
      examples: [true],
    }),
  })
  .meta({ id: 'Network' });

/** @param base where the client reaches the gateway: `https://chainwatch.example.com` */
export function toNetworkRecord(
  network: Network,
  {
    source,
    isUsed,
    base,
  }: { readonly source: NetworkSource; readonly isUsed: boolean; readonly base: string },
): z.infer<typeof networkRecordSchema> {
  return {
    ...toNetworkDocument(network),
    is_local: network.isLocal === true,
    image_url: logoOf(network, base),
    source,
    is_used: isUsed,
  };
}
