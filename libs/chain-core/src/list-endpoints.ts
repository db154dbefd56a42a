import type { ChainEndpoint } from './chain-family.ts';

/** Opens what libs/secrets sealed. */
export interface Opener {
  open(sealed: string, context: string): string;
}

/** Of a row of blockchains. */
export interface SealedEndpoints {
  readonly gid: string;
  readonly endpointSealed: string | null;
  readonly evmEndpointSealed: string | null;
}

/**
 * The endpoints of a chain in the order of preference: the one set over the API, then those of the configuration.
 * A node that was given with both its interfaces (TRON) is one endpoint.
 */
export function listEndpoints(
  chain: SealedEndpoints,
  opener: Opener,
  configured: readonly string[] = [],
): ChainEndpoint[] {
  const stored = openStored(chain, opener);
  const others = new Set(configured);
  if (stored && stored.endpointKind === undefined) others.delete(stored.endpointUrl);
  return [...(stored ? [stored] : []), ...[...others].map((endpointUrl) => ({ endpointUrl }))];
}

function openStored(
  { gid, endpointSealed, evmEndpointSealed }: SealedEndpoints,
  opener: Opener,
): ChainEndpoint | undefined {
  const evmEndpointUrl =
    evmEndpointSealed === null ? undefined : opener.open(evmEndpointSealed, `evm_endpoint:${gid}`);
  if (endpointSealed !== null)
    return {
      endpointUrl: opener.open(endpointSealed, `endpoint:${gid}`),
      ...(evmEndpointUrl !== undefined && { evmEndpointUrl }),
    };
  return evmEndpointUrl === undefined ? undefined : { endpointUrl: evmEndpointUrl, endpointKind: 'evm' };
}

export function hasSameEndpoints(one: SealedEndpoints, other: SealedEndpoints): boolean {
  return one.endpointSealed === other.endpointSealed && one.evmEndpointSealed === other.evmEndpointSealed;
}
