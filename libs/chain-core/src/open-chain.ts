// SPDX-License-Identifier: Apache-2.0
import { splitChainGid } from '@chainwatch/common/caip';
import type { ChainEndpoint } from './chain-endpoint.ts';
import type { ChainClient, ChainFamily, Dial, UtxoCodec } from './chain-family.ts';
import type { ChainFamilyName } from './network.ts';
import { ChainNotConfiguredError, describePublicly } from './errors.ts';
import { createFailoverClient, type FailoverClient } from './failover-client.ts';
import { hasSameEndpoints, listEndpoints, type Opener, type SealedEndpoints } from './list-endpoints.ts';
import type { NetworkCatalogue } from './network-catalogue.ts';
import type { Network } from './network.ts';

/** An active row of `blockchains`. */
export interface ActiveChain extends SealedEndpoints {
  readonly family: ChainFamilyName;
  /** The block to start from, as set by the operator; null: not set. */
  readonly startBlock?: number | null;
  /** What an operator says of the network; null or absent: this build knows it. */
  readonly document?: unknown;
}

export interface OpenedChain {
  readonly network: Network;
  /** Over all endpoints. */
  readonly client: FailoverClient;
  /** UTXO families only. */
  readonly utxo?: UtxoCodec;
  /** Only of families that show addresses in another than the canonical form. */
  readonly displayAddress?: (canonical: string) => string;
}

/** @throws ChainNotConfiguredError */
export type OpenChain = (chain: ActiveChain) => Promise<OpenedChain>;

export interface ChainOpenerOptions {
  /** By the namespace of a chain's gid; undefined where this build has no code for it. */
  readonly findFamily: (namespace: string) => Promise<ChainFamily | undefined>;
  readonly opener: Opener;
  readonly dial?: Dial;
  /** More endpoints by chain gid. */
  readonly endpoints?: Readonly<Record<string, readonly string[]>>;
  /** Indexes of addresses beside the nodes, by chain gid. */
  readonly indexes?: Readonly<Record<string, string>>;
  /** One request's. */
  readonly timeoutMs?: number;
}

export function createChainOpener({
  findFamily,
  opener,
  dial,
  endpoints,
  indexes,
  timeoutMs,
}: ChainOpenerOptions): OpenChain {
  return async (chain) => {
    const family = await findFamily(splitChainGid(chain.gid).namespace);
    if (family === undefined) throw new ChainNotConfiguredError(missingFamily(chain.family));
    const network = findNetworkOf(chain, family);
    const indexUrl = indexes?.[chain.gid];
    const optional = {
      dial,
      timeoutMs,
      indexUrl,
    };
    const connect = (endpoint: ChainEndpoint): ChainClient =>
      family.createClient({ network, ...endpoint, ...optional });
    let clients: ChainClient[];
    try {
      clients = listEndpoints(chain, opener, endpoints?.[chain.gid]).map(connect);
    } catch (error) {
      const publicMessage = `the endpoint cannot be used: ${describePublicly(error)}`;
      throw new ChainNotConfiguredError(
        `the endpoint cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error, publicMessage },
      );
    }
    if (clients.length === 0) throw new ChainNotConfiguredError('no endpoint is configured');
    return {
      network,
      client: createFailoverClient(clients),
      utxo: family.utxo,
      displayAddress: family.displayAddress,
    };
  };
}

/** The network of a chain, as its document says or as this build does. @throws ChainNotConfiguredError */
export function findNetworkOf(
  { gid, document }: Pick<ActiveChain, 'gid' | 'document'>,
  { catalogue }: Pick<ChainFamily, 'catalogue'>,
): Network {
  if (document !== undefined && document !== null) return parseDocument(catalogue, document);
  // What a document said before it went no longer holds.
  const network =
    document === null ? catalogue.recall(gid) : catalogue.networks.find((each) => each.gid === gid);
  if (network === undefined) throw new ChainNotConfiguredError(`${gid} is not among the known networks`);
  return network;
}

function parseDocument(catalogue: NetworkCatalogue, document: unknown): Network {
  try {
    return catalogue.learn(document);
  } catch (error) {
    const message = `this release cannot read the network's document: ${error instanceof Error ? error.message : String(error)}`;
    throw new ChainNotConfiguredError(message, { cause: error });
  }
}

/** Whether a chain can be followed on as before. */
export function isSameChain(one: ActiveChain, other: ActiveChain): boolean {
  return hasSameEndpoints(one, other) && JSON.stringify(one.document) === JSON.stringify(other.document);
}

export function missingFamily(name: ChainFamilyName): string {
  return `chain family ${name} is not configured in this build`;
}
