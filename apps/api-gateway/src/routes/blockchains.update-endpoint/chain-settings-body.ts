// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { ChainEndpoint, FamilyManifest, NodeInterface } from '@chainwatch/chain-core';
import { unprovedSchema } from '../../records/blockchain.ts';

/** One member for each interface of the family's nodes, and the chain's settings. */
export type ChainSettings = Readonly<Record<string, string | undefined>> & {
  readonly unproved?: z.infer<typeof unprovedSchema>;
};

/** No single member is required: a node may serve one interface only (decisions.md 1.5), and a setting needs no node. */
export function bodyOf(family: FamilyManifest): z.ZodType<ChainSettings, ChainSettings> {
  const urls = family.interfaces.map((each) => [memberOf(family, each), urlOf(each).optional()] as const);
  const members = [...urls.map(([member]) => member).toReversed(), 'unproved'];
  return z
    .strictObject({ ...Object.fromEntries(urls), unproved: unprovedSchema.optional() })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      path: members.slice(0, 1),
      error: `expected at least one of ${members.join(', ')}`,
    });
}

/** A node of every interface. */
export function exampleOf(family: FamilyManifest): ChainSettings {
  return Object.fromEntries(family.interfaces.map((each) => [memberOf(family, each), each.exampleUrl]));
}

/** The endpoints that a body names; the URL of the first interface has no interface name. */
export function listGiven(family: FamilyManifest, body: ChainSettings): ChainEndpoint[] {
  return family.interfaces.flatMap((each, index) => {
    const endpointUrl = body[memberOf(family, each)];
    if (endpointUrl === undefined) return [];
    return [index === 0 ? { endpointUrl } : { endpointUrl, interfaceName: each.name }];
  });
}

function memberOf({ interfaces }: Pick<FamilyManifest, 'interfaces'>, { name }: NodeInterface): string {
  return name === interfaces[0].name ? 'endpoint_url' : `${name}_endpoint_url`;
}

function urlOf({ description, exampleUrl }: NodeInterface): z.ZodType<string, string> {
  return z
    .url({
      protocol: /^(https?|wss?)$/,
      error: 'expected a URL that begins with https:, http:, wss: or ws:',
    })
    .max(2_048)
    .meta({ description: `URL of the ${description} of the node. Write-only.`, examples: [exampleUrl] });
}
