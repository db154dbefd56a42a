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
 * Where a chain has endpoints of two kinds (TRON), the wallet API is the one that serves whole blocks.
 */
export function listEndpoints(chain: SealedEndpoints, opener: Opener, configured: readonly string[] = []): string[] {
  const { gid, endpointSealed, evmEndpointSealed } = chain;
  const stored =
    endpointSealed !== null ? [opener.open(endpointSealed, `endpoint:${gid}`)] : evmEndpointSealed !== null ? [opener.open(evmEndpointSealed, `evm_endpoint:${gid}`)] : [];
  return [...new Set([...stored, ...configured])];
}

export function hasSameEndpoints(one: SealedEndpoints, other: SealedEndpoints): boolean {
  return one.endpointSealed === other.endpointSealed && one.evmEndpointSealed === other.evmEndpointSealed;
}
