// SPDX-License-Identifier: Apache-2.0
import type { ChainEndpoint } from './chain-endpoint.ts';

/** Opens what libs/platform/src/secrets sealed. */
export interface Opener {
  open(sealed: string, context: string): string;
}

/** Of a row of blockchains. */
export interface SealedEndpoints {
  readonly gid: string;
  /** Of the family's first interface. */
  readonly endpointSealed: string | null;
  /** Of its other interfaces, by their names. */
  readonly otherEndpointsSealed: Readonly<Record<string, string>>;
  /** Rows of chain_endpoints, those with the greatest weight first; absent: none. */
  readonly moreEndpoints?: readonly SealedEndpoint[];
}

/** A further node of a chain. */
export interface SealedEndpoint {
  readonly id: string;
  readonly urlSealed: string;
  readonly weight: number;
}

/**
 * The endpoints of a chain in the order of preference: the one set over the API, further ones that were added there, then
 * those of the configuration. A node that was given with several interfaces is one endpoint.
 */
export function listEndpoints(
  chain: SealedEndpoints,
  opener: Opener,
  configured: readonly string[] = [],
): ChainEndpoint[] {
  const stored = openEndpoint(chain, opener);
  const more = (chain.moreEndpoints ?? []).map((endpoint) => openMore(endpoint, opener).endpointUrl);
  const others = new Set([...more, ...configured]);
  if (stored && stored.interfaceName === undefined) others.delete(stored.endpointUrl);
  return [...(stored ? [stored] : []), ...[...others].map((endpointUrl) => ({ endpointUrl }))];
}

/** The endpoint that was set over the API; undefined where none was. @throws what the opener throws */
export function openEndpoint(
  { gid, endpointSealed, otherEndpointsSealed }: SealedEndpoints,
  opener: Opener,
): ChainEndpoint | undefined {
  const others = Object.entries(otherEndpointsSealed).map(
    ([name, sealed]) => [name, opener.open(sealed, endpointContext(gid, name))] as const,
  );
  if (endpointSealed !== null)
    return { endpointUrl: opener.open(endpointSealed, endpointContext(gid)), ...withOthers(others) };
  const [first, ...rest] = others;
  return first && { endpointUrl: first[1], interfaceName: first[0], ...withOthers(rest) };
}

/** A further node, with its share of calls. @throws what the opener throws */
export function openMore(
  { id, urlSealed, weight }: SealedEndpoint,
  opener: Opener,
): ChainEndpoint & { readonly weight: number } {
  return { endpointUrl: opener.open(urlSealed, moreEndpointContext(id)), weight };
}

/** The sealing context of a further node's URL. */
export function moreEndpointContext(id: string): string {
  return `chain_endpoint:${id}`;
}

/** The sealing context of an interface's URL; without a name that of the family's first interface. */
export function endpointContext(gid: string, interfaceName?: string): string {
  return interfaceName === undefined ? `endpoint:${gid}` : `${interfaceName}_endpoint:${gid}`;
}

export function hasSameEndpoints(one: SealedEndpoints, other: SealedEndpoints): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ endpointSealed, otherEndpointsSealed, moreEndpoints = [] }: SealedEndpoints): string {
  const more = moreEndpoints.map(({ id }) => id);
  return JSON.stringify([endpointSealed, Object.entries(otherEndpointsSealed).sort(), more]);
}

function withOthers(urls: readonly (readonly [string, string])[]): Pick<ChainEndpoint, 'otherUrls'> {
  return urls.length === 0 ? {} : { otherUrls: Object.fromEntries(urls) };
}
