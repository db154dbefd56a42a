import type { ChainRow } from './chain-row.ts';

/** Opens what libs/secrets sealed. */
export interface Opener {
  open(sealed: string, context: string): string;
}

/**
 * The endpoints of a chain in the order of preference: the one set over the API, then those of the configuration.
 * A chain with an Ethereum-compatible endpoint only (TRON) is followed over that.
 */
export function listEndpoints(row: ChainRow, opener: Opener, configured: readonly string[] = []): string[] {
  const stored =
    row.endpoint_sealed !== null
      ? opener.open(row.endpoint_sealed, `endpoint:${row.gid}`)
      : row.evm_endpoint_sealed !== null
        ? opener.open(row.evm_endpoint_sealed, `evm_endpoint:${row.gid}`)
        : undefined;
  return [...new Set([...(stored === undefined ? [] : [stored]), ...configured])];
}
